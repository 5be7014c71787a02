// Forms (`multipart/form-data`) and multipart bodies, with what is read from them: by uploads, and by the laboratory.

/** What is read from a part: its texts, and its content with a character for each byte. */
export interface ReadPart {
  name: string
  filename?: string
  type?: string
  content: string
}

/** A form. Its texts have a character for each byte. */
export interface Form {
  form: string
  body: string
  contentType: string
  /** Or what is wrong with it, if it is malformed. */
  expected: readonly ReadPart[] | string
}

const FORM_TYPE = 'multipart/form-data; boundary=x'

/** A form with one part. */
const formOf = (head: string, content = 'hi') => `--x\r\n${head}\r\n\r\n${content}\r\n--x--\r\n`
export const disposed = (parameters: string, content?: string) =>
  formOf(`Content-Disposition: form-data${parameters}`, content)

const FILE = { name: 'image', filename: 'a.png', content: 'hi' }
const FIELD = { name: 'image', content: 'hi' }

type PartRow = readonly [form: string, text: string, part: ReadPart]

/** What clients really send. */
export const CLIENT_FORMS: readonly Form[] = (
  [
    [
      'a browser',
      'Content-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png',
      { ...FILE, type: 'image/png' },
    ],
    [
      'curl',
      'Content-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png',
      { ...FILE, type: 'image/png' },
    ],
    [".NET's HttpClient", "Content-Disposition: form-data; name=image; filename=a.png; filename*=utf-8''a.png", FILE],
    [
      ".NET's HttpClient, with a type",
      "Content-Type: image/png\r\nContent-Disposition: form-data; name=image; filename=a.png; filename*=utf-8''a.png",
      { ...FILE, type: 'image/png' },
    ],
    [
      ".NET's HttpClient, with a name in Unicode",
      'Content-Disposition: form-data; name=image; filename="=?utf-8?B?w6QucG5n?="; filename*=utf-8\'\'%C3%A4.png',
      { ...FILE, filename: '=?utf-8?B?w6QucG5n?=' },
    ],
    [
      ".NET's HttpClient, with a text",
      'Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=image',
      { ...FIELD, type: 'text/plain; charset=utf-8' },
    ],
    [
      'PowerShell',
      'Content-Disposition: form-data; name="image"; filename="a.png"; filename*=utf-8\'\'a.png\r\nContent-Type: application/octet-stream',
      { ...FILE, type: 'application/octet-stream' },
    ],
    [
      'Go',
      'Content-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: application/octet-stream',
      { ...FILE, type: 'application/octet-stream' },
    ],
    [
      "Apache's HttpClient",
      'Content-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: binary',
      { ...FILE, type: 'image/png' },
    ],
    [
      'OkHttp',
      'Content-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png\r\nContent-Length: 2',
      { ...FILE, type: 'image/png' },
    ],
  ] satisfies readonly PartRow[]
).map(([form, head, part]) => ({ form, body: formOf(head), contentType: FORM_TYPE, expected: [part] }))

/** Ways to write a Content-Disposition. */
export const DISPOSITION_FORMS: readonly Form[] = (
  [
    ['tokens', '; name=image; filename=a.png', FILE],
    ['texts in quotes', '; name="image"; filename="a.png"', FILE],
    ['another order', '; filename=a.png; name=image', FILE],
    ['another case', '; NAME=image; FileName=a.png', FILE],
    ['no white space', ';name=image;filename=a.png', FILE],
    ['white space', ' ;\t name = "image" ; filename = a.png ', FILE],
    ['a semicolon at the end', '; name=image; filename=a.png;', FILE],
    ['folded lines', ';\r\n name=image;\r\n\tfilename=a.png', FILE],
    ['an empty file name', '; name=image; filename=""', { ...FILE, filename: '' }],
    ['an empty name', '; name=""', { ...FIELD, name: '' }],
    ['filename* beside filename', "; name=image; filename*=utf-8''b.png; filename=a.png", FILE],
    ['filename* alone', "; name=image; filename*=utf-8''b.png", FIELD],
    ['other parameters', '; name=image; filename=a.png; size=2; creation-date="Wed, 12 Feb 1997 16:29:51 -0500"', FILE],
    ['separators in quotes', '; name="image"; filename="a;b=c, d.png"', { ...FILE, filename: 'a;b=c, d.png' }],
    [
      'escaped quotes and backslashes',
      '; name="image"; filename="a\\"b\\\\c.png"',
      { ...FILE, filename: 'a"b\\c.png' },
    ],
    [
      'a backslash that escapes nothing',
      '; name="image"; filename="C:\\dir\\a.png"',
      { ...FILE, filename: 'C:\\dir\\a.png' },
    ],
    ['what browsers encode', '; name="image"; filename="%22a%0d%0A%20%.png"', { ...FILE, filename: '"a\r\n%20%.png' }],
    ['UTF-8', '; name="image"; filename="\xE2\x98\x83.png"', { ...FILE, filename: '\u2603.png' }],
    ['bytes that are not UTF-8', '; name="image"; filename="\xFF.png"', { ...FILE, filename: '\uFFFD.png' }],
  ] satisfies readonly PartRow[]
).map(([form, parameters, part]) => ({ form, body: disposed(parameters), contentType: FORM_TYPE, expected: [part] }))

