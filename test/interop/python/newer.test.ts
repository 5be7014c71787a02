import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeBuildFolder, newerDocumentFile, run, WORLDS } from '../journey.ts'
import { folderOf } from '../languages.ts'
import { claimOf } from '../newer.ts'

// Generators in Python read the document in OpenAPI 3.2. What they make of it is in docs/tools.md.

const programs = join(folderOf('python'), 'build', 'venv', 'bin')
// It wraps its messages at the width of the terminal.
const env = { PATH: `${programs}:${process.env.PATH}`, COLUMNS: '1000', PYTHONDONTWRITEBYTECODE: '1' }

describe.each(WORLDS)('from the document in OpenAPI 3.2 of %s', (world) => {
  const name = (tool: string) => (world === 'a universe' ? `newer-universe-${tool}` : `newer-${tool}`)

  it('openapi-python-client makes nothing, with the words of docs/tools.md', async () => {
    const output = await makeBuildFolder('python', name('openapi-python-client'))
    const command = ['openapi-python-client', 'generate', '--path', newerDocumentFile(world)] as const
    const message = 'Only OpenAPI versions 3.1.* are supported, got 3.2.0'
    await expect(run([...command, '--output-path', join(output, 'client')], output, env)).rejects.toThrow(message)
    expect(claimOf('openapi-python-client').reads).toBe(`no: ${message}`)
  })

  it('datamodel-code-generator makes the models that docs/tools.md names, and they load', async () => {
    const output = await makeBuildFolder('python', name('datamodel-code-generator'))
    await run(
      [
        ...(['datamodel-codegen', '--input', newerDocumentFile(world), '--output', 'galaxy_models.py'] as const),
        ...['--input-file-type', 'openapi', '--output-model-type', 'pydantic_v2.BaseModel'],
        ...['--enum-field-as-literal', 'one', '--use-annotated'],
      ],
      output,
      env,
    )
    const { reads, query, queryString, items } = claimOf('datamodel-code-generator')
    const names = [query, queryString, items].join(' ').match(/[A-Z][A-Za-z]+/g) ?? []
    expect({ reads, names }).toEqual({
      reads: 'yes',
      names: ['PlanetQuery', 'PlanetQuery', 'ServerSentPlanetEvent', 'PlanetEvent'],
    })
    await run([join(programs, 'python'), '-c', `from galaxy_models import ${names.join(', ')}`], output, env)
  })
})
