import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import {
  describeLanguage,
  makeBuildFolder,
  makeJourney,
  ONE_SCHEME,
  openapiGenerator,
  run,
  STEPS,
  serviceUrl,
} from '../journey.ts'
import { type Command, folderOf } from '../languages.ts'
import { operationsToRead } from '../reads.ts'

const program = (name: string) => join(folderOf('ruby'), name)

describeLanguage('ruby', () => {
  let client: string

  beforeAll(async () => {
    client = await makeBuildFolder('ruby', 'client')
    // The client sends the credentials of all schemes at once, and its code for a key in a cookie is no Ruby
    // (OpenAPITools/openapi-generator#6959). So it gets one scheme.
    await openapiGenerator('ruby', client, '--additional-properties', 'gemName=galaxy,moduleName=Galaxy', ...ONE_SCHEME)
  })

  it('openapi-generator ruby: every file loads', async () => {
    const files = Number(await run(['ruby', program('load.rb')], client))
    expect(files).toBeGreaterThan(100)
  })

  it('openapi-generator ruby: makes the journey', async () => {
    expect(await makeJourney(['ruby', program('journey.rb')], client)).toEqual(STEPS)
  })

  it('openapi-generator ruby: reads everything that needs no id', async () => {
    const operations = await operationsToRead()
    const command: Command = ['ruby', program('read.rb'), operations]
    const understood = await run(command, client, { GALAXY_URL: serviceUrl() })
    const ids: string[] = JSON.parse(operations).map(({ operationId }: { operationId: string }) => operationId)
    expect(ids.length).toBeGreaterThan(15)
    expect(understood.trim().split('\n')).toEqual(ids)
  })
})
