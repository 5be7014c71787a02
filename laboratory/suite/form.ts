import {
  arrayOf,
  type Body,
  boolean,
  type CaseSchema,
  closed,
  type DeclaredCase,
  type Encoding,
  FALSY,
  falsy,
  integer,
  nullableText,
  oas,
  oas32,
  onlyIn32,
  text,
  UNTIL_31,
  type Value,
} from './declare.ts'

function form(schema: CaseSchema, input: Value, encoding?: Readonly<Record<string, Encoding>>): Body {
  return { mediaType: 'application/x-www-form-urlencoded', schema, input, ...(encoding && { encoding }) }
}

const tags = (encoding?: Encoding) =>
  form(closed({ tags: arrayOf(text) }), { tags: ['a', 'b'] }, encoding && { tags: encoding })

const FORMS = oas('encoding-the-x-www-form-urlencoded-media-type')
const STYLES = oas('fixed-fields-for-rfc6570-style-serialization')

/** Cases of forms (`application/x-www-form-urlencoded`). */
export const FORM: readonly DeclaredCase[] = [
  {
    name: 'text',
    level: 'core',
    title: 'A text, a number and a boolean in a form',
    specification: FORMS,
    body: form(closed({ name: text, count: integer, flag: boolean }), { name: 'blue', count: 3, flag: true }),
  },
  {
    name: 'array',
    level: 'core',
    title: 'A list in a form: a pair for each item',
    specification: FORMS,
    body: tags(),
  },
  {
    name: 'object',
    level: 'core',
    title: 'An object in a form is JSON, unless `encoding` says otherwise',
    specification: oas('common-fixed-fields-0'),
    body: form(closed({ color: closed({ R: integer }) }), { color: { R: 100 } }),
  },
  {
    name: 'array-unexploded',
    level: 'extended',
    title: 'A list in a form as one pair, with commas',
    specification: STYLES,
    body: tags({ style: 'form', explode: false }),
  },
  {
    name: 'deep-object',
    level: 'extended',
    title: 'An object in a form, each member as name[member]=value (deepObject)',
    specification: STYLES,
    body: form(
      closed({ color: closed({ R: integer, G: integer }) }),
      { color: { R: 100, G: 200 } },
      { color: { style: 'deepObject', explode: true } },
    ),
  },
  {
    name: 'space',
    level: 'extended',
    title: 'A list in a form, with encoded spaces (spaceDelimited)',
    specification: STYLES,
    body: tags({ style: 'spaceDelimited', explode: false }),
  },
  {
    name: 'pipe',
    level: 'extended',
    title: 'A list in a form, with encoded bars (pipeDelimited)',
    specification: STYLES,
    body: tags({ style: 'pipeDelimited', explode: false }),
  },
  {
    name: 'json-array',
    level: 'extended',
    title: 'A list in a form that `encoding` makes JSON, a value for each item',
    specification: oas32('encoding-by-name'),
    versions: UNTIL_31,
    body: tags({ contentType: 'application/json' }),
  },
  {
    name: 'reserved',
    level: 'core',
    title: 'Characters that divide a form are encoded',
    specification: oas('percent-encoding-and-form-urlencoded'),
    body: form(closed({ text }), { text: 'a&b=c+d e%f 火' }),
  },
  {
    name: 'falsy',
    level: 'core',
    title: 'False, zero and the empty text are values',
    specification: FORMS,
    body: form(falsy, FALSY),
  },
  {
    name: 'omitted',
    level: 'core',
    title: 'An optional member that is not given does not arrive',
    specification: FORMS,
    body: form(closed({ name: text, tag: text }, ['tag']), { name: 'blue' }),
  },
  {
    name: 'null',
    level: 'open',
    title: 'Null in a form, where null is a value',
    specification: oas('appendix-b-data-type-conversion'),
    body: form(closed({ text: nullableText }), { text: null }),
    variants: [
      ['absent', '^$'],
      ['empty', '^text=?$'],
      ['null', '^text=null$'],
      ['other', ''],
    ],
  },
  {
    name: 'serialized-example',
    level: 'open',
    title: 'An example with its serialized form',
    ...onlyIn32('example-object', 'this field SHOULD contain the serialization of the given data'),
    body: { ...form(closed({ text }), { text: 'a b' }), serialized: 'text=a%20b' },
    variants: [
      ['serialized', '^text=a%20b$'],
      ['own form', '^text=a\\+b$'],
      ['other', ''],
    ],
  },
]
