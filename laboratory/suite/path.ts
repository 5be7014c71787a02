import {
  arrayOf,
  BEYOND_DOUBLE,
  type CaseParameter,
  type CaseSchema,
  COLORS,
  DAY,
  type DeclaredCase,
  date,
  dateTime,
  EVENING,
  int64,
  MARS,
  oas,
  onlyIn32,
  RGB,
  rfc,
  rgb,
  text,
  type Value,
} from './declare.ts'

type Form = Pick<CaseParameter, 'style' | 'explode'>

function inPath(name: string, schema: CaseSchema, input: Value, form: Form = {}): CaseParameter {
  return { in: 'path', name, ...form, isRequired: true, schema, input }
}

const array = (form: Form) => [inPath('color', arrayOf(text), COLORS, form)]
const object = (form: Form) => [inPath('color', rgb, RGB, form)]
const string = (form: Form) => [inPath('color', text, 'blue', form)]
const value = (schema: CaseSchema, input: Value) => [inPath('value', schema, input)]

const STYLES = oas('style-examples')
const ENCODING = oas('url-percent-encoding')

export const PATH: readonly DeclaredCase[] = [
  {
    name: 'simple-string',
    level: 'core',
    title: 'A text in the path',
    specification: STYLES,
    parameters: string({}),
  },
  {
    name: 'simple-array',
    level: 'core',
    title: 'A list in the path, with commas',
    specification: STYLES,
    parameters: array({}),
  },
  {
    name: 'simple-array-explode',
    level: 'core',
    title: 'A list in the path, exploded: the same commas',
    specification: STYLES,
    parameters: array({ explode: true }),
  },
  {
    name: 'simple-object',
    level: 'core',
    title: 'An object in the path, names and values with commas',
    specification: STYLES,
    parameters: object({}),
  },
  {
    name: 'simple-object-explode',
    level: 'core',
    title: 'An object in the path, exploded: name=value with commas',
    specification: STYLES,
    parameters: object({ explode: true }),
  },
  {
    name: 'label-string',
    level: 'extended',
    title: 'A text in the path after a dot (label)',
    specification: STYLES,
    parameters: string({ style: 'label' }),
  },
  {
    name: 'label-array',
    level: 'extended',
    title: 'A list in the path after a dot, with commas (label)',
    specification: STYLES,
    parameters: array({ style: 'label', explode: false }),
  },
  {
    name: 'label-array-explode',
    level: 'extended',
    title: 'A list in the path, exploded: each item after a dot (label)',
    specification: STYLES,
    parameters: array({ style: 'label', explode: true }),
  },
  {
    name: 'label-object',
    level: 'extended',
    title: 'An object in the path after a dot, with commas (label)',
    specification: STYLES,
    parameters: object({ style: 'label', explode: false }),
  },
  {
    name: 'label-object-explode',
    level: 'extended',
    title: 'An object in the path, exploded: each name=value after a dot (label)',
    specification: STYLES,
    parameters: object({ style: 'label', explode: true }),
  },
  {
    name: 'matrix-string',
    level: 'extended',
    title: 'A text in the path as ;name=value (matrix)',
    specification: STYLES,
    parameters: string({ style: 'matrix' }),
  },
  {
    name: 'matrix-array',
    level: 'extended',
    title: 'A list in the path as ;name=values with commas (matrix)',
    specification: STYLES,
    parameters: array({ style: 'matrix', explode: false }),
  },
  {
    name: 'matrix-array-explode',
    level: 'extended',
    title: 'A list in the path, exploded: ;name=value for each item (matrix)',
    specification: STYLES,
    parameters: array({ style: 'matrix', explode: true }),
  },
  {
    name: 'matrix-object',
    level: 'extended',
    title: 'An object in the path as ;name=names and values with commas (matrix)',
    specification: STYLES,
    parameters: object({ style: 'matrix', explode: false }),
  },
  {
    name: 'matrix-object-explode',
    level: 'extended',
    title: 'An object in the path, exploded: ;name=value for each member (matrix)',
    specification: STYLES,
    parameters: object({ style: 'matrix', explode: true }),
  },
  {
    name: 'reserved',
    level: 'core',
    title: 'Characters that divide a URL are encoded: a raw / or ? would move the rest',
    specification: ENCODING,
    parameters: value(text, 'a/b?c#d e%f'),
  },
  {
    name: 'utf8',
    level: 'core',
    title: 'Characters beyond ASCII are encoded as their bytes in UTF-8',
    specification: ENCODING,
    parameters: value(text, MARS),
  },
  {
    name: 'unreserved',
    level: 'core',
    title: 'Dots, hyphens, underscores and tildes stay as they are',
    specification: rfc(3986, '2.3'),
    parameters: value(text, 'a.b-c_d~e'),
  },
  {
    name: 'comma-item',
    level: 'core',
    title: 'A comma within an item is encoded, commas between items are not',
    specification: ENCODING,
    parameters: [inPath('color', arrayOf(text), ['a,b', 'c'])],
  },
  {
    name: 'date',
    level: 'core',
    title: 'A date arrives as it is, without a shift by a time zone',
    specification: rfc(3339, '5.6'),
    parameters: value(date, DAY),
  },
  {
    name: 'date-time',
    level: 'core',
    title: 'A date-time arrives as the same instant',
    specification: rfc(3339, '5.6'),
    parameters: value(dateTime, EVENING),
  },
  {
    name: 'int64',
    level: 'extended',
    title: 'An integer beyond the doubles keeps all its digits',
    specification: oas('data-type-format'),
    parameters: value(int64, BEYOND_DOUBLE),
  },
  {
    name: 'two',
    level: 'core',
    title: 'Two parameters are told apart by name, though they are listed in another order',
    specification: oas('path-templating'),
    rest: '/{second}/x/{first}',
    parameters: [inPath('first', text, 'blue'), inPath('second', text, 'black')],
  },
  {
    name: 'embedded',
    level: 'extended',
    title: 'A parameter that is a part of a segment',
    specification: oas('path-templating'),
    rest: '/report.{format}',
    parameters: [inPath('format', text, 'json')],
  },
  {
    name: 'allow-reserved',
    level: 'extended',
    title: 'Reserved characters and a triple in the path as they are',
    ...onlyIn32(
      'parameter-allow-reserved',
      "allows RFC3986's reserved character set, as well as percent-encoded triples, to pass through unchanged",
    ),
    parameters: [{ ...inPath('value', text, 'a%2Fb:c@d;e'), allowReserved: true }],
  },
]
