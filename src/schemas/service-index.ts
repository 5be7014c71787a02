import { z } from 'zod'
import { EXAMPLE_ORIGIN } from '../lib/example-origin.ts'

const PATHS = {
  planets: '/planets',
  signUp: '/user/signup',
  token: '/auth/token',
  me: '/me',
  reference: '/docs',
  openapi: '/openapi.json',
  openapiYaml: '/openapi.yaml',
  keys: '/.well-known/jwks.json',
}

const url = z.url()

/** Where everything begins. */
export const Index = z
  .object({
    name: z.string(),
    version: z.string().meta({ description: 'The edition of the interface' }),
    links: z
      .object({
        planets: url,
        signUp: url,
        token: url,
        me: url,
        reference: url.meta({ description: 'The API reference, for people' }),
        openapi: url.meta({ description: 'The OpenAPI document' }),
        openapiYaml: url,
        keys: url.meta({ description: 'The keys that verify tokens' }),
      })
      .meta({ description: 'Absolute URLs' }),
  })
  .meta({
    id: 'Index',
    description: 'What there is, and where',
    xml: { name: 'index' },
    examples: [{ name: 'Galaxy', version: '2.0.0', links: linksAt(EXAMPLE_ORIGIN) }],
  })

export type Index = z.infer<typeof Index>

/** The links of the service at an origin. */
export function linksAt(baseUrl: string): Record<keyof typeof PATHS, string> {
  const at = (path: string) => baseUrl + path
  const { planets, signUp, token, me, reference, openapi, openapiYaml, keys } = PATHS
  return {
    planets: at(planets),
    signUp: at(signUp),
    token: at(token),
    me: at(me),
    reference: at(reference),
    openapi: at(openapi),
    openapiYaml: at(openapiYaml),
    keys: at(keys),
  }
}
