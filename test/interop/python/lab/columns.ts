import { delimiter, join } from 'node:path'
import { generateFrom, run } from '../../journey.ts'
import type { Column } from '../../lab/column.ts'
import { folderOf } from '../../languages.ts'
import { versionOfJar } from '../../maven.ts'
import { versionOfRequirement } from '../../pip.ts'

const FOLDER = folderOf('python')
const PROGRAMS = join(FOLDER, 'build', 'venv', 'bin')
const env = { PATH: [PROGRAMS, process.env.PATH].join(delimiter), PYTHONDONTWRITEBYTECODE: '1' }

const COMMON = { language: 'Python', folder: 'python', document: 'openapi.json' } as const

const drive = (program: string) => (output: string) => ({
  command: ['python', join(FOLDER, 'lab', program)] as const,
  cwd: FOLDER,
  env: { ...env, PYTHONPATH: output },
})

export const COLUMNS: readonly Column[] = [
  {
    ...COMMON,
    name: 'openapi-python-client',
    tool: 'openapi-python-client',
    version: () => versionOfRequirement('python', 'openapi-python-client'),
    stops: [
      { cases: ['header/array'], message: 'list[str] is not allowed in header' },
      { cases: ['header/object'], message: 'HeaderObjectXColor is not allowed in header' },
      { cases: ['header/object-explode'], message: 'HeaderObjectExplodeXColor is not allowed in header' },
      { cases: ['header/date-time'], message: 'datetime.datetime is not allowed in header' },
      { cases: ['body/text', 'response/text'], message: 'Unsupported content type text/plain' },
      { cases: ['xml/*', 'response/xml'], message: 'Unsupported content type application/xml' },
    ],
    skip: {},
    // It writes lists and objects in one way, whatever the document says.
    opposite: [],
    build: async (document, output) => {
      const options = ['--meta', 'none', '--output-path', join(output, 'lab_client')]
      await run(['openapi-python-client', 'generate', '--path', document, ...options], output, env)
    },
    command: drive('with_openapi_python_client.py'),
  },
  {
    ...COMMON,
    name: 'openapi-generator-python',
    tool: 'openapi-generator python',
    version: () => versionOfJar('generator', 'openapi-generator-cli'),
    stops: [],
    skip: {},
    opposite: [
      'query/form-array-explode',
      'query/form-array',
      'query/boolean-array',
      'query/comma-item',
      'query/empty-array',
      'form/array-unexploded',
    ],
    build: (document, output) => generateFrom(document, 'python', output),
    command: drive('with_openapi_generator.py'),
  },
]
