import { arrayOf, COLORS, type DeclaredCase, integer, oas, onlyIn32, rfc, text, UNTIL_31 } from './declare.ts'

export const COOKIE: readonly DeclaredCase[] = [
  {
    name: 'string',
    level: 'extended',
    title: 'A text in a cookie',
    specification: oas('style-examples'),
    parameters: [{ in: 'cookie', name: 'color', isRequired: true, schema: text, input: 'blue' }],
  },
  {
    name: 'two',
    level: 'extended',
    title: 'Two cookies, separated by a semicolon and a space',
    specification: rfc(6265, '4.2.1'),
    parameters: [
      { in: 'cookie', name: 'color', isRequired: true, schema: text, input: 'blue' },
      { in: 'cookie', name: 'size', isRequired: true, schema: integer, input: 3 },
    ],
  },
  {
    name: 'omitted',
    level: 'extended',
    title: 'An optional cookie that is not given does not arrive',
    specification: oas('common-fixed-fields'),
    parameters: [{ in: 'cookie', name: 'color', schema: text }],
  },
  {
    name: 'array',
    level: 'open',
    title: 'A list in a cookie',
    specification: oas('appendix-d-serializing-headers-and-cookies'),
    parameters: [
      { in: 'cookie', name: 'color', explode: false, isRequired: true, schema: arrayOf(text), input: COLORS },
    ],
    variants: [
      ['color=blue,black,brown', '^color=blue,black,brown$'],
      ['encoded commas', '^color=blue%2[Cc]black%2[Cc]brown$'],
      ['several', '^color=blue; ?color=black; ?color=brown$'],
      ['other', ''],
    ],
  },
  {
    name: 'encoded',
    level: 'open',
    versions: UNTIL_31,
    title: 'A space and a semicolon in a cookie',
    specification: oas('percent-encoding-and-cookies'),
    parameters: [{ in: 'cookie', name: 'color', isRequired: true, schema: text, input: 'a b;c' }],
    variants: [
      ['percent-encoded', '%3[Bb]'],
      ['quoted', '^color="'],
      ['raw', '^color=a b'],
      ['other', ''],
    ],
  },
  {
    name: 'raw',
    level: 'core',
    title: 'A text in a cookie, not encoded',
    ...onlyIn32('fixed-fields-for-use-with-schema', 'URI percent-encoding MUST NOT be applied'),
    parameters: [{ in: 'cookie', name: 'color', style: 'cookie', isRequired: true, schema: text, input: 'a%2Cb/+8==' }],
  },
  {
    name: 'raw-array',
    level: 'extended',
    title: 'A list as several cookies',
    ...onlyIn32('style-examples', 'color=blue; color=black; color=brown'),
    parameters: [
      { in: 'cookie', name: 'color', style: 'cookie', isRequired: true, schema: arrayOf(text), input: COLORS },
    ],
  },
  {
    name: 'raw-array-unexploded',
    level: 'extended',
    title: 'A list in one cookie',
    ...onlyIn32('style-examples', 'color=blue,black,brown'),
    parameters: [
      {
        in: 'cookie',
        name: 'color',
        style: 'cookie',
        explode: false,
        isRequired: true,
        schema: arrayOf(text),
        input: COLORS,
      },
    ],
  },
  {
    name: 'percent-encoded',
    level: 'extended',
    title: 'A text in a cookie, percent-encoded',
    ...onlyIn32(
      'percent-encoding-and-cookies',
      'If automatic percent-encoding is desired, `style: "form"` with a primitive value […] provides this behavior',
    ),
    parameters: [{ in: 'cookie', name: 'color', isRequired: true, schema: text, input: 'a b;c,d' }],
  },
]
