import {
  arrayOf,
  BEYOND_DOUBLE,
  boolean,
  type CaseParameter,
  type CaseSchema,
  COLORS,
  closed,
  DAY,
  type DeclaredCase,
  date,
  dateTime,
  EVENING,
  FALSY,
  int64,
  integer,
  MARS,
  nullableText,
  number,
  oas,
  onlyIn32,
  RGB,
  rfc,
  rgb,
  text,
  type Value,
} from './declare.ts'

type Form = Pick<CaseParameter, 'style' | 'explode' | 'allowReserved' | 'isJson'>

function inQuery(name: string, schema: CaseSchema, input: Value, form: Form = {}): CaseParameter {
  return { in: 'query', name, ...form, isRequired: true, schema, input }
}

const array = (form: Form, input: Value = COLORS) => [inQuery('color', arrayOf(text), input, form)]
const object = (form: Form) => [inQuery('color', rgb, RGB, form)]
const value = (schema: CaseSchema, input: Value, form: Form = {}) => [inQuery('value', schema, input, form)]
/** A parameter for each member, each a text. */
const texts = (inputs: Readonly<Record<string, string>>) =>
  Object.entries(inputs).map(([name, input]) => inQuery(name, text, input))

const STYLES = oas('style-examples')
const ENCODING = oas('url-percent-encoding')
const CONVERSION = oas('appendix-b-data-type-conversion')
const UNDEFINED = oas('undefined-values-and-manual-uri-template-construction')
const OTHER = ['other', ''] as const
/** Of `[`, `]`, raw or encoded. */
const [OPEN, CLOSE] = ['(?:\\[|%5[Bb])', '(?:\\]|%5[Dd])']

