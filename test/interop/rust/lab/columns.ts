import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../journey.ts'
import type { Column } from '../../lab/column.ts'
import { type Command, folderOf } from '../../languages.ts'

const FOLDER = join(folderOf('rust'), 'lab')

/** A program of the workspace in this folder, once it is compiled. */
const program = (name: string) => join(folderOf('rust'), 'build', 'target', 'debug', name)

const compile = (name: string): Command => ['cargo', 'build', '--locked', '--quiet', '--package', name]

const BYTES = 'The client gives the bytes, and its user decodes them.'

/** What rustc says where progenitor writes a list or an object into a path or a header. */
const noText = (type: string) => `error[E0599]: the method \`to_string\` exists for reference \`&${type}\`, but …`

export const COLUMNS: readonly Column[] = [
  {
    name: 'progenitor',
    language: 'Rust',
    folder: 'rust',
    tool: 'progenitor',
    version: async () => {
      const lock = await readFile(join(FOLDER, 'Cargo.lock'), 'utf8')
      return String(/name = "progenitor-impl"\nversion = "(.+)"/.exec(lock)?.[1])
    },
    document: 'openapi-3.0.json',
    stops: [
      {
        cases: [
          'path/label-string',
          'path/label-array',
          'path/label-array-explode',
          'path/label-object',
          'path/label-object-explode',
        ],
        message: 'unsupported style of path parameter Label',
      },
      {
        cases: [
          'path/matrix-string',
          'path/matrix-array',
          'path/matrix-array-explode',
          'path/matrix-object',
          'path/matrix-object-explode',
        ],
        message: 'unsupported style of path parameter Matrix',
      },
      {
        cases: ['query/space-array', 'query/space-object'],
        message: 'unsupported style of query parameter SpaceDelimited',
      },
      {
        cases: ['query/pipe-array', 'query/pipe-object'],
        message: 'unsupported style of query parameter PipeDelimited',
      },
      {
        cases: ['query/deep-object', 'query/deep-nested'],
        message: 'unsupported style of query parameter DeepObject',
      },
      { cases: ['query/content-json'], message: 'unexpected content (of a parameter)' },
      { cases: ['query/same-name'], message: 'missing path name mapping id' },
      { cases: ['cookie/*'], message: 'cookie parameters are not supported' },
      {
        cases: ['form/array-unexploded', 'form/deep-object', 'form/space', 'form/pipe', 'form/json-array'],
        message: 'not yet implemented: media type encoding not empty',
      },
      { cases: ['multipart/*'], message: 'unexpected content type: multipart/form-data' },
      { cases: ['body/vendor-json'], message: 'unexpected content type: application/vnd.galaxy+json' },
      { cases: ['body/merge-patch'], message: 'unexpected content type: application/merge-patch+json' },
      { cases: ['xml/*'], message: 'unexpected content type: application/xml' },
      { cases: ['body/two-types'], message: 'not yet implemented: more media types than expected for bodyTwoTypes: 2' },
      {
        cases: ['response/two-successes', 'response/default'],
        message: 'assertion failed: response_types.len() <= 1',
      },
      {
        cases: ['path/simple-array', 'path/simple-array-explode', 'path/comma-item', 'header/array'],
        message: noText('Vec<String>'),
      },
      { cases: ['path/simple-object'], message: noText('PathSimpleObjectColor') },
      { cases: ['path/simple-object-explode'], message: noText('PathSimpleObjectExplodeColor') },
      { cases: ['header/object'], message: noText('HeaderObjectXColor') },
      { cases: ['header/object-explode'], message: noText('HeaderObjectExplodeXColor') },
      {
        cases: ['query/similar-names'],
        message: 'error[E0415]: identifier `user_id` is bound more than once in this parameter list',
      },
      { cases: ['body/similar-names'], message: 'error[E0124]: field `foo_bar` is already declared' },
    ],
    skip: {
      'response/text': BYTES,
      'response/vendor-json': BYTES,
      'response/xml': BYTES,
    },
    // It writes lists and objects in one way, whatever the document says.
    opposite: [],
    build: async (document, output) => {
      await run(compile('generator'), FOLDER)
      await run([program('generator'), document, output], FOLDER)
      await run(compile('driver'), FOLDER, { LAB_CLIENT: output })
      await copyFile(program('driver'), join(output, 'driver'))
    },
    command: (output) => ({ command: [join(output, 'driver')], cwd: output }),
  },
]
