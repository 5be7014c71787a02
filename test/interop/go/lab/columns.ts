import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { generateFrom } from '../../journey.ts'
import type { Column, Stop } from '../../lab/column.ts'
import { folderOf } from '../../languages.ts'
import { versionOfJar } from '../../maven.ts'
import { go } from '../go.ts'

const FOLDER = folderOf('go')

/** The version of a module in go.mod. */
const versionOf = (module: string) => async () => {
  const lines = (await readFile(join(FOLDER, 'go.mod'), 'utf8')).split(/\s*\n\s*/)
  return String(
    lines
      .find((line) => line.startsWith(`${module} v`))
      ?.split(' v')[1]
      ?.split(' ')[0],
  )
}

/**
 * Builds the client of a generator with its driver.
 *
 * @param driver The folder of the driver
 * @param generate Writes the package `client` to the folder
 */
const builtBy =
  (driver: string, generate: (document: string, folder: string) => Promise<unknown>) =>
  async (document: string, output: string) => {
    const folder = join(output, 'client')
    await mkdir(folder)
    await generate(document, folder)
    const source = await readFile(join(FOLDER, 'lab', driver, 'main.go'), 'utf8')
    const name = `build/lab/${basename(output)}`
    await writeFile(join(output, 'main.go'), source.replace(/build\/lab\/[^/]+/, name))
    await go('build', `-o=${join(output, 'drive')}`, `./${name}`)
  }

const COMMON = {
  language: 'Go',
  folder: 'go',
  document: 'openapi.json',
  command: (output: string) => ({ command: [join(output, 'drive')] as const, cwd: output }),
} as const

const XML_UNSUPPORTED = 'Content type "application/xml" is unsupported.'

/** What stops ogen, in OpenAPI 3.1 and 3.2. */
const STOPS_OF_OGEN: readonly Stop[] = [
  {
    cases: ['query/space-object'],
    message: 'invalid schema.type:style:explode combination: ("object":"spaceDelimited":false)',
  },
  {
    cases: ['query/pipe-object'],
    message: 'invalid schema.type:style:explode combination: ("object":"pipeDelimited":false)',
  },
  {
    cases: ['query/deep-nested'],
    message: 'Feature "nested objects in form parameters" is not implemented yet.',
  },
  { cases: ['multipart/file-type'], message: 'Feature "form content encoding" is not implemented yet.' },
  { cases: ['body/any-of'], message: 'Feature "complex anyOf" is not implemented yet.' },
  { cases: ['body/similar-names'], message: 'conflict: field "FooBar" already defined by property "fooBar"' },
  { cases: ['xml/*', 'response/xml'], message: XML_UNSUPPORTED },
]

const OGEN: Omit<Column, 'name' | 'stops'> = {
  ...COMMON,
  tool: 'ogen',
  version: versionOf('github.com/ogen-go/ogen'),
  skip: {},
  // It goes through a map.
  unsteady: ['multipart/file-and-json', 'multipart/omitted'],
  opposite: [
    'path/simple-object',
    'path/simple-object-explode',
    'path/label-array',
    'path/label-array-explode',
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
    'cookie/array',
    'form/array-unexploded',
  ],
  oppositeStops: ['cookie/array'],
  build: builtBy('ogen', async (document, folder) => {
    const settings = join(FOLDER, 'lab', 'ogen', 'ogen.yml')
    await go('tool', 'ogen', `-config=${settings}`, '-package=client', `-target=${folder}`, document)
  }),
}

const READ_BY_USER = 'It returns the body as an io.Reader, which the user reads.'

export const COLUMNS: readonly Column[] = [
  {
    ...COMMON,
    name: 'oapi-codegen',
    tool: 'oapi-codegen',
    version: versionOf('github.com/oapi-codegen/oapi-codegen/v2'),
    stops: [
      { cases: ['query/same-name'], message: 'The compiler: Id redeclared' },
      { cases: ['query/similar-names'], message: 'The compiler: UserId redeclared' },
      { cases: ['body/similar-names'], message: 'The compiler: FooBar redeclared' },
    ],
    skip: {
      'multipart/*': 'It takes the body as an io.Reader, which the user writes.',
      'xml/*': 'It takes the body as an io.Reader, which the user writes.',
    },
    opposite: [
      'path/simple-object',
      'path/simple-object-explode',
      'path/label-array',
      'path/label-array-explode',
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
      'header/object',
      'header/object-explode',
    ],
    build: builtBy('oapi_codegen', async (document, folder) => {
      const parts = ['-generate=types,client,skip-prune', '-package=client', `-o=${join(folder, 'client.go')}`]
      await go('tool', 'oapi-codegen', ...parts, document)
    }),
  },
  { ...OGEN, name: 'ogen', stops: STOPS_OF_OGEN },
  {
    ...COMMON,
    name: 'openapi-generator-go',
    tool: 'openapi-generator go',
    version: () => versionOfJar('generator', 'openapi-generator-cli'),
    stops: [{ cases: ['body/similar-names'], message: 'The compiler: FooBar redeclared' }],
    skip: {},
    // It prints the addresses of pointers, and goes through maps.
    unsteady: ['path/simple-array', 'header/object', 'header/object-explode'],
    opposite: [
      'query/form-array-explode',
      'query/form-array',
      'query/boolean-array',
      'query/comma-item',
      'form/array-unexploded',
    ],
    build: builtBy('openapi_generator', async (document, folder) => {
      const properties = 'packageName=client,withGoMod=false,enumClassPrefix=true'
      await generateFrom(document, 'go', folder, `--additional-properties=${properties}`)
    }),
  },
  {
    ...OGEN,
    name: 'ogen-3-2',
    document: 'openapi-3.2.json',
    stops: [
      ...STOPS_OF_OGEN,
      {
        cases: ['query/querystring-form', 'query/querystring-json'],
        message: 'unknown parameter location "querystring"',
      },
      {
        cases: ['cookie/raw', 'cookie/raw-array', 'cookie/raw-array-unexploded'],
        message: 'invalid style explode combination "cookie", explode:false',
      },
      { cases: ['multipart/mixed', 'multipart/nested'], message: 'Content type "multipart/mixed" is unsupported.' },
      {
        cases: ['body/self-reference'],
        message:
          '$ref: resolve "openapi-3.2#/components/schemas/BodySelfReferenceValue": external references are disabled',
      },
    ],
    skip: {
      'body/jsonl': 'It takes the body as an io.Reader, which the user writes.',
      'response/events': READ_BY_USER,
      'response/events-json': READ_BY_USER,
      'response/jsonl': READ_BY_USER,
      'response/json-seq': READ_BY_USER,
      'response/multipart-mixed': READ_BY_USER,
    },
  },
]
