import { mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { generateFrom, run } from '../../journey.ts'
import type { Column } from '../../lab/column.ts'
import { folderOf } from '../../languages.ts'
import { jarsOf, java, javac, versionOfJar } from '../../maven.ts'

const FOLDER = join(folderOf('java'), 'lab')
const COMMON = { language: 'Java', folder: 'java', document: 'openapi.json' } as const

const LISTS_IN_QUERY = ['query/form-array-explode', 'query/form-array', 'query/boolean-array', 'query/comma-item']

export const COLUMNS: readonly Column[] = [
  {
    ...COMMON,
    ...builtWith('native'),
    name: 'openapi-generator-java-native',
    tool: 'openapi-generator java, library native',
    skip: {},
    opposite: [...LISTS_IN_QUERY, 'query/form-object-explode', 'query/form-object'],
  },
  {
    ...COMMON,
    ...builtWith('okhttp-gson'),
    name: 'openapi-generator-java-okhttp-gson',
    tool: 'openapi-generator java, library okhttp-gson',
    skip: {},
    // Objects are written with toString.
    opposite: LISTS_IN_QUERY,
  },
]

/** @param library Of the generator. It has a folder of the same name here. */
function builtWith(library: string): Pick<Column, 'stops' | 'version' | 'build' | 'command'> {
  const message = 'javac: variable fooBar is already defined in class BodySimilarNamesValue'
  return {
    version: () => versionOfJar('generator', 'openapi-generator-cli'),
    stops: [{ cases: ['body/similar-names'], message }],
    build: async (document, output) => {
      await generateFrom(document, 'java', output, '--library', library)
      const classes = join(output, 'classes')
      await mkdir(classes)
      const driver = [join(FOLDER, 'Lab.java'), join(FOLDER, library, 'Library.java')]
      await run(await javac(classes, jarsOf('java'), [join(output, 'src', 'main', 'java')], driver), output)
    },
    command: (output) => ({
      command: java([join(output, 'classes'), jarsOf('java')].join(delimiter), 'Lab'),
      cwd: output,
      // Otherwise the names of files depend on the machine.
      env: { LC_ALL: 'C.UTF-8' },
    }),
  }
}
