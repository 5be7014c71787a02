import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { describeLanguage, makeBuildFolder, makeJourney, openapiGenerator, run, STEPS } from '../journey.ts'
import { folderOf } from '../languages.ts'

const program = (name: string) => join(folderOf('ruby'), name)

/**
 * The client sends the credentials of all schemes at once, and its code for a key in a cookie is no Ruby
 * (OpenAPITools/openapi-generator#6959). So it gets one scheme.
 */
const ONE_SCHEME = ['--openapi-normalizer', 'SECURITY_SCHEMES_FILTER=key:bearerAuth']

describeLanguage('ruby', () => {
  let client: string

  beforeAll(async () => {
    client = await makeBuildFolder('ruby', 'client')
    await openapiGenerator('ruby', client, '--additional-properties', 'gemName=galaxy,moduleName=Galaxy', ...ONE_SCHEME)
  })

  it('openapi-generator ruby: every file loads', async () => {
    const files = Number(await run(['ruby', program('load.rb')], client))
    expect(files).toBeGreaterThan(100)
  })

  it('openapi-generator ruby: makes the journey', async () => {
    expect(await makeJourney(['ruby', program('journey.rb')], client)).toEqual(STEPS)
  })
})
