import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeLanguage, makeBuildFolder, makeJourney, ONE_SCHEME, openapiGenerator, run, STEPS } from '../journey.ts'
import { folderOf } from '../languages.ts'

const folder = folderOf('typescript')

const TSC = join(folder, 'node_modules', '.bin', 'tsc')

const OPTIONS = [
  // With the name of a package, it writes what builds this package.
  ...['--additional-properties', 'npmName=galaxy'],
  // Everything but the webhooks: it writes a class with their operations, which imports nothing that exists.
  ...['--global-property', 'apis,models,supportingFiles'],
  // For OAuth 2.0, it sends the token without the word Bearer, and so it overwrites the right header.
  ...ONE_SCHEME,
]

describeLanguage('typescript', () => {
  describe('by openapi-generator, typescript-fetch', () => {
    it('are generated, and type-check', async () => {
      const output = await makeBuildFolder('typescript', 'typescript-fetch')
      await openapiGenerator('typescript-fetch', output, ...OPTIONS)
      await run([TSC, '--project', output], folder)
      await run([TSC, '--project', 'journey'], folder)
    })

    it('make the journey', async () => {
      expect(await makeJourney([process.execPath, 'journey/typescript-fetch.ts'], folder)).toEqual(STEPS)
    })
  })
})
