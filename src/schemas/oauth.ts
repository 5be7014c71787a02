import * as z from 'zod'
import { doc } from '#doc'
import { EXAMPLE_ORIGIN } from '../domain/example-origin.ts'
import {
  AuthenticationMethod,
  DEVICE_CODE_GRANT,
  GRANT_TYPES,
  GrantTypeName,
  RESPONSE_MODES,
  ResponseTypeName,
} from './client.ts'
import { text, Uri } from './fields.ts'

// Requests and responses of the OAuth endpoints, with the names of the standards. Unknown parameters are ignored (RFC
// 6749, section 3.1).

const TEXT_MAX = 2048
const TOKEN_MAX = 8192
/** Some frameworks keep what they need after the sign-in in `state`. That of ASP.NET has 2 to 8 KB. */
const STATE_MAX = 8192

interface ParameterOptions {
  /** Absent if no fixed value would work, such as for a token, or if the parameter is not supported. */
  example?: string
  /** Maximum length in characters. */
  maximum?: number
  /** What the document says beyond that. The use of the parameter checks it. */
  keywords?: { format?: 'uri'; pattern?: string; minLength?: number }
}

/** A parameter of a query or form. An empty parameter is treated as absent (RFC 6749, section 3.1). */
const parameter = (description: string, { example, maximum = TEXT_MAX, keywords }: ParameterOptions = {}) =>
  text(0, maximum)
    .transform((value) => value || undefined)
    .meta({ description, ...keywords, ...(example !== undefined && { examples: [example] }) })
    .optional()

/** The only kind of assertion by which a client can authenticate (RFC 7523, section 2.2). */
export const CLIENT_ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/**
 * A parameter of an authorization request. Its length is not checked here but with its meaning
 * (features/oauth/authorization-parameters.ts), because its errors go to the client and not to the user.
 */
const authorizationParameter = (description: string, { example, maximum = TEXT_MAX }: ParameterOptions = {}) =>
  z
    .string()
    .transform((value) => value || undefined)
    .optional()
    .meta({ description, maxLength: maximum, ...(example !== undefined && { examples: [example] }) })

// The client of the API reference. It exists in every deployment, so requests with these examples work.
const CLIENT_ID = ['The id of the client', { example: 'galaxy-reference' }] as const
const STATE = ['Returned unchanged in the response', { example: 'af0ifjsldkj', maximum: STATE_MAX }] as const
const ID_TOKEN_HINT = ['An ID token that identifies the user', { maximum: TOKEN_MAX }] as const
const clientId = parameter(...CLIENT_ID)

/** An authorization request (RFC 6749, section 4.1.1; OpenID Connect Core 1.0, section 3.1.2.1). */
export const AuthorizationParameters = z
  .object({
    response_type: authorizationParameter(
      doc(
        '`code`, or `id_token` for an ID token without a code. `token` is only available if the operator has enabled it.',
      ),
      { example: 'code' },
    ),
    client_id: authorizationParameter(...CLIENT_ID),
    redirect_uri: authorizationParameter(doc('Where the response is sent. The client must have registered this URI.'), {
      example: `${EXAMPLE_ORIGIN}/docs/oauth2-redirect`,
    }),
    scope: authorizationParameter(
      doc('The requested scopes, separated by spaces. The default is all scopes that the client registered.'),
      {
        example: 'read:account read:planets',
      },
    ),
    state: authorizationParameter(...STATE),
    code_challenge: authorizationParameter(doc('The SHA-256 hash of the code verifier, in base64url (RFC 7636)'), {
      example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    }),
    code_challenge_method: authorizationParameter(doc('`S256`'), { example: 'S256' }),
    nonce: authorizationParameter(doc('Returned unchanged in the ID token. Required with `id_token`.'), {
      example: 'n-0S6_WzA2Mj',
    }),
    prompt: authorizationParameter(doc('`none`, `login`, `consent` or `select_account`'), { example: 'consent' }),
    max_age: authorizationParameter(doc('The maximum number of seconds since the user signed in'), { example: '3600' }),
    login_hint: authorizationParameter(doc('The e-mail address of the user'), { example: 'marc@scalar.com' }),
    id_token_hint: authorizationParameter(...ID_TOKEN_HINT),
    response_mode: authorizationParameter(
      doc(
        'How the response is sent: `query`, `fragment` or `form_post`. The default is `query` for a code and `fragment` for an ID token. An ID token is never sent with `query`.',
      ),
      { example: 'query' },
    ),
    resource: authorizationParameter(doc('The URL of this service (RFC 8707). It may be repeated.'), {
      example: EXAMPLE_ORIGIN,
    }),
    request: authorizationParameter(doc('Not supported')),
    request_uri: authorizationParameter(doc('Not supported')),
  })
  .meta({ description: doc('An authorization request') })

