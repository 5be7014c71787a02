import {
  ALL_BYTES,
  arrayOf,
  type Body,
  BYTES_LIKE_A_BOUNDARY,
  binary,
  type CaseSchema,
  closed,
  type DeclaredCase,
  type Encoding,
  FALSY,
  falsy,
  integer,
  oas,
  onlyIn32,
  rfc,
  text,
  UNTIL_31,
  type Value,
} from './declare.ts'

function multipart(schema: CaseSchema, input: Value, encoding?: Readonly<Record<string, Encoding>>): Body {
  return { mediaType: 'multipart/form-data', schema, input, ...(encoding && { encoding }) }
}

/** @param bytes In base64 */
function file(name: string, bytes: string, type = 'application/octet-stream'): Value {
  return { $file: { name, type, bytes } }
}

const JSON_PART: Encoding = { contentType: 'application/json' }
const META: CaseSchema = { ...closed({ name: text }), name: 'Meta' }

/** A list with one item of each schema. */
function tupleOf(...prefixItems: readonly CaseSchema[]): CaseSchema {
  return { type: 'array', prefixItems, minItems: prefixItems.length, maxItems: prefixItems.length }
}

/** A picture of one pixel: 67 bytes. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNgAAAAAgAB5Sfe/AAAAABJRU5ErkJggg=='

const PARTS = oas('encoding-multipart-media-types')
const TYPES = oas('common-fixed-fields-0')
const FILES = oas('considerations-for-file-uploads')

export const MULTIPART: readonly DeclaredCase[] = [
  {
    name: 'text',
    level: 'core',
    title: 'Texts and a number as parts',
    specification: PARTS,
    body: multipart(closed({ name: text, count: integer, text }), { name: 'blue', count: 3, text: 'größe 火' }),
    wire: 'parts name, count, text',
  },
  {
    name: 'file',
    level: 'core',
    title: 'A file with every byte, with a file name',
    specification: FILES,
    body: multipart(closed({ file: binary }), { file: file('bytes.bin', BYTES_LIKE_A_BOUNDARY) }),
    wire: 'part file with these bytes',
  },
  {
    name: 'files',
    level: 'core',
    title: 'Two files: a part for each, with one name',
    specification: oas('example-multipart-form-with-multiple-files'),
    body: multipart(closed({ files: arrayOf(binary) }), {
      files: [file('first.bin', btoa('first')), file('second.bin', ALL_BYTES)],
    }),
    wire: 'two parts files',
  },
  {
    name: 'array',
    level: 'core',
    title: 'A list of texts: a part for each item',
    specification: PARTS,
    body: multipart(closed({ tags: arrayOf(text) }), { tags: ['a', 'b'] }),
    wire: 'two parts tags',
  },
  {
    name: 'object',
    level: 'core',
    title: 'An object is a part in JSON, with this Content-Type',
    specification: TYPES,
    body: multipart(closed({ color: closed({ R: integer }) }), { color: { R: 100 } }),
    wire: 'part color, application/json',
  },
  {
    name: 'json-array',
    level: 'extended',
    versions: UNTIL_31,
    title: 'A list that `encoding` makes parts in JSON, one for each item',
    specification: PARTS,
    body: multipart(closed({ tags: arrayOf(text) }), { tags: ['a', 'b'] }, { tags: JSON_PART }),
    wire: 'two parts tags, application/json',
  },
  {
    name: 'file-type',
    level: 'core',
    title: 'A file with the Content-Type that `encoding` names',
    specification: TYPES,
    body: multipart(
      closed({ image: { contentMediaType: 'image/png' } }),
      { image: file('pixel.png', PIXEL, 'image/png') },
      { image: { contentType: 'image/png' } },
    ),
    wire: 'part image, image/png',
  },
  {
    name: 'file-and-json',
    level: 'core',
    title: 'A file and an object',
    specification: PARTS,
    body: multipart(closed({ file: binary, meta: closed({ name: text }) }), {
      file: file('bytes.bin', ALL_BYTES),
      meta: { name: 'blue' },
    }),
    wire: 'both parts',
  },
  {
    name: 'part-header',
    level: 'extended',
    title: 'A part with a header of its own',
    specification: TYPES,
    body: multipart(
      closed({ file: binary }),
      { file: file('bytes.bin', ALL_BYTES) },
      { file: { headers: { 'X-Part': { schema: integer, input: '7' } } } },
    ),
    wire: 'part file with this header',
  },
  {
    name: 'omitted',
    level: 'core',
    title: 'An optional file that is not given is no part',
    specification: PARTS,
    body: multipart(closed({ name: text, file: binary }, ['file']), { name: 'blue' }),
    wire: 'no part file',
  },
  {
    name: 'empty-file',
    level: 'extended',
    title: 'A file without bytes is a part',
    specification: FILES,
    body: multipart(closed({ file: binary }), { file: file('empty.bin', '') }),
    wire: 'part file, empty',
  },
  {
    name: 'falsy',
    level: 'core',
    title: 'False, zero and the empty text are parts',
    specification: PARTS,
    body: multipart(falsy, FALSY),
    wire: 'three parts',
  },
  {
    name: 'file-name',
    level: 'open',
    title: 'A file name with characters beyond ASCII',
    specification: rfc(7578, '4.2'),
    body: multipart(closed({ file: binary }), { file: file('größe.txt', btoa('blue'), 'text/plain') }),
    variants: [
      ['filename*', 'filename\\*='],
      ['raw UTF-8', 'filename="?größe\\.txt'],
      ['percent-encoded', 'filename="?gr%[Cc]3%[Bb]6%[Cc]3%9[Ff]e\\.txt'],
      ['other', ''],
    ],
  },
  {
    name: 'json-items',
    level: 'extended',
    title: 'A list whose items are JSON: a part for each',
    ...onlyIn32(
      'encoding-by-name',
      'Array properties MUST be handled by […] one encoded value per array item, each with the same `name`',
    ),
    body: multipart(closed({ tags: arrayOf(text) }), { tags: ['a', 'b'] }, { tags: { ...JSON_PART, isByItem: true } }),
  },
  {
    name: 'mixed',
    level: 'extended',
    title: 'Parts by position',
    ...onlyIn32('encoding-by-position', 'modeled as an array, with one item per part, in order'),
    body: {
      mediaType: 'multipart/mixed',
      schema: { type: 'array', prefixItems: [META], items: text, minItems: 1, name: 'Value' },
      input: [{ name: 'blue' }, 'a,b', 'c,d'],
      prefixEncoding: [{}],
      itemEncoding: { contentType: 'text/csv' },
    },
  },
  {
    name: 'nested',
    level: 'extended',
    title: 'Parts in a part',
    ...onlyIn32(
      'nested-encoding',
      'Implementations MUST support one level of nesting, and MAY support additional levels',
    ),
    body: {
      mediaType: 'multipart/mixed',
      schema: { ...tupleOf(arrayOf(text), { ...tupleOf(META, text), name: 'Pair' }), name: 'Value' },
      input: [
        ['a', 'b'],
        [{ name: 'blue' }, 'c'],
      ],
      prefixEncoding: [{}, { contentType: 'multipart/mixed', prefixEncoding: [{}, {}] }],
    },
  },
]
