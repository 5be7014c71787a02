import { mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { generateFrom, run } from '../../journey.ts'
import type { Column } from '../../lab/column.ts'
import { folderOf } from '../../languages.ts'
import { jarsOf, java, javac, kotlinc, versionOfJar } from '../../maven.ts'

// The driver is that of Java, which reads the catalogue with Gson.
const DRIVER = join(folderOf('java'), 'lab', 'Lab.java')
const GSON = join(folderOf('java'), 'build', `gson-${versionOfJar('java', 'gson')}.jar`)
const classPathOf = (output: string) => [join(output, 'classes'), jarsOf('kotlin'), GSON].join(delimiter)

export const COLUMNS: readonly Column[] = [
  {
    name: 'openapi-generator-kotlin',
    language: 'Kotlin',
    folder: 'kotlin',
    tool: 'openapi-generator kotlin, library jvm-okhttp4',
    version: () => versionOfJar('generator', 'openapi-generator-cli'),
    document: 'openapi.json',
    stops: [
      { cases: ['body/similar-names'], message: 'kotlinc: conflicting declarations: fooBar: Int' },
      { cases: ['header/array'], message: "kotlinc: HeaderApi.kt: unresolved reference 'collectionDelimiter'" },
    ],
    skip: {},
    // Objects have a pair for each member in any case.
    opposite: [
      'query/form-array-explode',
      'query/form-array',
      'query/boolean-array',
      'query/comma-item',
      'query/empty-array',
    ],
    build: async (document, output) => {
      await generateFrom(document, 'kotlin', output)
      const classes = join(output, 'classes')
      await mkdir(classes)
      const library = join(folderOf('kotlin'), 'lab', 'Library.kt')
      await run(kotlinc(classes, [join(output, 'src', 'main', 'kotlin'), library]), output)
      await run(await javac(classes, classPathOf(output), [], [DRIVER]), output)
    },
    command: (output) => ({
      command: java(classPathOf(output), 'Lab'),
      cwd: output,
      // Otherwise the names of files depend on the machine.
      env: { LC_ALL: 'C.UTF-8' },
    }),
  },
]
