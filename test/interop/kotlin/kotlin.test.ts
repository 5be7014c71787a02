import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeLanguage, makeBuildFolder, makeJourney, openapiGenerator, run, STEPS } from '../journey.ts'
import { folderOf } from '../languages.ts'
import { jarsOf, java, kotlinc } from '../maven.ts'

// The members of a union do not implement the interface that the generator makes of it.
const UNIONS = 'ReceiverAuth=kotlin.Any'

describeLanguage('kotlin', () => {
  describe('by openapi-generator, library jvm-okhttp4', () => {
    let classes: string

    it('are generated, and compile', async () => {
      const folder = await makeBuildFolder('kotlin', 'client')
      await openapiGenerator('kotlin', folder, '--schema-mappings', UNIONS)
      classes = await makeBuildFolder('kotlin', 'classes')
      const sources = [join(folder, 'src', 'main', 'kotlin'), join(folderOf('kotlin'), 'Journey.kt')]
      await run(kotlinc(classes, sources), folder)
    })

    it('make the journey', async () => {
      const command = java([classes, jarsOf('kotlin')].join(':'), 'JourneyKt')
      expect(await makeJourney(command, classes)).toEqual(STEPS)
    })
  })
})
