import { expect, it } from 'vitest'
import { generateFrom, makeBuildFolder, newerDocumentFile, openapiGenerator, WORLDS } from '../journey.ts'
import { claimOf } from '../newer.ts'

it('openapi-generator fails if it reports an error, although it ends with 0', async () => {
  const folder = await makeBuildFolder('generator', 'wrong-setting')
  // The value lacks its `key:`.
  const setting = ['--openapi-normalizer', 'SECURITY_SCHEMES_FILTER=bearerAuth']
  await expect(openapiGenerator('php', folder, ...setting)).rejects.toThrow(
    'An exception occurred in OpenAPI Normalizer',
  )
})

// The parser refuses it, before a generator of a language begins.
it.each(WORLDS)('openapi-generator refuses the document in OpenAPI 3.2 of %s, as docs/tools.md says', async (world) => {
  const folder = await makeBuildFolder('generator', 'newer')
  const message = 'attribute swagger is missing'
  await expect(generateFrom(newerDocumentFile(world), 'python', folder)).rejects.toThrow(message)
  expect(claimOf('openapi-generator').reads).toBe(`no: ${message}`)
})
