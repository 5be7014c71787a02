import * as z from 'zod'
import { doc } from '#doc'
import { keysOf } from '../lib/objects.ts'
import { HttpUrl, list, text, Uri } from './fields.ts'

// The metadata of an OAuth client (RFC 7591, section 2; OpenID Connect Registration 1.0, section 2).

/** Registry: methods by which a client authenticates. A client is public if it has neither a secret nor a key. */
export const CLIENT_AUTHENTICATION = {
  none: { isPublic: true },
  client_secret_basic: { isPublic: false },
  client_secret_post: { isPublic: false },
  private_key_jwt: { isPublic: false },
} as const

export type ClientAuthentication = keyof typeof CLIENT_AUTHENTICATION
export const CLIENT_AUTHENTICATION_NAMES = keysOf(CLIENT_AUTHENTICATION)

/** The signature algorithms that a client may authenticate with: only asymmetric ones. */
export const ASSERTION_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA']

/** The grant type of the device flow (RFC 8628, section 3.4). */
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

export const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'implicit',
  'password',
  DEVICE_CODE_GRANT,
] as const
export type GrantType = (typeof GRANT_TYPES)[number]

/** How a client gets an authorization response: in the URL, or in a form post (OAuth 2.0 Form Post Response Mode). */
export const RESPONSE_MODES = ['query', 'fragment', 'form_post'] as const
export type ResponseMode = (typeof RESPONSE_MODES)[number]

/**
 * Registry: response types, with the grant type of each (RFC 7591, section 2.1) and its response modes, the default
 * first. If the default is `fragment`, `query` is not allowed (OAuth 2.0 Multiple Response Type Encoding Practices,
 * sections 2.1 and 3).
 */
export const RESPONSE_TYPE = {
  code: { grantType: 'authorization_code', modes: ['query', 'fragment', 'form_post'] },
  token: { grantType: 'implicit', modes: ['fragment', 'form_post'] },
  id_token: { grantType: 'implicit', modes: ['fragment', 'form_post'] },
} as const satisfies Record<string, { grantType: GrantType; modes: readonly ResponseMode[] }>

export type ResponseType = keyof typeof RESPONSE_TYPE
export const RESPONSE_TYPE_NAMES = keysOf(RESPONSE_TYPE)

const URIS_MAX = 10
const KEYS_MAX = 10
const URI_MAX = 2048
/** Which URIs a client can register: features/oauth/redirect-uris.ts. */
const uri = z.string().max(URI_MAX, `must have at most ${URI_MAX} characters`).meta({ format: 'uri' })

const keyPart = text(1, 2000).optional()

/** A public key (RFC 7518, section 6). A private key (`d`) is rejected, because no other party should ever get it. */
const PublicKey = z
  .object({
    kty: z.enum(['RSA', 'EC', 'OKP']).meta({ id: 'ClientKeyKind', description: doc('The kind of a public key') }),
    kid: keyPart,
    use: keyPart,
    alg: keyPart,
    n: keyPart,
    e: keyPart,
    crv: keyPart,
    x: keyPart,
    y: keyPart,
    d: z.never('is part of a private key: send only the public key').optional(),
  })
  .meta({ id: 'ClientKey', description: doc('A public key of a client (RFC 7517)') })

/** How a client authenticates itself at the token endpoint. */
export const AuthenticationMethod = z
  .enum(CLIENT_AUTHENTICATION_NAMES)
  .meta({ id: 'ClientAuthenticationMethod', description: doc('How a client authenticates itself') })

export const GrantTypeName = z
  .enum(GRANT_TYPES)
  .meta({ id: 'OAuthGrantType', description: doc('A grant type (RFC 7591)') })

export const ResponseTypeName = z
  .enum(RESPONSE_TYPE_NAMES)
  .meta({ id: 'OAuthResponseType', description: doc('A response type (RFC 7591)') })