export const QUERY: readonly DeclaredCase[] = [
  {
    name: 'form-string',
    level: 'core',
    title: 'A text in the query',
    specification: STYLES,
    parameters: [inQuery('color', text, 'blue')],
  },
  {
    name: 'form-array-explode',
    level: 'core',
    title: 'A list in the query: a pair for each item (the default)',
    specification: STYLES,
    parameters: array({}),
  },
  {
    name: 'form-array',
    level: 'core',
    title: 'A list in the query as one pair, with commas that are not encoded',
    specification: STYLES,
    parameters: array({ explode: false }),
  },
  {
    name: 'form-object-explode',
    level: 'core',
    title: 'An object in the query: a pair for each member (the default)',
    specification: STYLES,
    parameters: object({}),
  },
  {
    name: 'form-object',
    level: 'extended',
    title: 'An object in the query as one pair, with commas',
    specification: STYLES,
    parameters: object({ explode: false }),
  },
  {
    name: 'space-array',
    level: 'extended',
    title: 'A list in the query, with encoded spaces between items (spaceDelimited)',
    specification: STYLES,
    parameters: array({ style: 'spaceDelimited', explode: false }),
  },
  {
    name: 'space-object',
    level: 'extended',
    title: 'An object in the query, with encoded spaces (spaceDelimited)',
    specification: STYLES,
    parameters: object({ style: 'spaceDelimited', explode: false }),
  },
  {
    name: 'pipe-array',
    level: 'extended',
    title: 'A list in the query, with encoded bars between items (pipeDelimited)',
    specification: STYLES,
    parameters: array({ style: 'pipeDelimited', explode: false }),
  },
  {
    name: 'pipe-object',
    level: 'extended',
    title: 'An object in the query, with encoded bars (pipeDelimited)',
    specification: STYLES,
    parameters: object({ style: 'pipeDelimited', explode: false }),
  },
  {
    name: 'deep-object',
    level: 'core',
    title: 'An object in the query, each member as name[member]=value (deepObject)',
    specification: STYLES,
    parameters: object({ style: 'deepObject', explode: true }),
  },
  {
    name: 'falsy',
    level: 'core',
    title: 'False, zero and the empty text are values',
    specification: STYLES,
    parameters: [
      inQuery('flag', boolean, FALSY.flag),
      inQuery('count', integer, FALSY.count),
      inQuery('text', text, FALSY.text),
    ],
  },
  {
    name: 'omitted',
    level: 'core',
    title: 'An optional parameter that is not given does not arrive',
    specification: UNDEFINED,
    parameters: [{ in: 'query', name: 'color', schema: text }],
  },
  {
    name: 'boolean-array',
    level: 'core',
    title: 'A list of booleans',
    specification: CONVERSION,
    parameters: [inQuery('flags', arrayOf(boolean), [true, false])],
  },
  {
    name: 'single-item',
    level: 'core',
    title: 'A list of one item',
    specification: STYLES,
    parameters: array({}, ['blue']),
  },
  {
    name: 'reserved',
    level: 'core',
    title: 'Characters that divide a query are encoded',
    specification: ENCODING,
    parameters: value(text, 'a&b=c+d e/f?g:h@i%j#k'),
  },
  {
    name: 'utf8',
    level: 'core',
    title: 'Characters beyond ASCII are encoded as their bytes in UTF-8',
    specification: ENCODING,
    parameters: value(text, MARS),
  },
  {
    name: 'date-time',
    level: 'core',
    title: 'A date-time arrives as the same instant: its plus is encoded',
    specification: oas('decoding-uris-and-form-urlencoded-strings'),
    parameters: value(dateTime, EVENING),
  },
  {
    name: 'date',
    level: 'core',
    title: 'A date arrives as it is, without a shift by a time zone',
    specification: rfc(3339, '5.6'),
    parameters: value(date, DAY),
  },
  {
    name: 'int64',
    level: 'extended',
    title: 'An integer beyond the doubles keeps all its digits',
    specification: oas('data-type-format'),
    parameters: value(int64, BEYOND_DOUBLE),
  },
  {
    name: 'number',
    level: 'core',
    title: 'A number arrives as the same double',
    specification: oas('data-type-format'),
    parameters: value(number, 0.1),
  },
  {
    name: 'comma-item',
    level: 'core',
    title: 'A comma within an item is encoded, commas between items are not',
    specification: ENCODING,
    parameters: array({ explode: false }, ['a,b', 'c']),
  },
  {
    name: 'allow-reserved',
    level: 'extended',
    title: 'With allowReserved, reserved characters stay as they are',
    specification: oas('fixed-fields-for-use-with-schema'),
    parameters: value(text, 'a/b?c:d@e', { allowReserved: true }),
  },
  {
    name: 'names',
    level: 'extended',
    title: 'Names with brackets, a dollar, a dot and an umlaut',
    specification: oas('illegal-variable-names-as-parameter-names'),
    parameters: [
      inQuery('filter[name]', text, 'a'),
      inQuery('$top', integer, 1),
      inQuery('a.b', text, 'c'),
      inQuery('größe', text, 'd'),
    ],
  },
  {
    name: 'reserved-words',
    level: 'extended',
    title: 'Names that are words of programming languages',
    specification: oas('parameter-object'),
    parameters: texts({ class: 'a', in: 'b', default: 'c', self: 'd', body: 'e' }),
  },
  {
    name: 'similar-names',
    level: 'extended',
    title: 'Names that differ only in their notation',
    specification: oas('parameter-object'),
    parameters: texts({ userId: 'a', user_id: 'b' }),
  },
  {
    name: 'same-name',
    level: 'core',
    title: 'Parameters with one name in path, query and header',
    specification: oas('parameter-object'),
    rest: '/{id}',
    parameters: [
      { in: 'path', name: 'id', isRequired: true, schema: integer, input: 1 },
      { in: 'query', name: 'id', isRequired: true, schema: integer, input: 2 },
      { in: 'header', name: 'id', isRequired: true, schema: integer, input: 3 },
    ],
  },
  {
    name: 'content-json',
    level: 'extended',
    title: 'A parameter that is JSON (content)',
    specification: oas('fixed-fields-for-use-with-content'),
    parameters: [
      inQuery('filter', closed({ R: integer, G: arrayOf(integer) }), { R: 100, G: [1, 2] }, { isJson: true }),
    ],
  },
  {
    name: 'empty-array',
    level: 'open',
    title: 'An empty list',
    specification: UNDEFINED,
    parameters: array({}, []),
    variants: [['absent', '^$'], ['color=', '^color=$'], OTHER],
  },
  {
    name: 'null',
    level: 'open',
    title: 'Null, where null is a value',
    specification: CONVERSION,
    parameters: [inQuery('color', nullableText, null)],
    variants: [['absent', '^$'], ['color=', '^color=$'], ['null', '^color=null$'], OTHER],
  },
  {
    name: 'default',
    level: 'open',
    title: 'A parameter with a default that is not given',
    specification: oas('fixed-fields-for-use-with-schema'),
    parameters: [{ in: 'query', name: 'limit', schema: { type: 'integer', default: 10 } }],
    variants: [['absent', '^$'], ['limit=10', '^limit=10$'], OTHER],
  },
  {
    name: 'deep-nested',
    level: 'open',
    title: 'An object in an object, and a list, as deepObject',
    specification: oas('style-values'),
    parameters: [
      inQuery(
        'filter',
        closed({ a: closed({ b: integer }), c: arrayOf(integer) }),
        { a: { b: 1 }, c: [1, 2] },
        { style: 'deepObject', explode: true },
      ),
    ],
    variants: [
      ['brackets for both', `^(?=.*${OPEN}a${CLOSE}${OPEN}b${CLOSE}=1)(?=.*${OPEN}c${CLOSE}${OPEN}\\d*${CLOSE}=)`],
      ['dots', `a\\.b(?:${CLOSE})?=`],
      ['JSON', '(?:\\{|%7[Bb])(?:%20|\\+)*(?:"|%22)'],
      OTHER,
    ],
  },
  {
    name: 'querystring-form',
    level: 'core',
    title: 'The whole query is a form',
    ...onlyIn32(
      'parameter-locations',
      'using Encoding Objects in the same way as with request bodies of that media type',
    ),
    parameters: [
      {
        in: 'querystring',
        name: 'filter',
        isRequired: true,
        schema: closed({ text, tags: arrayOf(text), flag: boolean }),
        input: { text: 'a b+c&d', tags: ['x', 'y'], flag: false },
      },
    ],
  },
  {
    name: 'querystring-json',
    level: 'extended',
    title: 'The whole query is JSON',
    ...onlyIn32('parameter-object-examples', 'uses JSON for the entire string (not as a single query parameter value)'),
    parameters: [
      {
        in: 'querystring',
        name: 'filter',
        isJson: true,
        isRequired: true,
        schema: closed({ text, tags: arrayOf(text), flag: { type: 'boolean', isNullable: true, name: 'Flag' } }),
        input: { text: 'a b+c', tags: ['x', 'y'], flag: null },
      },
    ],
  },
]
