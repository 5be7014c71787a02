import { doc } from '#doc'
import { SIGNING_ALGORITHM } from '../../auth/tokens.ts'
import { EXAMPLE_ORIGIN } from '../../domain/example-origin.ts'
import { ALL_SCOPES, KEY_SCOPES } from '../../domain/scopes.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route, type RouteDescription } from '../../http/pipeline/route.ts'
import {
  ASSERTION_ALGORITHMS,
  CLIENT_AUTHENTICATION_NAMES,
  RESPONSE_MODES,
  RESPONSE_TYPE_NAMES,
} from '../../schemas/client.ts'
import { ProviderMetadata, ResourceMetadata } from '../../schemas/oauth.ts'
import { PROMPTS } from './authorization-parameters.ts'
import { keepEnabledTypes } from './legacy-flows.ts'
import { listGrantTypes } from './token.ts'

const common = { method: 'get', tag: 'OAuth', since: '2.0.0', formats: ['json'], security: [] } as const

const Provider = ProviderMetadata.meta({
  id: 'ProviderMetadata',
  description: doc('The metadata of this provider for clients'),
  examples: [describeProvider(EXAMPLE_ORIGIN, { legacyFlows: false })],
})

const Resource = ResourceMetadata.meta({
  id: 'ResourceMetadata',
  description: doc('The metadata of this service for clients that call it'),
  examples: [describeResource(EXAMPLE_ORIGIN)],
})

type Texts = Pick<RouteDescription, 'path' | 'operationId' | 'summary' | 'description'>

/** A route for the provider's metadata. OpenID Connect clients and OAuth clients look for it at different paths. */
const defineMetadataRoute = (texts: Texts): Route =>
  defineRoute({
    ...common,
    ...texts,
    responses: { 200: { component: 'OAuthMetadata', description: doc('The metadata'), schema: Provider } },
    async handle(_, { baseUrl, services }) {
      return reply(200, describeProvider(baseUrl, services.config))
    },
  })

const openIdConfiguration = defineMetadataRoute({
  path: '/.well-known/openid-configuration',
  operationId: 'getOpenIdConfiguration',
  summary: 'Get the metadata of the OpenID provider',
  description: doc('Returns the metadata for OpenID Connect clients (OpenID Connect Discovery 1.0, section 4).'),
})

const authorizationServer = defineMetadataRoute({
  path: '/.well-known/oauth-authorization-server',
  operationId: 'getAuthorizationServerMetadata',
  summary: 'Get the metadata of the authorization server',
  description: doc('Returns the metadata for OAuth clients (RFC 8414, section 3).'),
})

const protectedResource = defineRoute({
  ...common,
  path: '/.well-known/oauth-protected-resource',
  operationId: 'getProtectedResourceMetadata',
  summary: 'Get the metadata of this service as a protected resource',
  description: doc(
    'Returns the metadata of this service as a protected resource: which authorization server issues its tokens, and how to send them (RFC 9728, section 3).',
  ),
  responses: {
    200: {
      description: doc('The metadata'),
      schema: Resource,
    },
  },
  async handle(_, { baseUrl }) {
    return reply(200, describeResource(baseUrl))
  },
})

/** @param issuer The base URL of the service */
function describeProvider(issuer: string, { legacyFlows }: { legacyFlows: boolean }): ProviderMetadata {
  const authMethods = [...CLIENT_AUTHENTICATION_NAMES]
  const confidentialMethods = authMethods.filter((method) => method !== 'none')
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    device_authorization_endpoint: `${issuer}/oauth/device`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    registration_endpoint: `${issuer}/oauth/register`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    end_session_endpoint: `${issuer}/oauth/end-session`,
    service_documentation: `${issuer}/docs`,
    scopes_supported: [...ALL_SCOPES],
    response_types_supported: keepEnabledTypes(RESPONSE_TYPE_NAMES, legacyFlows),
    response_modes_supported: [...RESPONSE_MODES],
    // The authorization endpoint serves `implicit`, so the grant types of the token endpoint do not include it.
    grant_types_supported: [...listGrantTypes(legacyFlows), 'implicit'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: authMethods,
    token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    introspection_endpoint_auth_methods_supported: confidentialMethods,
    introspection_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    authorization_response_iss_parameter_supported: true,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [SIGNING_ALGORITHM],
    claims_supported: ['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'name', 'email', 'email_verified'],
    prompt_values_supported: [...PROMPTS],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    protected_resources: [issuer],
  }
}

/** The metadata of this service as a protected resource. @param origin The base URL of the service */
function describeResource(origin: string): ResourceMetadata {
  return {
    resource: origin,
    authorization_servers: [origin],
    scopes_supported: [...KEY_SCOPES],
    bearer_methods_supported: ['header'],
    resource_name: 'Galaxy',
    resource_documentation: `${origin}/docs`,
  }
}

export const metadataRoutes: readonly Route[] = [openIdConfiguration, authorizationServer, protectedResource]
