import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeLanguage, makeBuildFolder, makeJourney, ONE_SCHEME, openapiGenerator, run, STEPS } from '../journey.ts'
import { folderOf } from '../languages.ts'
import { jarsOf, java, javac } from '../maven.ts'

describeLanguage('java', () => {
  // With okhttp-gson, calls of an operation fail if it names a scheme that the generator does not know (openIdConnect).
  describe.each([['okhttp-gson', ...ONE_SCHEME], ['native']])(
    'by openapi-generator, library %s',
    (library, ...settings) => {
      let classes: string

      it('are generated, and compile', async () => {
        const folder = await makeBuildFolder('java', library)
        await openapiGenerator('java', folder, '--library', library, ...settings)
        classes = await makeBuildFolder('java', `${library}-classes`)
        const program = ['Journey.java', `${library}/Library.java`].map((name) => join(folderOf('java'), name))
        await run(await javac(classes, jarsOf('java'), [join(folder, 'src', 'main', 'java')], program), folder)
      })

      it('make the journey', async () => {
        const command = java([classes, jarsOf('java')].join(':'), 'Journey')
        expect(await makeJourney(command, classes)).toEqual(STEPS)
      })
    },
  )
})
