import { z } from 'zod'
import { EXAMPLE_ORIGIN } from '../lib/example-origin.ts'
import { CLIENT_AUTHENTICATIONS, GRANT_TYPES, RESPONSE_MODES, RESPONSE_TYPES } from './client.ts'
import { text } from './fields.ts'

// What OAuth's endpoints take and answer. Names are those of the standards. What they do not know they ignore
// (RFC 6749, section 3.1). Forms have no name in the OpenAPI document, where they stand with their operation.

const TEXT_MAX = 2048
const TOKEN_MAX = 8192

interface ParameterOptions {
  /** Absent where no value that can be shown would do: a token, or what is not taken. */
  example?: string
  /** Characters. */
  maximum?: number
}

/** Without a value it is as if it had not been sent (RFC 6749, section 3.1). */
const parameter = (description: string, { example, maximum = TEXT_MAX }: ParameterOptions = {}) =>
  text(0, maximum)
    .transform((value) => value || undefined)
    .meta({ description, ...(example !== undefined && { examples: [example] }) })
    .optional()
// The client of the API reference, which is there from the beginning: with these examples a request works.
const clientId = parameter('The client', { example: 'galaxy-reference' })
const state = parameter('Comes back with the answer', { example: 'af0ifjsldkj' })
const idTokenHint = parameter('An ID token of the user that is meant', { maximum: TOKEN_MAX })

/** What a client asks of the authorization endpoint (RFC 6749, section 4.1.1; OpenID Connect Core 1.0, section 3.1.2.1). */
export const AuthorizationParameters = z
  .object({
    response_type: parameter('`code`, or `id_token` for an ID token without a code', { example: 'code' }),
    client_id: clientId,
    redirect_uri: parameter('Where the answer goes: one that the client has registered', {
      example: `${EXAMPLE_ORIGIN}/docs/oauth2-redirect`,
    }),
    scope: parameter('Space-separated; everything that the client has registered for where absent', {
      example: 'read:account read:planets',
    }),
    state,
    code_challenge: parameter('SHA-256 of the verifier, in base64url (RFC 7636)', {
      example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    }),
    code_challenge_method: parameter('`S256`', { example: 'S256' }),
    nonce: parameter('Comes back in the ID token. Required with `id_token`', { example: 'n-0S6_WzA2Mj' }),
    prompt: parameter('`none`, `login`, `consent` or `select_account`', { example: 'consent' }),
    max_age: parameter('Seconds since the user has signed in, at most', { example: '3600' }),
    login_hint: parameter('The e-mail address of the user', { example: 'marc@scalar.com' }),
    id_token_hint: idTokenHint,
    response_mode: parameter(
      'How the answer comes: `query`, `fragment` or `form_post`. By default `query` for a code, `fragment` for an ID token, which never comes by `query`',
      { example: 'query' },
    ),
    resource: parameter('This service (RFC 8707)', { example: EXAMPLE_ORIGIN }),
    request: parameter('Not taken'),
    request_uri: parameter('Not taken'),
  })
  .meta({ description: 'An authorization request' })

/** How a client proves who it is in a form (RFC 6749, section 2.3.1; RFC 7521, section 4.2). */
const ClientCredentials = z.object({
  client_id: clientId,
  client_secret: parameter('Its secret, for client_secret_post'),
  client_assertion_type: parameter('`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`, for private_key_jwt'),
  client_assertion: parameter('A JWT that the client has signed', { maximum: TOKEN_MAX }),
})

export const TokenParameters = ClientCredentials.extend({
  grant_type: parameter('`authorization_code`, `refresh_token` or `client_credentials`'),
  code: parameter('The authorization code'),
  redirect_uri: parameter('As in the authorization request'),
  code_verifier: parameter('What the challenge was made from'),
  refresh_token: parameter('The refresh token'),
  scope: parameter('Space-separated'),
  resource: parameter('This service (RFC 8707)'),
  username: parameter('E-mail address, for the legacy password grant'),
  password: parameter('Password, for the legacy password grant'),
}).meta({ description: 'A token request (RFC 6749)' })

export const TokenReference = ClientCredentials.extend({
  token: parameter('An access token or a refresh token', { maximum: TOKEN_MAX }),
  token_type_hint: parameter('`access_token` or `refresh_token`'),
}).meta({ description: 'A token that something is to be done with' })

/** Tokens that a client gets (RFC 6749, section 5.1). */
export const TokenSet = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().meta({ description: 'Seconds that the access token is good for' }),
    scope: z.string(),
    refresh_token: z.string().meta({ description: 'For one use' }).optional(),
    id_token: z.string().optional(),
  })
  .meta({
    id: 'TokenSet',
    description: 'Tokens for a client',
    examples: [
      {
        access_token: 'eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIyIn0.c2lnbmF0dXJl',
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'read:account read:planets',
      },
    ],
  })