/** Ways to write the name of a field. */
export const FIELD_FORMS: readonly Form[] = [
  'CONTENT-DISPOSITION: FORM-DATA',
  'content-disposition:form-data',
  'Content-Disposition :  Form-Data ',
].map((field) => ({
  form: field,
  body: formOf(`${field}; name=image; filename=a.png`),
  contentType: FORM_TYPE,
  expected: [FILE],
}))

const NO_DISPOSITION = 'a part has no Content-Disposition with the type form-data'

export const MALFORMED_FORMS: readonly Form[] = (
  [
    ['has no Content-Disposition', formOf('Content-Type: image/png'), NO_DISPOSITION],
    ['has no field at all', '--x\r\n\r\nhi\r\n--x--', NO_DISPOSITION],
    ['is an attachment', formOf('Content-Disposition: attachment; name=image'), NO_DISPOSITION],
    ['has no name', disposed('; filename=a.png'), 'a part has no name'],
    ['has no parameters', disposed(''), 'a part has no name'],
    ['has a parameter without a semicolon', disposed(' name=a'), NO_DISPOSITION],
    [
      'has two Content-Dispositions',
      formOf('Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b'),
      'a part has more than one content-disposition',
    ],
    [
      'has two types',
      formOf('Content-Disposition: form-data; name=a\r\nContent-Type: a/b\r\nContent-Type: a/c'),
      'a part has more than one content-type',
    ],
    ...[
      '; name=a; name=b',
      '; name=a; NAME=b',
      '; name="a',
      '; name="a\\"',
      '; name="a"b',
      '; name',
      '; name=',
      '; =a',
      '; name=a;; filename=b',
    ].map(
      (parameters) =>
        [
          `has the parameters ${parameters}`,
          disposed(parameters),
          'a part has an invalid Content-Disposition',
        ] as const,
    ),
  ] satisfies readonly (readonly [form: string, body: string, reason: string])[]
).map(([form, body, expected]) => ({ form, body, contentType: FORM_TYPE, expected }))

/** Ways to name a boundary. */
export const BOUNDARY_FORMS: readonly Form[] = [
  ...['x', '"x"', ' "x" ', 'x; charset=utf-8'].map((boundary) => ({
    form: boundary,
    body: disposed('; name=image'),
    contentType: `Multipart/Form-Data; Boundary=${boundary}`,
    expected: [FIELD],
  })),
  {
    form: 'spaces and separators',
    body: disposed('; name=image').replaceAll('--x', "--a b;c='"),
    contentType: `multipart/form-data; boundary="a b;c='"`,
    expected: [FIELD],
  },
  ...['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary=""'].map(
    (contentType) => ({
      form: contentType,
      body: disposed('; name=image'),
      contentType,
      expected: 'its Content-Type must name a boundary of 1 to 70 characters',
    }),
  ),
]

const HEAD = 'Content-Disposition: form-data; name=a\r\n\r\n'
const NESTED = 'Content-Type: multipart/mixed; boundary=y\r\n'

export const REPEATED_FORM: Form = {
  form: 'repeated names, empty contents and nested bodies',
  body: `--x\r\n${HEAD}1\r\n--x\r\n${HEAD}\r\n--x\r\n${NESTED}${HEAD}--y\r\n\r\nin\r\n--y--\r\n--x--`,
  contentType: FORM_TYPE,
  expected: [
    { name: 'a', content: '1' },
    { name: 'a', content: '' },
    { name: 'a', type: 'multipart/mixed; boundary=y', content: '--y\r\n\r\nin\r\n--y--' },
  ],
}

/** A part of a multipart body of any type. */
export interface RawPart {
  fields: readonly (readonly [name: string, value: string])[]
  content: string
}

const HELLO: RawPart = { fields: [], content: 'hello' }
export const UNFINISHED = 'its last delimiter is missing'
const INVALID_FIELD = 'a part has an invalid header field'

