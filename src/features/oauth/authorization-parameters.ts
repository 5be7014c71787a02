import { readIdTokenHint } from '../../auth/id-token.ts'
import { InvalidCredential } from '../../auth/invalid-credential.ts'
import { OAuthError } from '../../domain/oauth-errors.ts'
import type { Scope } from '../../domain/scopes.ts'
import { repeatedNames } from '../../http/body/form.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { countCodePoints } from '../../lib/text.ts'
import { CLIENT_AUTHENTICATION, RESPONSE_TYPE_NAMES, type ResponseType } from '../../schemas/client.ts'
import { AuthorizationParameters } from '../../schemas/oauth.ts'
import type { CallingClient } from '../../stores/clients.ts'
import { chooseScopes, registeredScopes, requireOwnResources } from './client.ts'
import { keepEnabledTypes } from './legacy-flows.ts'
import { isChallenge } from './pkce.ts'
import { isRegistered } from './redirect-uris.ts'

// Checks the parameters of an authorization request. Each function checks one parameter, or a few that belong together.

export const PROMPTS = ['none', 'login', 'consent', 'select_account'] as const

/**
 * The redirect URI of a request. A client may omit redirect_uri if it registered exactly one, unless it requests an ID
 * token (OpenID Connect Core 1.0, section 3.1.2.1).
 *
 * @throws OAuthError invalid_request
 */
export function chooseRedirectUri(
  { redirect_uri, scope }: AuthorizationParameters,
  registeredUris: readonly string[],
): string {
  const [firstUri, secondUri] = registeredUris
  if (redirect_uri === undefined) {
    const hasExactlyOne = firstUri !== undefined && secondUri === undefined
    if (hasExactlyOne && !asksForIdToken(scope)) return firstUri
    throw new OAuthError('invalid_request', 'The parameter redirect_uri is missing.')
  }
  if (isRegistered(redirect_uri, registeredUris)) return redirect_uri
  throw new OAuthError('invalid_request', 'The client has not registered this redirect_uri.')
}

/** The only parameter that may be sent more than once (RFC 8707, section 2). */
export const REPEATABLE = 'resource'

type ParameterRule = (parameters: AuthorizationParameters, client: CallingClient, context: RequestContext) => void

/**
 * Registry: the checks that only accept or reject a request. Each throws an OAuthError if it rejects the request. The
 * parameters from which the service needs a value are checked by the functions that return this value
 * (`chooseRedirectUri` and others).
 */
export const PARAMETER_RULES: readonly ParameterRule[] = [
  function noRepetition(_parameters, _client, { query }) {
    const name = repeatedNames(query).find((repeated) => repeated !== REPEATABLE)
    if (name !== undefined) throw invalidRequest(`The parameter ${name} must be sent only once.`)
  },
  function noRequestObject({ request, request_uri }) {
    if (request !== undefined) throw new OAuthError('request_not_supported', 'Request objects are not supported.')
    if (request_uri !== undefined)
      throw new OAuthError('request_uri_not_supported', 'Request objects are not supported.')
  },
  function noLongValue(parameters) {
    for (const [name, schema] of Object.entries(AuthorizationParameters.shape)) {
      const value = parameters[name as keyof AuthorizationParameters] ?? ''
      const maximum = Number(schema.meta()?.maxLength)
      if (countCodePoints(value) > maximum) throw invalidRequest(`${name} must have at most ${maximum} characters.`)
    }
  },
  function resourcesAreThisService(_parameters, _client, { query, baseUrl }) {
    requireOwnResources(query.getAll(REPEATABLE), baseUrl)
  },
  // PKCE (RFC 7636) protects a code, so the response types that issue no code do not need it.
  function proofKey({ response_type, code_challenge, code_challenge_method, ...parameters }, client) {
    if (response_type === 'token' || response_type === 'id_token') return
    const usesNoPkce = code_challenge === undefined && code_challenge_method === undefined
    if (usesNoPkce && isProtectedByNonce(parameters, client)) return
    if (code_challenge === undefined) {
      throw invalidRequest(
        'PKCE is required: the parameter code_challenge is missing. Only a confidential client that requests the scope openid with a nonce may omit it.',
      )
    }
    if (code_challenge_method !== 'S256') throw invalidRequest('code_challenge_method must be S256.')
    if (!isChallenge(code_challenge)) throw invalidRequest('code_challenge must be a SHA-256 hash in base64url.')
  },
  // The nonce binds the ID token to the request, as PKCE binds a code (OpenID Connect Core 1.0, section 3.2.2.1).
  function nonceOfIdToken({ response_type, nonce, scope }) {
    if (response_type !== 'id_token') return
    if (nonce === undefined)
      throw invalidRequest('The parameter nonce is missing: the response type id_token requires it.')
    if (!asksForIdToken(scope)) {
      throw new OAuthError('invalid_scope', 'The response type id_token requires the scope openid.')
    }
  },
]

