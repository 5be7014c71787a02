import { copyFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { run } from '../../journey.ts'
import type { Column } from '../../lab/column.ts'
import { folderOf } from '../../languages.ts'
import { versionOfPackage } from '../../npm.ts'
import { versionOfRequirement } from '../../pip.ts'

// Importers send the examples of the document. They need no driver.

const FOLDER = folderOf('importers')
const PATH = [
  join(FOLDER, 'node_modules/.bin'),
  join(folderOf('tools'), 'node_modules/.bin'),
  join(FOLDER, 'build/venv/bin'),
  process.env.PATH,
].join(delimiter)

/** A command of the shell. What it prints is for people. Requests that fail end it with 1. */
const send = (command: string, cwd: string) => ({
  command: ['sh', '-c', `${command} >&2; test $? -le 1`] as const,
  cwd,
  env: { PATH },
})

const COMMON = { language: 'Importer', folder: 'importers', document: 'openapi.json', stops: [] } as const

const FILE = 'The document has no example of a file: its user chooses one.'

const SKIP = {
  'response/*': 'An importer sends examples, and nothing that it has read.',
  'multipart/file': FILE,
  'multipart/files': FILE,
  'multipart/file-type': FILE,
  'multipart/file-and-json': FILE,
  'multipart/part-header': FILE,
  'multipart/file-name': FILE,
  'body/bytes': FILE,
}

const NO_EXAMPLE = 'It calls only operations of which the document has an example.'

/** What an importer that reads `explode` writes in another way. */
const EXPLODE = [
  'path/simple-object',
  'path/simple-object-explode',
  'path/label-object',
  'path/label-object-explode',
  'path/matrix-array',
  'path/matrix-array-explode',
  'path/matrix-object',
  'path/matrix-object-explode',
  'query/form-array-explode',
  'query/form-array',
  'query/form-object-explode',
  'query/form-object',
  'query/boolean-array',
  'query/comma-item',
  'query/empty-array',
  'header/object',
  'header/object-explode',
  'form/array-unexploded',
]

export const COLUMNS: readonly Column[] = [
  {
    ...COMMON,
    name: 'postman',
    tool: 'openapi-to-postmanv2 with newman',
    version: async () => {
      const converter = await versionOfPackage('tools', 'openapi-to-postmanv2')
      return `${converter} with newman ${await versionOfPackage('importers', 'newman')}`
    },
    skip: SKIP,
    opposite: EXPLODE,
    build: async (document, output) => {
      // By default it sends the types of parameters, such as `<string>`, and those that are optional too.
      const options = 'parametersResolution=Example,enableOptionalParameters=false'
      await run(['openapi2postmanv2', '-s', document, '-o', join(output, 'lab.json'), '-O', options], output, { PATH })
    },
    command: (output) => send('newman run lab.json --env-var "baseUrl=$LAB_URL"', output),
  },
  {
    ...COMMON,
    name: 'bruno',
    tool: 'Bruno CLI',
    version: () => versionOfPackage('importers', '@usebruno/cli'),
    skip: SKIP,
    // It writes lists and objects in one way, whatever the document says.
    opposite: [],
    build: async (document, output) => {
      await run(['bru', 'import', 'openapi', '-s', document, '-o', output, '-n', 'lab'], output, { PATH })
    },
    command: (output) => send('bru run -r --noproxy --env-var "baseUrl=$LAB_URL"', join(output, 'lab')),
  },
  {
    ...COMMON,
    name: 'schemathesis',
    tool: 'schemathesis, phase examples',
    version: () => versionOfRequirement('importers', 'schemathesis'),
    // This example is in `content`.
    stops: [{ cases: ['query/content-json'], message: 'No examples in schema' }],
    skip: {
      ...SKIP,
      'query/omitted': NO_EXAMPLE,
      'query/default': NO_EXAMPLE,
      'header/omitted': NO_EXAMPLE,
      'cookie/omitted': NO_EXAMPLE,
      'form/null': NO_EXAMPLE,
      'body/no-body': NO_EXAMPLE,
      'redirect/301-get': NO_EXAMPLE,
      'redirect/relative': NO_EXAMPLE,
      'retry/after-seconds': NO_EXAMPLE,
      'retry/after-date': NO_EXAMPLE,
      'retry/limit-429': NO_EXAMPLE,
      'retry/not-400': NO_EXAMPLE,
      'retry/post-once': 'It tests servers, so it sends what failed again, to be sure.',
    },
    opposite: [...EXPLODE, 'path/label-array', 'path/label-array-explode'],
    build: async (document, output) => {
      await copyFile(document, join(output, 'openapi.json'))
    },
    command: (output) => send('schemathesis run openapi.json --phases examples --seed 1 --url "$LAB_URL"', output),
  },
]
