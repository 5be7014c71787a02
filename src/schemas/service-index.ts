import * as z from 'zod'
import { doc } from '#doc'
import { EXAMPLE_ORIGIN } from '../domain/example-origin.ts'

const PATHS = {
  planets: '/planets',
  catalogue: '/catalogue',
  signUp: '/user/signup',
  token: '/auth/token',
  me: '/me',
  reference: '/docs',
  openapi: '/openapi.json',
  openapiYaml: '/openapi.yaml',
  asyncapi: '/asyncapi.json',
  keys: '/.well-known/jwks.json',
}

const url = z.url()

const Links = z
  .object({
    planets: url,
    catalogue: url.meta({ description: doc('All planets that come with the service, in one document') }),
    signUp: url,
    token: url,
    me: url,
    reference: url.meta({ description: doc('The API reference for people') }),
    openapi: url.meta({ description: doc('The OpenAPI document') }),
    openapiYaml: url,
    asyncapi: url.meta({ description: doc('The AsyncAPI document: live events') }),
    keys: url.meta({ description: doc('The keys for verifying tokens') }),
  } satisfies Record<keyof typeof PATHS, z.ZodType>)
  .meta({ id: 'ServiceLinks', description: doc('Absolute URLs') })

/** The document at the root of the service. */
export const Index = z
  .object({
    name: z.string(),
    version: z.string().meta({ description: doc('The current API version') }),
    links: Links,
  })
  .meta({
    id: 'ServiceIndex',
    description: doc('The entry points of the service'),
    xml: { name: 'index' },
    examples: [{ name: 'Galaxy', version: '2.0.0', links: linksAt(EXAMPLE_ORIGIN) }],
  })

export type Index = z.infer<typeof Index>

/** The links of the service as absolute URLs. */
export function linksAt(baseUrl: string): z.infer<typeof Links> {
  const links = Object.entries(PATHS).map(([name, path]) => [name, baseUrl + path])
  return Links.parse(Object.fromEntries(links))
}
