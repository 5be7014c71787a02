import { API_KEY_COOKIE, API_KEY_HEADER, API_KEY_PARAMETER } from '../../src/auth/api-key.ts'
import type { SchemeName } from '../../src/auth/schemes.ts'
import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'
import { SCOPES, type Scope } from '../../src/domain/scopes.ts'
import type { Route } from '../../src/http/pipeline/route.ts'
import type { Schema } from './types.ts'

const tokenUrl = `${EXAMPLE_ORIGIN}/oauth/token`
const authorizationUrl = `${EXAMPLE_ORIGIN}/oauth/authorize`

/** Registry: the security schemes of the interface (OpenAPI 3.1, section 4.8.27). */
export const SECURITY_SCHEMES = {
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token from POST /auth/token, sent as a bearer token.',
  },
  basicAuth: {
    type: 'http',
    scheme: 'basic',
    description: 'The e-mail address and the password of an account, sent with every request.',
  },
  apiKeyHeader: { type: 'apiKey', in: 'header', name: API_KEY_HEADER, description: 'An API key in a header.' },
  apiKeyQuery: {
    type: 'apiKey',
    in: 'query',
    name: API_KEY_PARAMETER,
    description: 'An API key in a query parameter.',
  },
  apiKeyCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: API_KEY_COOKIE,
    description:
      'An API key in a cookie. Browsers send cookies automatically, so pages of other origins cannot change data with it.',
  },
  oAuth2: {
    type: 'oauth2',
    description:
      'An OAuth 2.0 access token. The service is its own provider. The implicit and the password flow are only available if the operator has enabled them.',
    flows: {
      authorizationCode: { authorizationUrl, tokenUrl, refreshUrl: tokenUrl, scopes: SCOPES },
      clientCredentials: { tokenUrl, scopes: SCOPES },
      implicit: { authorizationUrl, scopes: SCOPES },
      password: { tokenUrl, refreshUrl: tokenUrl, scopes: SCOPES },
    },
  },
  openIdConnect: {
    type: 'openIdConnect',
    openIdConnectUrl: `${EXAMPLE_ORIGIN}/.well-known/openid-configuration`,
    description:
      'An access token with the scope openid. The issuer is the service itself or a provider that the operator trusts.',
  },
} as const satisfies Record<SchemeName, Schema>

/** A flow of `oAuth2` that only OpenAPI 3.2 knows. */
export const DEVICE_FLOW = {
  deviceAuthorization: {
    deviceAuthorizationUrl: `${EXAMPLE_ORIGIN}/oauth/device`,
    tokenUrl,
    refreshUrl: tokenUrl,
    scopes: SCOPES,
  },
}

/**
 * The security requirements of an operation (OpenAPI 3.1, section 4.8.30). One of them must be met. There is one for
 * each scheme of the operation, with the scope of the operation if the scheme has scopes. An empty requirement means
 * that the operation also works without credentials.
 */
export function securityOf({ security, scope, allowsAnonymous }: Route): Requirement[] {
  return [...(allowsAnonymous ? [{}] : []), ...anySchemeOf(security, scope)]
}

type Requirement = Record<string, string[]>

/** A requirement for each scheme. One of them must be met. */
export function anySchemeOf(names: readonly SchemeName[], scope?: Scope): Requirement[] {
  const requirements: Requirement[] = names.map((name) => ({ [name]: hasScopes(name) && scope ? [scope] : [] }))
  const allowsKeyTwice = names.includes('apiKeyHeader') && names.includes('apiKeyQuery')
  // A key may be sent in the header and in the query at once, as in the public document (`@scalar/galaxy`).
  return allowsKeyTwice ? [...requirements, { apiKeyHeader: [], apiKeyQuery: [] }] : requirements
}

function hasScopes(name: SchemeName): boolean {
  return ['oauth2', 'openIdConnect'].includes(SECURITY_SCHEMES[name].type)
}