/** Client authentication in a form (RFC 6749, section 2.3.1; RFC 7521, section 4.2). */
const ClientCredentials = z.object({
  client_id: clientId,
  client_secret: parameter(doc('The client secret, for client_secret_post')),
  client_assertion_type: parameter(doc(`\`${CLIENT_ASSERTION_TYPE}\`, for private_key_jwt`), {
    keywords: { pattern: `^(?:${CLIENT_ASSERTION_TYPE})?$` },
  }),
  client_assertion: parameter(doc('A JWT that the client signed, for private_key_jwt'), { maximum: TOKEN_MAX }),
})

const REQUESTED_SCOPE = [doc('The requested scopes, separated by spaces')] as const
const RESOURCE = [doc('The URL of this service (RFC 8707). It may be repeated.')] as const

export const TokenParameters = ClientCredentials.extend({
  grant_type: parameter(
    doc(
      `\`authorization_code\`, \`refresh_token\`, \`client_credentials\` or \`${DEVICE_CODE_GRANT}\`. \`password\` is only available if the operator has enabled it.`,
    ),
    { keywords: { pattern: `^(?:${GRANT_TYPES.filter((type) => type !== 'implicit').join('|')})$` } },
  ),
  code: parameter(doc('The authorization code')),
  redirect_uri: parameter(doc('The same value as in the authorization request')),
  code_verifier: parameter(doc('The code verifier that belongs to the code challenge')),
  refresh_token: parameter(doc('The refresh token')),
  device_code: parameter(doc('The device code')),
  scope: parameter(...REQUESTED_SCOPE),
  resource: parameter(...RESOURCE),
  username: parameter(doc('E-mail address, for the legacy password grant')),
  password: parameter(doc('Password, for the legacy password grant')),
}).meta({ id: 'TokenForm', required: ['grant_type'], description: doc('A token request (RFC 6749)') })

/** A device authorization request (RFC 8628, section 3.1). */
export const DeviceAuthorizationParameters = ClientCredentials.extend({
  scope: parameter(...REQUESTED_SCOPE),
  resource: parameter(...RESOURCE),
}).meta({ id: 'DeviceAuthorizationForm', description: doc('A request for a code (RFC 8628)') })

/** A device authorization response (RFC 8628, section 3.2). */
export const DeviceAuthorization = z
  .object({
    device_code: z.string().meta({ description: doc('For /oauth/token. It can be used once.') }),
    user_code: z.string().meta({ description: doc('What the device shows, and the user types') }),
    verification_uri: Uri.meta({ description: doc('The page on which the user types the code') }),
    verification_uri_complete: Uri.meta({ description: doc('The same page with the code already in it') }),
    expires_in: z.int().meta({ description: doc('The lifetime of both codes in seconds') }),
    interval: z.int().meta({ description: doc('How many seconds to wait between two requests for tokens') }),
  })
  .meta({
    id: 'DeviceAuthorization',
    description: doc('The codes for a device and its user'),
    examples: [
      {
        device_code: 'GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS0k',
        user_code: 'WDJB-MJHT',
        verification_uri: `${EXAMPLE_ORIGIN}/device`,
        verification_uri_complete: `${EXAMPLE_ORIGIN}/device?user_code=WDJB-MJHT`,
        expires_in: 600,
        interval: 5,
      },
    ],
  })

export const TokenReference = ClientCredentials.extend({
  token: parameter(doc('An access token or a refresh token'), {
    maximum: TOKEN_MAX,
    keywords: { minLength: 1 },
  }),
  token_type_hint: parameter(doc('`access_token` or `refresh_token`')),
}).meta({ id: 'TokenReferenceForm', required: ['token'], description: doc('A token to revoke or introspect') })

/** A token response (RFC 6749, section 5.1). */
export const TokenSet = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().meta({ description: doc('The lifetime of the access token in seconds') }),
    scope: z.string(),
    refresh_token: z
      .string()
      .meta({ description: doc('Can be used once') })
      .optional(),
    id_token: z.string().optional(),
  })
  .meta({
    id: 'TokenSet',
    description: doc('Tokens for a client'),
    examples: [
      {
        access_token: 'eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIyIn0.c2lnbmF0dXJl',
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'read:account read:planets',
      },
    ],
  })

/** An introspection response (RFC 7662, section 2.2). */
export const Introspection = z
  .object({
    active: z.boolean(),
    scope: z.string().optional(),
    client_id: z.string().optional(),
    token_type: z.literal('Bearer').optional(),
    exp: z.int().optional(),
    iat: z.int().optional(),
    sub: z.string().optional(),
    aud: Uri.optional(),
    iss: Uri.optional(),
    jti: z.string().optional(),
  })
  .meta({
    id: 'Introspection',
    description: doc('The state of a token. If the token is not active, there are no other members.'),
    examples: [{ active: true, scope: 'read:planets', client_id: 'b0c1f4de', token_type: 'Bearer', sub: '2' }],
  })

/** A UserInfo response (OpenID Connect Core 1.0, section 5.3.2). */
export const UserInfo = z
  .object({
    sub: z.string().meta({ description: doc('The id of the user') }),
    name: z
      .string()
      .meta({ description: doc('Present only with the scope `profile`') })
      .optional(),
    email: z
      .string()
      .meta({ description: doc('Present only with the scope `email`') })
      .optional(),
    email_verified: z
      .boolean()
      .meta({ description: doc('Always false, because this service does not verify e-mail addresses') })
      .optional(),
  })
  .meta({
    id: 'UserInfo',
    description: doc('The claims about the user that the client may see'),
    examples: [{ sub: '2', name: 'Marc' }],
  })

