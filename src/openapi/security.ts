import { SCHEMES } from '../auth/schemes.ts'
import { EXAMPLE_ORIGIN } from '../lib/example-origin.ts'
import { keysOf } from '../lib/keys.ts'
import type { Schema } from './types.ts'

const SCOPES = {
  'read:account': 'read your account',
  'write:account': 'change your account',
  'read:planets': 'read planets',
  'write:planets': 'make and change planets of yours',
}
const tokenUrl = `${EXAMPLE_ORIGIN}/oauth/token`
const authorizationUrl = `${EXAMPLE_ORIGIN}/oauth/authorize`

/** The security schemes of the interface (OpenAPI 3.1, section 4.8.27). */
const SECURITY_SCHEMES = {
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The token of POST /auth/token, as a bearer token.',
  },
  basicAuth: { type: 'http', scheme: 'basic', description: 'E-mail and password of an account.' },
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key in a header.' },
  apiKeyQuery: { type: 'apiKey', in: 'query', name: 'api_key', description: 'An API key in the query.' },
  apiKeyCookie: { type: 'apiKey', in: 'cookie', name: 'api_key', description: 'An API key in a cookie.' },
  oAuth2: {
    type: 'oauth2',
    description: 'OAuth 2.0, with the service as its own provider.',
    flows: {
      authorizationCode: { authorizationUrl, tokenUrl, scopes: SCOPES },
      clientCredentials: { tokenUrl, scopes: SCOPES },
      implicit: { authorizationUrl, scopes: SCOPES },
      password: { tokenUrl, scopes: SCOPES },
    },
  },
  openIdConnect: {
    type: 'openIdConnect',
    openIdConnectUrl: `${EXAMPLE_ORIGIN}/.well-known/openid-configuration`,
    description: 'OpenID Connect, with the service as its own provider.',
  },
} as const

const NOT_YET = 'Declared, but **not accepted yet**: no operation lists it.'

/** The security schemes, each with a word where the service does not verify it yet. */
export function securitySchemes(): Record<string, Schema> {
  const entries = keysOf(SECURITY_SCHEMES).map((name) => {
    const scheme = SECURITY_SCHEMES[name]
    const isVerified = Object.hasOwn(SCHEMES, name)
    return [name, isVerified ? scheme : { ...scheme, description: `${scheme.description} ${NOT_YET}` }] as const
  })
  return Object.fromEntries(entries)
}

/** Any of these schemes suffices. */
export function anyOf(names: readonly string[]): Record<string, string[]>[] {
  return names.map((name) => ({ [name]: [] }))
}

/** The names of all schemes, which a receiver of webhooks may ask for. */
export const SECURITY_SCHEME_NAMES = keysOf(SECURITY_SCHEMES)
