import { copyFile, writeFile } from 'node:fs/promises'
import { delimiter, join, relative } from 'node:path'
import { ROOT } from '../../../../scripts/lib/root.ts'
import { run } from '../../journey.ts'
import type { Column, Stop } from '../../lab/column.ts'
import { folderOf } from '../../languages.ts'
import { versionOfPackage } from '../../npm.ts'

const FOLDER = folderOf('clients')

// The generators need TypeScript 5, so it comes before the TypeScript of the project.
const PATH = [join(FOLDER, 'node_modules/.bin'), join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter)

/** Of a package of the folder. */
const versionOf = (name: string) => () => versionOfPackage('clients', name)

/** Checks the types of a generated client. */
async function checkTypes(output: string): Promise<void> {
  const project = { extends: '../../../tsconfig.json', include: ['**/*.ts'] }
  await writeFile(join(output, 'tsconfig.json'), JSON.stringify(project))
  await run([join(ROOT, 'node_modules/.bin/tsc'), '--project', output], FOLDER)
}

/**
 * Stops of the compiler at parameters in headers.
 *
 * @param wanted The type that is wanted
 * @param given The type that each case gives
 */
function headersThatStop(wanted: string, given: Readonly<Record<string, string>>): Stop[] {
  return Object.entries(given).map(([id, type]) => ({
    cases: [id],
    message: `tsc: Type '${type}' is not assignable to type '${wanted}'.`,
  }))
}

const COMMON = { language: 'TypeScript', folder: 'clients', document: 'openapi.json', stops: [] } as const

/** What openapi-fetch leaves to its user, in OpenAPI 3.1 and 3.2. */
const SKIPPED_BY_OPENAPI_FETCH = {
  'multipart/*': 'The user writes a bodySerializer that makes FormData.',
  'body/text': 'The user writes a bodySerializer for bodies that are no JSON and no form.',
  'body/bytes': 'The user writes a bodySerializer for bodies that are no JSON and no form.',
  'xml/*': 'The user writes a bodySerializer for bodies that are no JSON and no form.',
  'response/text': 'The user sets parseAs, and writes a bodySerializer for the report.',
  'response/bytes': 'The user sets parseAs, and writes a bodySerializer for the report.',
  'response/xml': 'The user sets parseAs, and reads XML.',
}

const OPENAPI_FETCH: Omit<Column, 'name'> = {
  ...COMMON,
  tool: 'openapi-fetch',
  version: versionOf('openapi-fetch'),
  skip: SKIPPED_BY_OPENAPI_FETCH,
  // It reads nothing of the document when it runs.
  opposite: [],
  build: async (document, output) => {
    const schema = join(output, 'schema.ts')
    await run(['openapi-typescript', document, '--read-write-markers', '-o', schema], FOLDER, { PATH })
    await checkTypes(output)
  },
  command: (output) => ({
    command: ['node', join(FOLDER, 'lab/drive-openapi-fetch.ts'), join(output, 'schema.ts')],
    cwd: FOLDER,
  }),
}

const HEY_API: Omit<Column, 'name'> = {
  ...COMMON,
  tool: '@hey-api/openapi-ts',
  version: versionOf('@hey-api/openapi-ts'),
  skip: {},
  opposite: [
    'query/form-array-explode',
    'query/form-array',
    'query/boolean-array',
    'query/comma-item',
    'query/empty-array',
  ],
  build: async (document, output) => {
    await run(['openapi-ts', '--silent'], FOLDER, { PATH, DOCUMENT: document, OUTPUT: output })
    await checkTypes(output)
  },
  command: (output) => ({
    command: ['node', join(FOLDER, 'lab/drive-hey-api.ts'), join(output, 'hey-api')],
    cwd: FOLDER,
  }),
}

const PARSED_BY_USER = 'The user sets parseAs, and reads the items.'

