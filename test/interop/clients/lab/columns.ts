import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { ROOT } from '../../../../scripts/lib/root.ts'
import { run } from '../../journey.ts'
import type { Column } from '../../lab/column.ts'
import { folderOf } from '../../languages.ts'

const FOLDER = folderOf('clients')

// The generators need TypeScript 5, so it comes before the TypeScript of the project.
const PATH = [join(FOLDER, 'node_modules/.bin'), join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter)

/** The version of a package in the lock file. */
const versionOf = (name: string) => async () => {
  const { packages } = JSON.parse(await readFile(join(FOLDER, 'package-lock.json'), 'utf8'))
  return String(packages[`node_modules/${name}`].version)
}

const COMMON = { language: 'TypeScript', folder: 'clients', document: 'openapi.json', stops: [] } as const

export const COLUMNS: readonly Column[] = [
  {
    ...COMMON,
    name: 'openapi-fetch',
    tool: 'openapi-fetch',
    version: versionOf('openapi-fetch'),
    skip: {
      'multipart/*': 'The user writes a bodySerializer that makes FormData.',
      'body/text': 'The user writes a bodySerializer for bodies that are no JSON and no form.',
      'body/bytes': 'The user writes a bodySerializer for bodies that are no JSON and no form.',
      'xml/*': 'The user writes a bodySerializer for bodies that are no JSON and no form.',
      'response/text': 'The user sets parseAs, and writes a bodySerializer for the report.',
      'response/bytes': 'The user sets parseAs, and writes a bodySerializer for the report.',
      'response/xml': 'The user sets parseAs, and reads XML.',
    },
    // It reads nothing of the document when it runs.
    opposite: [],
    build: async (document, output) => {
      const schema = join(output, 'schema.ts')
      await run(['openapi-typescript', document, '--read-write-markers', '-o', schema], FOLDER, { PATH })
    },
    command: () => ({ command: ['node', join(FOLDER, 'lab/drive-openapi-fetch.ts')], cwd: FOLDER }),
  },
  {
    ...COMMON,
    name: 'hey-api',
    tool: '@hey-api/openapi-ts',
    version: versionOf('@hey-api/openapi-ts'),
    skip: {
      'xml/*': 'It writes no XML.',
      'response/xml': 'It reads no XML.',
    },
    opposite: [
      'query/form-array-explode',
      'query/form-array',
      'query/boolean-array',
      'query/comma-item',
      'query/empty-array',
    ],
    build: async (document, output) => {
      await run(['openapi-ts', '--silent'], FOLDER, { PATH, DOCUMENT: document, OUTPUT: output })
    },
    command: (output) => ({
      command: ['node', join(FOLDER, 'lab/drive-hey-api.ts'), join(output, 'hey-api')],
      cwd: FOLDER,
    }),
  },
]
