import { expect, it } from 'vitest'
import { makeBuildFolder, openapiGenerator } from '../journey.ts'

it('openapi-generator fails if it reports an error, although it ends with 0', async () => {
  const folder = await makeBuildFolder('generator', 'wrong-setting')
  // The value lacks its `key:`.
  const setting = ['--openapi-normalizer', 'SECURITY_SCHEMES_FILTER=bearerAuth']
  await expect(openapiGenerator('php', folder, ...setting)).rejects.toThrow(
    'An exception occurred in OpenAPI Normalizer',
  )
})