const url = z.url()
const names = z.array(z.string())

/** The metadata of the provider (RFC 8414, section 2; OpenID Connect Discovery 1.0, section 3). */
export const ProviderMetadata = z.object({
  issuer: url,
  authorization_endpoint: url,
  token_endpoint: url,
  device_authorization_endpoint: url,
  jwks_uri: url,
  registration_endpoint: url,
  revocation_endpoint: url,
  introspection_endpoint: url,
  userinfo_endpoint: url,
  end_session_endpoint: url,
  service_documentation: url,
  scopes_supported: names,
  response_types_supported: z.array(ResponseTypeName),
  response_modes_supported: z.array(
    z
      .enum(RESPONSE_MODES)
      .meta({ id: 'OAuthResponseMode', description: doc('How a client gets an authorization response') }),
  ),
  grant_types_supported: z.array(GrantTypeName),
  code_challenge_methods_supported: names,
  token_endpoint_auth_methods_supported: z.array(AuthenticationMethod),
  token_endpoint_auth_signing_alg_values_supported: names,
  revocation_endpoint_auth_methods_supported: z.array(AuthenticationMethod),
  revocation_endpoint_auth_signing_alg_values_supported: names,
  introspection_endpoint_auth_methods_supported: z.array(AuthenticationMethod),
  introspection_endpoint_auth_signing_alg_values_supported: names,
  authorization_response_iss_parameter_supported: z.literal(true),
  subject_types_supported: names,
  id_token_signing_alg_values_supported: names,
  claims_supported: names,
  prompt_values_supported: names,
  claims_parameter_supported: z.literal(false),
  request_parameter_supported: z.literal(false),
  request_uri_parameter_supported: z.literal(false),
  protected_resources: z.array(url),
})

/** The metadata of the service as a protected resource (RFC 9728, section 2). */
export const ResourceMetadata = z.object({
  resource: url,
  authorization_servers: z.array(url),
  scopes_supported: names,
  bearer_methods_supported: names,
  resource_name: z.string(),
  resource_documentation: url,
})

export const SignInForm = z
  .object({
    csrf: parameter(doc('Proves that the form comes from this service')),
    email: parameter(doc('E-mail address')),
    password: parameter(doc('Password')),
  })
  .meta({ description: doc('The form of the sign-in page') })

export const SignUpForm = SignInForm.extend({
  name: parameter(doc('The name that others see. Optional.'), { example: 'Ada' }),
}).meta({ description: doc('The form of the sign-up page') })

export const ConsentForm = z
  .object({
    csrf: parameter(doc('Proves that the form comes from this service')),
    decision: parameter(doc('`allow`, `deny` or `switch` (to another account)')),
  })
  .meta({ description: doc('The form of the consent page') })

/** The page on which a user types the code of a device. */
const userCode = parameter(doc('The code that the device shows'), { example: 'WDJB-MJHT' })

export const DevicePageParameters = z
  .object({ user_code: userCode })
  .meta({ description: doc('The code that the page has when it opens') })

/** The form of each step on that page. Every step has the code. */
export const DeviceForm = SignInForm.extend({
  user_code: userCode,
  decision: parameter(doc('`allow`, `deny` or `switch` (to another account)')),
}).meta({ description: doc('A form of the page for devices') })

/** A logout request (OpenID Connect RP-Initiated Logout 1.0, section 2). */
export const LogoutParameters = z
  .object({
    id_token_hint: parameter(...ID_TOKEN_HINT),
    client_id: clientId,
    post_logout_redirect_uri: parameter(
      doc('Where the browser continues after the logout. The client must have registered this URI.'),
    ),
    state: parameter(...STATE),
  })
  .meta({ description: doc('A logout request') })

/** A logout request, or the form of the page that asks the user to confirm it. */
export const LogoutForm = LogoutParameters.extend({
  csrf: parameter(doc('Proves that the form comes from this service')),
}).meta({
  description: doc('A logout request, or the form of the page that asks the user to confirm it'),
})

export type AuthorizationParameters = z.infer<typeof AuthorizationParameters>
export type TokenParameters = z.infer<typeof TokenParameters>
export type TokenReference = z.infer<typeof TokenReference>
export type ClientCredentials = z.infer<typeof ClientCredentials>
export type DeviceAuthorization = z.infer<typeof DeviceAuthorization>
export type TokenSet = z.infer<typeof TokenSet>
export type Introspection = z.infer<typeof Introspection>
export type UserInfo = z.infer<typeof UserInfo>
export type ProviderMetadata = z.infer<typeof ProviderMetadata>
export type ResourceMetadata = z.infer<typeof ResourceMetadata>
export type LogoutParameters = z.infer<typeof LogoutParameters>