/** What is known of a token (RFC 7662, section 2.2). */
export const Introspection = z
  .object({
    active: z.boolean(),
    scope: z.string().optional(),
    client_id: z.string().optional(),
    token_type: z.literal('Bearer').optional(),
    exp: z.int().optional(),
    iat: z.int().optional(),
    sub: z.string().optional(),
    aud: z.string().optional(),
    iss: z.string().optional(),
    jti: z.string().optional(),
  })
  .meta({
    id: 'Introspection',
    description: 'What is known of a token; of one that is not active nothing else',
    examples: [{ active: true, scope: 'read:planets', client_id: 'b0c1f4de', token_type: 'Bearer', sub: '2' }],
  })

/** What a client may know of the user (OpenID Connect Core 1.0, section 5.3.2). */
export const UserInfo = z
  .object({
    sub: z.string().meta({ description: 'The id of the user' }),
    name: z.string().meta({ description: 'With the scope profile' }).optional(),
    email: z.string().meta({ description: 'With the scope email' }).optional(),
    email_verified: z.boolean().meta({ description: 'No address is verified here' }).optional(),
  })
  .meta({
    id: 'UserInfo',
    description: 'The user, as far as the client may know',
    examples: [{ sub: '2', name: 'Marc' }],
  })

const url = z.url()
const names = z.array(z.string())

/** What a client has to know of the provider (RFC 8414, section 2; OpenID Connect Discovery 1.0, section 3). */
export const ProviderMetadata = z.object({
  issuer: url,
  authorization_endpoint: url,
  token_endpoint: url,
  jwks_uri: url,
  registration_endpoint: url,
  revocation_endpoint: url,
  introspection_endpoint: url,
  userinfo_endpoint: url,
  end_session_endpoint: url,
  service_documentation: url,
  scopes_supported: names,
  response_types_supported: z.array(z.enum(RESPONSE_TYPES)),
  response_modes_supported: z.array(z.enum(RESPONSE_MODES)),
  grant_types_supported: z.array(z.enum(GRANT_TYPES)),
  code_challenge_methods_supported: names,
  token_endpoint_auth_methods_supported: z.array(z.enum(CLIENT_AUTHENTICATIONS)),
  token_endpoint_auth_signing_alg_values_supported: names,
  revocation_endpoint_auth_methods_supported: z.array(z.enum(CLIENT_AUTHENTICATIONS)),
  revocation_endpoint_auth_signing_alg_values_supported: names,
  introspection_endpoint_auth_methods_supported: z.array(z.enum(CLIENT_AUTHENTICATIONS)),
  introspection_endpoint_auth_signing_alg_values_supported: names,
  authorization_response_iss_parameter_supported: z.literal(true),
  subject_types_supported: names,
  id_token_signing_alg_values_supported: names,
  claims_supported: names,
  prompt_values_supported: names,
  claims_parameter_supported: z.literal(false),
  request_parameter_supported: z.literal(false),
  request_uri_parameter_supported: z.literal(false),
  protected_resources: names,
})

/** What a client has to know of the service itself (RFC 9728, section 2). */
export const ResourceMetadata = z.object({
  resource: url,
  authorization_servers: z.array(url),
  scopes_supported: names,
  bearer_methods_supported: names,
  resource_name: z.string(),
  resource_documentation: url,
})

/** What the sign-in form sends. */
export const SignInForm = z
  .object({
    csrf: parameter('Proves that the form is ours'),
    email: parameter('E-mail address'),
    password: parameter('Password'),
  })
  .meta({ description: 'The form of the sign-in page' })

/** What the consent form sends. */
export const ConsentForm = z
  .object({
    csrf: parameter('Proves that the form is ours'),
    decision: parameter('`allow`, `deny` or `switch` (to another account)'),
  })
  .meta({ description: 'The form of the consent page' })

/** What a client asks of the logout endpoint (OpenID Connect RP-Initiated Logout 1.0, section 2). */
export const LogoutParameters = z
  .object({
    id_token_hint: idTokenHint,
    client_id: clientId,
    post_logout_redirect_uri: parameter('Where to go then: one that the client has registered'),
    state,
  })
  .meta({ description: 'A logout request' })

/** The same, or what the page sends that asks the user. */
export const LogoutForm = LogoutParameters.extend({ csrf: parameter('Proves that the form is ours') }).meta({
  description: 'A logout request, or the form of the page that asks the user',
})

export type AuthorizationParameters = z.infer<typeof AuthorizationParameters>
export type TokenParameters = z.infer<typeof TokenParameters>
export type TokenReference = z.infer<typeof TokenReference>
export type ClientCredentials = z.infer<typeof ClientCredentials>
export type TokenSet = z.infer<typeof TokenSet>
export type Introspection = z.infer<typeof Introspection>
export type UserInfo = z.infer<typeof UserInfo>
export type ProviderMetadata = z.infer<typeof ProviderMetadata>
export type ResourceMetadata = z.infer<typeof ResourceMetadata>
export type LogoutParameters = z.infer<typeof LogoutParameters>
