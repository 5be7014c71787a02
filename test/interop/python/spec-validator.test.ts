import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeLanguage, documentFile, makeBuildFolder, newerDocumentFile, run, WORLDS } from '../journey.ts'
import { folderOf } from '../languages.ts'

// openapi-spec-validator judges the documents of the running service.

const python = join(folderOf('python'), 'build', 'venv', 'bin', 'python')

const DOCUMENTS = [
  { name: 'OpenAPI 3.1', file: documentFile },
  ...WORLDS.map((world) => ({ name: `OpenAPI 3.2 of ${world}`, file: () => newerDocumentFile(world) })),
]

describeLanguage('python', () => {
  describe.each(DOCUMENTS)('openapi-spec-validator and the document in $name', ({ file }) => {
    const validate = (path: string) => run([python, '-B', '-m', 'openapi_spec_validator', path], folderOf('python'))

    it('accepts it', async () => {
      expect(await validate(file())).toBe(`${file()}: OK\n`)
    })

    it('refuses it if a parameter is nowhere', async () => {
      const document = JSON.parse(await readFile(file(), 'utf8'))
      document.paths['/planets'].get.parameters.push({ name: 'lost', in: 'nowhere', schema: {} })
      const broken = join(await makeBuildFolder('python', 'spec-validator'), 'broken.json')
      await writeFile(broken, JSON.stringify(document))
      await expect(validate(broken)).rejects.toThrow("'nowhere' is not one of")
    })
  })
})
