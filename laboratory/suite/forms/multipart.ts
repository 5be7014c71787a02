import { showMultipart } from '../../bench/request.ts'
import { BOUNDARY, INNER_BOUNDARY } from '../../documents/request.ts'
import { ALL_BYTES } from '../declare.ts'
import { type FormsOfGroup, fail, info, nonStrict, typed } from './form.ts'

/** A part: its disposition after the name, other headers, and what it contains. */
function part(name: string, content: string, ...headers: readonly string[]): string {
  return partOf(`name="${name}"`, content, ...headers)
}

function partOf(disposition: string, content: string, ...headers: readonly string[]): string {
  const lines = [`Content-Disposition: form-data; ${disposition}`, ...headers]
  return `--${BOUNDARY}\n${lines.join('\n')}\n\n${content}\n`
}

const parts = (...written: readonly string[]) => ({ body: `${written.join('')}--${BOUNDARY}--\n` })

/** A part without a name. */
function item(type: string | null, content: string, boundary: string = BOUNDARY): string {
  return `--${boundary}\n${type === null ? '' : `Content-Type: ${type}\n`}\n${content}\n`
}

const PLAIN = 'Content-Type: text/plain'
const JSON_TYPE = 'application/json'
const JSON_PART = `Content-Type: ${JSON_TYPE}`
const BYTES = 'Content-Type: application/octet-stream'

const FILE = partOf(
  'name="file"; filename="bytes.bin"',
  showMultipart(Uint8Array.from(atob(ALL_BYTES), (one) => one.charCodeAt(0))),
  BYTES,
)

const URLENCODED = fail('another type', typed('application/x-www-form-urlencoded'))
const NO_BOUNDARY = fail('no boundary named', typed('multipart/form-data'))
const PRINTED = fail('bytes as Python prints them', parts(part('file', "b'\\x5cx00\\x5cx01\\x5cx02'", PLAIN)))

export const MULTIPART_FORMS: FormsOfGroup = {
  text: [
    fail(
      'a question mark for what Latin-1 lacks',
      parts(part('name', 'blue'), part('count', '3'), part('text', 'größe ?')),
    ),
    fail('a number as JSON', parts(part('name', 'blue'), part('count', '3', JSON_PART), part('text', 'größe 火'))),
    NO_BOUNDARY,
  ],
  file: [PRINTED, URLENCODED, NO_BOUNDARY],
  files: [
    fail('bytes as Python prints them', parts(part('files', "b'first'", PLAIN), part('files', "b'\\x5cx00'", PLAIN))),
    fail('an index after the name', parts(partOf('name="files[0]"; filename="first.bin"', 'first', BYTES))),
    NO_BOUNDARY,
  ],
  array: [
    fail('joined by a comma', parts(part('tags', 'a,b'))),
    fail('a list as JSON', parts(part('tags', '["a","b"]', JSON_PART))),
    NO_BOUNDARY,
  ],
  object: [
    fail('no Content-Type', parts(part('color', '{"R":100}'))),
    fail('an object as JavaScript prints it', parts(part('color', '[object Object]'))),
    URLENCODED,
  ],
  'json-array': [
    fail('no JSON', parts(part('tags', 'a'), part('tags', 'b'))),
    fail('labelled as text', parts(part('tags', 'a', PLAIN), part('tags', 'b', PLAIN))),
    URLENCODED,
  ],
  'file-type': [
    fail('an empty object', parts(partOf('name="image"; filename="blob"', '{}', JSON_PART))),
    fail('the name of a class', parts(part('image', 'os.File value'))),
    URLENCODED,
  ],
  'file-and-json': [fail('the object without its type', parts(FILE, part('meta', '{"name":"blue"}'))), NO_BOUNDARY],
  'part-header': [fail('the header left out', parts(FILE)), NO_BOUNDARY],
  omitted: [fail('an empty part', parts(part('name', 'blue'), part('file', ''))), NO_BOUNDARY],
  'empty-file': [
    nonStrict('no file name', parts(part('file', ''))),
    fail('bytes as Python prints them', parts(part('file', "b''", PLAIN))),
    fail('the part left out', parts()),
  ],
  falsy: [
    nonStrict('False with a capital', parts(part('flag', 'False'), part('count', '0'), part('text', ''))),
    fail('the empty text left out', parts(part('flag', 'false'), part('count', '0'))),
    URLENCODED,
  ],
  'file-name': [
    info('raw UTF-8', parts(partOf('name="file"; filename="größe.txt"', 'blue', PLAIN))),
    info('percent-encoded', parts(partOf('name="file"; filename="gr%C3%B6%C3%9Fe.txt"', 'blue', PLAIN))),
    info('filename*', parts(partOf('name="file"; filename*=UTF-8\'\'gr%C3%B6%C3%9Fe.txt', 'blue', PLAIN))),
  ],
  'json-items': [
    fail('one part with the list', parts(part('tags', '["a","b"]', JSON_PART))),
    fail('no quotes', parts(part('tags', 'a', JSON_PART), part('tags', 'b', JSON_PART))),
    fail('labelled as text', parts(part('tags', '"a"', PLAIN), part('tags', '"b"', PLAIN))),
  ],
  mixed: [
    fail('no types', parts(item(null, '{"name":"blue"}'), item(null, 'a,b'), item(null, 'c,d'))),
    fail('another order', parts(item('text/csv', 'a,b'), item('text/csv', 'c,d'), item(JSON_TYPE, '{"name":"blue"}'))),
    fail('labelled as a form', typed(`multipart/form-data; boundary=${BOUNDARY}`)),
  ],
  nested: [
    fail('the second part as JSON', parts(item(JSON_TYPE, '["a","b"]'), item(JSON_TYPE, '[{"name":"blue"},"c"]'))),
    fail(
      'one boundary for both',
      parts(
        item(JSON_TYPE, '["a","b"]'),
        `--${BOUNDARY}\nContent-Type: multipart/mixed; boundary=${BOUNDARY}\n\n`,
        item(JSON_TYPE, '{"name":"blue"}'),
        item(null, 'c'),
        `--${BOUNDARY}--\n`,
      ),
    ),
    fail(
      'the type of the object left out',
      parts(
        item(JSON_TYPE, '["a","b"]'),
        item(
          `multipart/mixed; boundary=${INNER_BOUNDARY}`,
          `${item(null, '{"name":"blue"}', INNER_BOUNDARY)}${item(null, 'c', INNER_BOUNDARY)}--${INNER_BOUNDARY}--`,
        ),
      ),
    ),
  ],
}