/** Whether a request with these scopes is a request for an ID token. */
function asksForIdToken(scope: string | undefined): boolean {
  return scope?.split(' ').includes('openid') ?? false
}

/**
 * Whether a request is safe without PKCE (RFC 9700, section 2.1.1): the client is confidential, so nobody else can
 * redeem its codes, and the nonce in the ID token lets the client detect an injected code.
 */
function isProtectedByNonce({ scope, nonce }: AuthorizationParameters, { metadata }: CallingClient): boolean {
  const { isPublic } = CLIENT_AUTHENTICATION[metadata.token_endpoint_auth_method]
  return !isPublic && nonce !== undefined && asksForIdToken(scope)
}

/** @throws OAuthError invalid_request, unsupported_response_type, unauthorized_client */
export function chooseResponseType(
  { response_type }: AuthorizationParameters,
  { metadata }: CallingClient,
  legacyFlows: boolean,
): ResponseType {
  if (response_type === undefined) throw invalidRequest('The parameter response_type is missing.')
  const enabledTypes = keepEnabledTypes(RESPONSE_TYPE_NAMES, legacyFlows)
  const type = enabledTypes.find((name) => name === response_type)
  if (!type) throw new OAuthError('unsupported_response_type', `response_type must be ${enabledTypes.join(' or ')}.`)
  if (metadata.response_types.includes(type)) return type
  throw new OAuthError('unauthorized_client', `The client is not registered for the response type ${type}.`)
}

/**
 * Registry: whether a response type can grant a scope to a client. `offline_access` stands for a refresh token, which
 * requires a code. `token` issues no ID token, so it does not grant `openid`. An ID token gives no access, so
 * `id_token` grants only the scopes that decide its claims.
 */
const CAN_GRANT: Readonly<Record<ResponseType, (scope: Scope, client: CallingClient) => boolean>> = {
  code: (scope, { metadata }) => scope !== 'offline_access' || metadata.grant_types.includes('refresh_token'),
  token: (scope) => scope !== 'offline_access' && scope !== 'openid',
  id_token: (scope) => scope === 'openid' || scope === 'profile' || scope === 'email',
}

/** The requested scopes that can be granted. @throws OAuthError invalid_scope if there are none */
export function chooseGrantableScopes(
  { scope: text }: AuthorizationParameters,
  client: CallingClient,
  responseType: ResponseType,
): Scope[] {
  const requested = chooseScopes(text, registeredScopes(client))
  const grantable = requested.filter((scope) => CAN_GRANT[responseType](scope, client))
  if (grantable.length > 0) return grantable
  throw new OAuthError('invalid_scope', 'None of the requested scopes can be granted to this client in this way.')
}

/** @throws OAuthError invalid_request */
export function parsePrompts({ prompt }: AuthorizationParameters): string[] {
  const prompts = prompt?.split(' ') ?? []
  const unknown = prompts.find((name) => !PROMPTS.some((known) => known === name))
  if (unknown !== undefined) throw invalidRequest(`Unknown prompt value. Supported: ${PROMPTS.join(', ')}.`)
  if (prompts.includes('none') && prompts.length > 1)
    throw invalidRequest('The prompt none cannot be combined with others.')
  return prompts
}

/** The parameter max_age, in seconds; undefined if it is absent. @throws OAuthError invalid_request */
export function parseMaxAge({ max_age }: AuthorizationParameters): number | undefined {
  if (max_age === undefined) return undefined
  if (/^[0-9]{1,9}$/.test(max_age)) return Number(max_age)
  throw invalidRequest('max_age must be a whole number of seconds with at most nine digits.')
}

/** The user whom id_token_hint names; undefined without a hint. @throws OAuthError invalid_request */
export async function readHintedUserId(
  { id_token_hint }: AuthorizationParameters,
  context: RequestContext,
): Promise<number | undefined> {
  if (id_token_hint === undefined) return undefined
  return (await requireOwnIdToken(id_token_hint, context)).userId
}

/** Reads the parameter id_token_hint. @throws OAuthError invalid_request if it is not an ID token from this service */
export async function requireOwnIdToken(
  hint: string,
  context: RequestContext,
): Promise<{ userId: number; clientId: string }> {
  try {
    return await readIdTokenHint(hint, context)
  } catch (error) {
    throw error instanceof InvalidCredential
      ? invalidRequest('id_token_hint is not an ID token from this service.')
      : error
  }
}

export function invalidRequest(description: string): OAuthError {
  return new OAuthError('invalid_request', description)
}