export const COLUMNS: readonly Column[] = [
  { ...OPENAPI_FETCH, name: 'openapi-fetch' },
  { ...HEY_API, name: 'hey-api' },
  {
    ...COMMON,
    name: 'orval',
    tool: 'orval, client fetch',
    version: versionOf('orval'),
    stops: [
      ...headersThatStop('HeadersInit | undefined', {
        'query/same-name': '{ id: number; }',
        'header/array': "{ 'X-Color': string[]; }",
        'header/object': "{ 'X-Color': HeaderObjectXColor; }",
        'header/object-explode': "{ 'X-Color': HeaderObjectExplodeXColor; }",
        'header/integer': "{ 'X-Count': number; }",
      }),
      { cases: ['response/xml'], message: "tsc: Type 'string' is not assignable to type 'ResponseXmlValue'." },
    ],
    skip: {},
    opposite: [
      'query/form-array-explode',
      'query/form-array',
      'query/boolean-array',
      'query/comma-item',
      'query/empty-array',
    ],
    build: async (document, output) => {
      const env = { PATH, DOCUMENT: document, OUTPUT: output }
      await run(['orval', '--quiet', '--config', 'lab/orval.config.ts'], FOLDER, env)
      await checkTypes(output)
    },
    command: (output) => ({
      command: ['node', join(FOLDER, 'lab/drive-functions.ts'), join(output, 'client.ts')],
      cwd: FOLDER,
    }),
  },
  {
    ...COMMON,
    ...byKubb('axios'),
    name: 'kubb',
    tool: '@kubb/plugin-client, client axios',
    stops: headersThatStop('AxiosHeaders | (Partial<RawAxiosHeaders …', {
      'header/object': '{ "X-Color": HeaderObjectXColor; }',
      'header/object-explode': '{ "X-Color": HeaderObjectExplodeXColor; }',
    }),
  },
  {
    ...COMMON,
    ...byKubb('fetch'),
    name: 'kubb-fetch',
    tool: '@kubb/plugin-client, client fetch',
    stops: headersThatStop('[string, string][] | Record<string, string> | undefined', {
      'query/same-name': '{ id: number; }',
      'header/array': '{ "X-Color": string[]; }',
      'header/object': '{ "X-Color": HeaderObjectXColor; }',
      'header/object-explode': '{ "X-Color": HeaderObjectExplodeXColor; }',
      'header/integer': '{ "X-Count": number; }',
    }),
  },
  {
    ...COMMON,
    name: 'swagger-client',
    tool: 'swagger-client',
    version: versionOf('swagger-client'),
    skip: {},
    opposite: [
      'path/simple-object',
      'path/simple-object-explode',
      // It writes dots between the items of a label, whatever `explode` is.
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
    // It reads the document when it runs.
    build: (document, output) => copyFile(document, join(output, 'openapi.json')),
    command: (output) => ({
      command: ['node', join(FOLDER, 'lab/drive-swagger-client.ts'), join(output, 'openapi.json')],
      cwd: FOLDER,
    }),
  },
  {
    ...OPENAPI_FETCH,
    name: 'openapi-fetch-3-2',
    document: 'openapi-3.2.json',
    stops: [
      {
        cases: ['body/self-reference'],
        message: "Can't resolve $ref: ENOENT: no such file or directory 'openapi-3.2'",
      },
    ],
    skip: {
      ...SKIPPED_BY_OPENAPI_FETCH,
      'body/jsonl': 'The user writes a bodySerializer for bodies that are no JSON and no form.',
      'response/events': PARSED_BY_USER,
      'response/events-json': PARSED_BY_USER,
      'response/jsonl': PARSED_BY_USER,
      'response/json-seq': PARSED_BY_USER,
      'response/multipart-mixed': PARSED_BY_USER,
    },
  },
  {
    ...HEY_API,
    name: 'hey-api-3-2',
    document: 'openapi-3.2.json',
    stops: [{ cases: ['body/self-reference'], message: 'Input file not found: openapi-3.2' }],
  },
]

/** @param client What sends requests. axios is the default of kubb */
function byKubb(client: 'axios' | 'fetch'): Pick<Column, 'version' | 'skip' | 'opposite' | 'build' | 'command'> {
  const version = versionOf('@kubb/plugin-client')
  return {
    version: client === 'axios' ? async () => `${await version()}, axios ${await versionOf('axios')()}` : version,
    skip: {},
    // It does not read `explode`.
    opposite: [],
    build: async (document, output) => {
      // It takes no absolute path for its output.
      const env = { PATH, DOCUMENT: document, OUTPUT: relative(FOLDER, output), CLIENT: client }
      await run(['kubb', 'generate', '--silent', '--config', 'lab/kubb.config.ts'], FOLDER, env)
      await checkTypes(output)
    },
    command: (output) => ({
      command: ['node', join(FOLDER, 'lab/drive-functions.ts'), join(output, 'index.ts')],
      cwd: FOLDER,
    }),
  }
}