/** What is read from a body with the boundary `x`. */
export const MULTIPART_BODIES: readonly (readonly [name: string, body: string, expected: RawPart[] | string])[] = [
  ['a part without fields', '--x\r\n\r\nhello\r\n--x--\r\n', [HELLO]],
  ['no line end at the end', '--x\r\n\r\nhello\r\n--x--', [HELLO]],
  ['two parts', '--x\r\n\r\nhello\r\n--x\r\n\r\nhello\r\n--x--', [HELLO, HELLO]],
  ['no part', '--x--\r\n', []],
  [
    'fields',
    '--x\r\nA: b\r\nC-d:e  \r\n\r\nhello\r\n--x--',
    [
      {
        ...HELLO,
        fields: [
          ['a', 'b'],
          ['c-d', 'e'],
        ],
      },
    ],
  ],
  [
    'a repeated field',
    '--x\r\nA: b\r\na: c\r\n\r\nhello\r\n--x--',
    [
      {
        ...HELLO,
        fields: [
          ['a', 'b'],
          ['a', 'c'],
        ],
      },
    ],
  ],
  ['a folded field', '--x\r\nA: b;\r\n c;\r\n\td\r\n\r\nhello\r\n--x--', [{ ...HELLO, fields: [['a', 'b; c;\td']] }]],
  ['a field in UTF-8', '--x\r\nA: \xE2\x98\x83\r\n\r\nhello\r\n--x--', [{ ...HELLO, fields: [['a', '\u2603']] }]],
  ['white space after delimiters', '--x \t \r\n\r\nhello\r\n--x  \r\n\r\nhello\r\n--x-- \t\r\n', [HELLO, HELLO]],
  ['a preamble', 'not a part\r\n--xy\r\n--x\r\n\r\nhello\r\n--x--', [HELLO]],
  ['an empty line before the first delimiter', '\r\n--x\r\n\r\nhello\r\n--x--', [HELLO]],
  ['a delimiter within a line is none', 'a--x\r\n--x\r\n\r\nb--x--\r\n--x--', [{ fields: [], content: 'b--x--' }]],
  ['an epilogue', '--x\r\n\r\nhello\r\n--x--\r\nmore\r\n--x\r\n\r\nno part\r\n--x--', [HELLO]],
  ['no content', '--x\r\n\r\n\r\n--x--', [{ fields: [], content: '' }]],
  ['neither content nor an empty line', '--x\r\nA: b\r\n--x--', [{ fields: [['a', 'b']], content: '' }]],
  ['neither content nor fields', '--x\r\n\r\n--x--', [{ fields: [], content: '' }]],
  [
    'line ends in the content',
    '--x\r\n\r\n\r\n\r\r\n\n--\r\n-\r\n\r\n--x--',
    [{ fields: [], content: '\r\n\r\r\n\n--\r\n-\r\n' }],
  ],
  [
    'a line that begins like a delimiter',
    '--x\r\n\r\na\r\n--xy\r\n--x-\r\n--x \r\r\n--x y\r\nb\r\n--x--',
    [{ fields: [], content: 'a\r\n--xy\r\n--x-\r\n--x \r\r\n--x y\r\nb' }],
  ],
  [
    'a multipart body whose boundary begins like the outer one',
    '--x\r\nContent-Type: multipart/mixed; boundary=xx\r\n\r\n--xx\r\n\r\nin\r\n--xx--\r\n\r\n--x--',
    [
      {
        fields: [['content-type', 'multipart/mixed; boundary=xx']],
        content: '--xx\r\n\r\nin\r\n--xx--\r\n',
      },
    ],
  ],
  ['nothing', '', UNFINISHED],
  ['no delimiter', 'hello', UNFINISHED],
  ['another boundary', '--y\r\n\r\nhello\r\n--y--', UNFINISHED],
  ['a body that ends in the fields', '--x\r\nA: b', UNFINISHED],
  ['a body that ends in the content', '--x\r\n\r\nhel', UNFINISHED],
  ['a body that ends in a delimiter', '--x\r\n\r\nhello\r\n--x', UNFINISHED],
  ['a body that ends in its last delimiter', '--x\r\n\r\nhello\r\n--x-', UNFINISHED],
  ['a body that ends before its last delimiter', '--x\r\n\r\nhello\r\n--x\r\n', UNFINISHED],
  ['lines that end with LF alone', '--x\n\nhello\n--x--\n', UNFINISHED],
  ['a field that ends with LF alone', '--x\r\nA: b\nC: d\r\n\r\nhello\r\n--x--', INVALID_FIELD],
  ['a field with CR', '--x\r\nA: b\rc\r\n\r\nhello\r\n--x--', INVALID_FIELD],
  ['a field with NUL', '--x\r\nA: b\0c\r\n\r\nhello\r\n--x--', INVALID_FIELD],
  ['a line of the fields without a colon', '--x\r\nA: b\r\nhello\r\n\r\nhello\r\n--x--', INVALID_FIELD],
  ['a field without a name', '--x\r\n: b\r\n\r\nhello\r\n--x--', INVALID_FIELD],
  ['a folded line without a field', '--x\r\n b\r\n\r\nhello\r\n--x--', INVALID_FIELD],
]

/** Boundaries that are accepted, and that are not. */
export const ACCEPTED_BOUNDARIES = ['a', "0'()+_,-./:=? z", 'a'.repeat(70), '+*', '----=_Part_1.2']
export const REFUSED_BOUNDARIES = ['', 'a ', 'a\r\nb', 'ü', 'a'.repeat(71)]
