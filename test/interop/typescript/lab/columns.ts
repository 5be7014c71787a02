import { join } from 'node:path'
import { generateFrom, run } from '../../journey.ts'
import type { Column } from '../../lab/column.ts'
import { folderOf } from '../../languages.ts'
import { versionOfJar } from '../../maven.ts'
import { versionOfPackage } from '../../npm.ts'

const FOLDER = folderOf('typescript')

const generatorVersion = () => versionOfJar('generator', 'openapi-generator-cli')

/** What both write as a list with one name or with several, by `explode`. */
const LISTS = [
  'query/form-array-explode',
  'query/form-array',
  'query/boolean-array',
  'query/comma-item',
  'form/array-unexploded',
]

export const COLUMNS: readonly Column[] = [
  {
    ...byGenerator('typescript-fetch', 'drive-fetch.ts'),
    stops: [{ cases: ['body/similar-names'], message: "tsc: Duplicate identifier 'fooBar'." }],
    opposite: LISTS,
  },
  {
    ...byGenerator('typescript-axios', 'drive-axios.ts', '--lib', 'es2022,dom'),
    version: async () => `${generatorVersion()}, axios ${await versionOfPackage('typescript', 'axios')}`,
    stops: [
      {
        cases: ['form/json-array'],
        message: "tsc: Argument of type 'Blob' is not assignable to parameter of type 'string'.",
      },
    ],
    opposite: [...LISTS, 'query/empty-array', 'query/form-object-explode', 'query/form-object'],
  },
]

/**
 * @param driver File of the driver
 * @param options Of the compiler, beside those that the generator writes. It writes for axios a library without
 *   `Object.entries`, and calls it
 */
function byGenerator(name: string, driver: string, ...options: string[]): Omit<Column, 'stops' | 'opposite'> {
  return {
    name: `openapi-generator-${name}`,
    language: 'TypeScript',
    folder: 'typescript',
    tool: `openapi-generator ${name}`,
    version: generatorVersion,
    document: 'openapi.json',
    skip: {},
    build: async (document, output) => {
      // With the name of a package, it writes what builds this package.
      await generateFrom(document, name, output, '--additional-properties', 'npmName=lab')
      await run([join(FOLDER, 'node_modules/.bin/tsc'), '--project', output, ...options], FOLDER)
    },
    command: (output) => ({ command: ['node', join(FOLDER, 'lab', driver), output], cwd: FOLDER }),
  }
}
