import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  describeLanguage,
  documentFile,
  makeBuildFolder,
  makeJourney,
  openapiGenerator,
  run,
  STEPS,
} from '../journey.ts'
import { codesAtService, folder, go } from './go.ts'

/** Each writes a package of this module to a folder. */
const GENERATORS: Record<string, (output: string) => Promise<unknown>> = {
  async openapi_generator(output) {
    // The module is the one of this folder.
    const properties = 'packageName=galaxy,withGoMod=false,enumClassPrefix=true'
    await openapiGenerator('go', output, `--additional-properties=${properties}`)
  },

  async oapi_codegen(output) {
    const parts = ['-generate=types,client,skip-prune', '-package=galaxy', `-o=${output}/galaxy.go`]
    await go('tool', 'oapi-codegen', ...parts, documentFile())
  },

  /** With the copy and the settings of docs/tools.md. */
  async ogen(output) {
    await run(['bash', '-ec', codesAtService('#### ogen', 'bash').join('')], output)
    await writeFile(join(output, 'ogen.yml'), codesAtService('#### ogen', 'yaml').join(''))
    const settings = [`-config=${output}/ogen.yml`, '-package=galaxy', `-target=${output}`]
    await go('tool', 'ogen', ...settings, `${output}/ogen.json`)
  },
}

describeLanguage('go', () => {
  describe.each(Object.entries(GENERATORS))('by %s', (name, generate) => {
    const program = join(folder, 'build', 'bin', name)

    it('are generated, compile, and have nothing that vet reports', async () => {
      const output = await makeBuildFolder('go', name)
      await rm(program, { force: true })
      await generate(output)
      await go('vet', `./build/${name}`, `./${name}`)
      await go('build', `-o=${program}`, `./${name}`)
    })

    it('make the journey', async () => {
      expect(await makeJourney([program], folder)).toEqual(STEPS)
    })
  })
})
