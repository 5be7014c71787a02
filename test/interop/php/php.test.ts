import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { describeLanguage, makeBuildFolder, makeJourney, openapiGenerator, run, STEPS, serviceUrl } from '../journey.ts'
import { type Command, folderOf } from '../languages.ts'
import { operationsToRead } from '../reads.ts'

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

  it('openapi-generator php: reads everything that needs no id', async () => {
    const operations = await operationsToRead()
    const command: Command = ['php', program('read.php'), operations]
    const understood = await run(command, client, { GALAXY_URL: serviceUrl() })
    const ids: string[] = JSON.parse(operations).map(({ operationId }: { operationId: string }) => operationId)
    expect(ids.length).toBeGreaterThan(15)
    expect(understood.trim().split('\n')).toEqual(ids)
  })
})