/** Unknown members are ignored (RFC 7591, section 2). */
export const ClientInput = z
  .object({
    redirect_uris: list(uri, URIS_MAX).optional(),
    client_name: text(1, 200).optional(),
    client_uri: HttpUrl.optional(),
    token_endpoint_auth_method: AuthenticationMethod.optional(),
    grant_types: list(GrantTypeName, GRANT_TYPES.length).optional(),
    response_types: list(ResponseTypeName, RESPONSE_TYPE_NAMES.length)
      .meta({
        description: doc(
          'Use `["id_token"]` for a client that gets an ID token and no code, such as express-openid-connect by default. If `grant_types` is absent, it is derived from this member.',
        ),
      })
      .optional(),
    scope: text(1, 1000)
      .meta({
        description: doc('The scopes that the client can be granted, separated by spaces. The default is all scopes.'),
      })
      .optional(),
    jwks: z
      .object({ keys: list(PublicKey, KEYS_MAX) })
      .meta({
        id: 'ClientKeySet',
        description: doc('Public keys. Required for private_key_jwt, rejected for any other authentication method.'),
      })
      .optional(),
    jwks_uri: z.never('is not supported: send the keys in jwks').optional(),
    post_logout_redirect_uris: list(uri, URIS_MAX).optional(),
    application_type: z
      .enum(['web', 'native'])
      .meta({ id: 'ClientApplicationKind', description: doc('Where the client runs') })
      .optional(),
    id_token_signed_response_alg: z.literal('RS256').optional(),
    subject_type: z.literal('public').optional(),
  })
  .meta({
    id: 'ClientInput',
    description: doc(
      'A client to register (RFC 7591). Unknown members are ignored. `jwks_uri` and the private part of a key are refused.',
    ),
    examples: [{ client_name: 'Atlas', redirect_uris: ['http://127.0.0.1/callback'] }],
  })

/**
 * A redirect URI as it was registered. It has no format, because a client can also register characters that a URI must
 * have percent-encoded (RFC 3986, section 2), which classes for URIs of some languages refuse.
 */
export const RegisteredUri = z.string()

/** The stored metadata of a registered client. */
export const ClientMetadata = z.object({
  redirect_uris: z.array(RegisteredUri),
  client_name: z.string().optional(),
  client_uri: Uri.optional(),
  token_endpoint_auth_method: AuthenticationMethod,
  grant_types: z.array(GrantTypeName),
  response_types: z.array(ResponseTypeName),
  scope: z.string(),
  jwks: z
    .object({
      keys: z.array(
        z.looseObject({ kty: z.string() }).meta({ id: 'RegisteredKey', description: doc('A public key of a client') }),
      ),
    })
    .meta({ id: 'RegisteredKeySet', description: doc('The public keys of a client') })
    .optional(),
  post_logout_redirect_uris: z.array(RegisteredUri),
})

/** A client that was just registered (RFC 7591, section 3.2.1). */
export const RegisteredClient = ClientMetadata.extend({
  client_id: z.string(),
  client_id_issued_at: z.int().meta({ description: doc('Seconds since 1970') }),
  client_secret: z
    .string()
    .meta({ description: doc('The secret of a confidential client. It is not shown again.') })
    .optional(),
  client_secret_expires_at: z
    .int()
    .min(0)
    .meta({
      description: doc(
        'When the client expires, in seconds since 1970. 0 if the client never expires (RFC 7591, section 3.2.1).',
      ),
      examples: [0],
    })
    .optional(),
}).meta({
  id: 'RegisteredClient',
  description: doc('A new client'),
  examples: [
    {
      client_id: 'b0c1f4de-9a52-4c1e-8a3b-2f6e0d9c7a11',
      client_id_issued_at: 1768487400,
      client_name: 'Atlas',
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'openid profile read:planets',
      post_logout_redirect_uris: [],
    },
  ],
})

export type ClientInput = z.infer<typeof ClientInput>
export type ClientMetadata = z.infer<typeof ClientMetadata>
export type RegisteredClient = z.infer<typeof RegisteredClient>
