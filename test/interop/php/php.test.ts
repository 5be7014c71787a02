import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { describeLanguage, makeBuildFolder, makeJourney, openapiGenerator, run, STEPS } from '../journey.ts'
import { folderOf } from '../languages.ts'

const program = (name: string) => join(folderOf('php'), name)

describeLanguage('php', () => {
  let client: string

  beforeAll(async () => {
    client = await makeBuildFolder('php', 'client')
    await openapiGenerator('php', client, '--additional-properties', 'invokerPackage=Galaxy')
  })

  it('openapi-generator php: every class loads', async () => {
    const classes = Number(await run(['php', program('load.php')], client))
    expect(classes).toBeGreaterThan(100)
  })

  it('openapi-generator php: makes the journey', async () => {
    expect(await makeJourney(['php', program('journey.php')], client)).toEqual(STEPS)
  })
})
