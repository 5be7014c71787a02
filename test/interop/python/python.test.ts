import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../../scripts/lib/root.ts'
import { codesOf, sectionOf } from '../../service/documentation.ts'
import {
  describeLanguage,
  documentFile,
  makeBuildFolder,
  makeJourney,
  openapiGenerator,
  run,
  STEPS,
  serviceUrl,
} from '../journey.ts'
import { folderOf } from '../languages.ts'

const folder = folderOf('python')
const programs = join(folder, 'build', 'venv', 'bin')
const python = join(programs, 'python')
const env = { PATH: `${programs}:${process.env.PATH}`, PYTHONDONTWRITEBYTECODE: '1' }

interface Generator {
  /** Writes the client. */
  generate: (output: string) => Promise<unknown>
  /** The program that makes the journey. */
  journey: string
  /** What is type-checked besides that program and what it imports. */
  types?: string[]
}

const GENERATORS: Readonly<Record<string, Generator>> = {
  'openapi-generator': {
    generate: (output) => openapiGenerator('python', output),
    journey: 'with_openapi_generator',
  },
  'openapi-python-client': {
    generate: (output) =>
      run(
        [
          ...(['openapi-python-client', 'generate', '--path', documentFile()] as const),
          ...['--meta', 'none', '--config', join(folder, 'openapi-python-client.yml')],
          ...['--output-path', join(output, 'galaxy_client')],
        ],
        output,
        env,
      ),
    journey: 'with_openapi_python_client',
    types: ['-p', 'galaxy_client'],
  },
  'datamodel-code-generator': {
    generate: (output) =>
      run(
        [
          ...(['datamodel-codegen', '--input', documentFile(), '--output', 'galaxy_models.py'] as const),
          ...['--input-file-type', 'openapi', '--output-model-type', 'pydantic_v2.BaseModel'],
          ...['--enum-field-as-literal', 'one', '--use-annotated'],
        ],
        output,
        env,
      ),
    journey: 'with_datamodel_code_generator',
  },
}

describeLanguage('python', () => {
  describe.each(Object.entries(GENERATORS))('of %s', (name, { generate, journey, types = [] }) => {
    it('are generated, and their types fit the journey', async () => {
      const output = await makeBuildFolder('python', name)
      await generate(output)
      const cache = join(folder, 'build', 'mypy', name)
      const paths = { MYPYPATH: `${folder}:${output}` }
      await run([python, '-m', 'mypy', '--cache-dir', cache, ...types, '-m', journey], folder, { ...env, ...paths })
    })

    it('make the journey', async () => {
      const paths = { PYTHONPATH: join(folder, 'build', name) }
      expect(await makeJourney([python, `${journey}.py`], folder, { ...env, ...paths })).toEqual(STEPS)
    })
  })

  it('create a planet as docs/tools.md says', async () => {
    const section = sectionOf(await readFile(join(ROOT, 'docs', 'tools.md'), 'utf8'), '### Python')
    const output = await makeBuildFolder('python', 'quick-start')
    const toService = (text: string) => text.replace('http://localhost:8787', serviceUrl())
    const [commands = ''] = codesOf(section, 'bash')
    const [program = ''] = codesOf(section, 'python')
    await writeFile(join(output, 'first_planet.py'), toService(program))
    // The packages are installed already, at the versions that the lock file names.
    const [install = '', ...others] = toService(commands).trim().split('\n')
    const locked = await readFile(join(folder, 'requirements.txt'), 'utf8')
    expect(locked).toContain(`${/ pip install (\S+==\S+)$/.exec(install)?.[1]} \\\n`)
    const printed = await run(['bash', '-ec', others.join('\n')], output, env)
    expect(printed).toContain("'name': 'Arrakis'")
  })
})
