import {
  arrayOf,
  type CaseParameter,
  type CaseSchema,
  COLORS,
  type DeclaredCase,
  dateTime,
  EVENING,
  integer,
  oas,
  RGB,
  rgb,
  text,
  type Value,
} from './declare.ts'

function header(
  name: string,
  schema: CaseSchema,
  input: Value,
  form: Pick<CaseParameter, 'explode'> = {},
): CaseParameter {
  return { in: 'header', name, ...form, isRequired: true, schema, input }
}

const color = (schema: CaseSchema, input: Value, form: Pick<CaseParameter, 'explode'> = {}) => [
  header('X-Color', schema, input, form),
]

const STYLES = oas('style-examples')
const SERIALIZING = oas('appendix-d-serializing-headers-and-cookies')

export const HEADER: readonly DeclaredCase[] = [
  {
    name: 'string',
    level: 'core',
    title: 'A text in a header',
    specification: STYLES,
    parameters: color(text, 'blue'),
  },
  {
    name: 'array',
    level: 'core',
    title: 'A list in a header, with commas',
    specification: STYLES,
    parameters: color(arrayOf(text), COLORS),
  },
  {
    name: 'object',
    level: 'extended',
    title: 'An object in a header, names and values with commas',
    specification: STYLES,
    parameters: color(rgb, RGB),
  },
  {
    name: 'object-explode',
    level: 'extended',
    title: 'An object in a header, exploded: name=value with commas',
    specification: STYLES,
    parameters: color(rgb, RGB, { explode: true }),
  },
  {
    name: 'unencoded',
    level: 'extended',
    title: 'The value of a header is not percent-encoded',
    specification: SERIALIZING,
    parameters: color(text, 'a/b c%20d'),
  },
  {
    name: 'omitted',
    level: 'core',
    title: 'An optional header that is not given does not arrive',
    specification: oas('common-fixed-fields'),
    parameters: [{ in: 'header', name: 'X-Color', schema: text }],
  },
  {
    name: 'integer',
    level: 'core',
    title: 'Zero in a header',
    specification: STYLES,
    parameters: [header('X-Count', integer, 0)],
  },
  {
    name: 'date-time',
    level: 'extended',
    title: 'A date-time in a header arrives as the same instant',
    specification: SERIALIZING,
    parameters: [header('X-Since', dateTime, EVENING)],
  },
  {
    name: 'ignored',
    level: 'open',
    title: 'Parameters with the names Accept, Content-Type and Authorization are ignored',
    specification: oas('common-fixed-fields'),
    parameters: [
      header('Accept', text, 'application/vnd.galaxy+json'),
      { ...header('Content-Type', text, 'application/vnd.galaxy+json'), isNotJudged: true },
      { ...header('Authorization', text, 'Lab blue'), isNotJudged: true },
    ],
    variants: [
      ['sent', 'application/vnd\\.galaxy\\+json'],
      ['ignored', ''],
    ],
  },
  {
    name: 'utf8',
    level: 'open',
    title: 'Characters beyond ASCII in a header',
    specification: SERIALIZING,
    parameters: color(text, 'größe'),
    variants: [
      ['UTF-8', '^größe$'],
      ['Latin-1', '^gr\uFFFD+e$'],
      ['encoded', '^gr%[Cc]3%[Bb]6%[Cc]3%9[Ff]e$|=\\?'],
      ['other', ''],
    ],
  },
]
