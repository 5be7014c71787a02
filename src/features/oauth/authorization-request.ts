import type { RequestContext } from '../../http/context.ts'
import { OAuthError } from '../../lib/oauth-errors.ts'
import { RESPONSE_TYPES, type ResponseType } from '../../schemas/client.ts'
import type { AuthorizationParameters } from '../../schemas/oauth.ts'
import type { Scope } from '../../schemas/scopes.ts'
import type { StoredClient } from '../../stores/clients.ts'
import { chooseScopes, findClient, redirectUrisOf, registeredScopes, requireOwnResource } from './client.ts'
import { isChallenge } from './pkce.ts'
import { addParameters, isRegistered } from './redirect-uris.ts'

export const PROMPTS = ['none', 'login', 'consent', 'select_account'] as const

/** What a client asks a user for, once it is known that the client may ask. */
export interface AuthorizationRequest {
  client: StoredClient
  redirectUri: string
  responseType: ResponseType
  scopes: Scope[]
  prompts: readonly string[]
  /** Seconds since the user has signed in, at most; undefined for any. */
  maxAge: number | undefined
  parameters: AuthorizationParameters
}

/** An error that the client is told, by way of the user's browser (RFC 6749, section 4.1.2.1). */
export class ClientFault extends Error {
  override readonly name = 'ClientFault'
  /** The address that tells the client. */
  readonly location: string

  constructor(location: string) {
    super('the client has to be told')
    this.location = location
  }
}

/**
 * Checks an authorization request. While it is not known where the client is, the user is told; then the client.
 *
 * @throws OAuthError for the user, ClientFault for the client
 */
export async function checkRequest(
  parameters: AuthorizationParameters,
  context: RequestContext,
): Promise<AuthorizationRequest> {
  const client = await findRequestingClient(parameters, context)
  const redirectUri = chooseRedirectUri(parameters, redirectUrisOf(client, context.baseUrl))
  const { legacyFlows } = context.services.config
  try {
    for (const check of CHECKS) check(parameters, client, context)
    return {
      client,
      redirectUri,
      responseType: chooseResponseType(parameters, client, legacyFlows),
      scopes: chooseGrantable(parameters, client),
      prompts: choosePrompts(parameters),
      maxAge: chooseMaxAge(parameters),
      parameters,
    }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const answer = { error: error.code, error_description: error.message }
    throw new ClientFault(answerTo({ redirectUri, parameters }, answer, context.baseUrl))
  }
}

/** The address that brings an answer to the client, with its `state`, and with who answers (RFC 9207). */
export function answerTo(
  { redirectUri, parameters }: Pick<AuthorizationRequest, 'redirectUri' | 'parameters'>,
  answer: Readonly<Record<string, string>>,
  issuer: string,
): string {
  const place = parameters.response_type === 'token' ? 'fragment' : 'query'
  return addParameters(redirectUri, { ...answer, state: parameters.state, iss: issuer }, place)
}

async function findRequestingClient({ client_id }: AuthorizationParameters, context: RequestContext) {
  try {
    return await findClient(client_id, context)
  } catch (error) {
    // It is the user who is told, and no credential that was wrong.
    throw error instanceof OAuthError ? new OAuthError('invalid_request', error.message) : error
  }
}

function chooseRedirectUri({ redirect_uri }: AuthorizationParameters, registered: readonly string[]): string {
  const [only, another] = registered
  if (redirect_uri === undefined) {
    if (only !== undefined && another === undefined) return only
    throw new OAuthError('invalid_request', 'The parameter redirect_uri is missing.')
  }
  if (isRegistered(redirect_uri, registered)) return redirect_uri
  throw new OAuthError('invalid_request', 'The redirect_uri is none that the client has registered.')
}

type Check = (parameters: AuthorizationParameters, client: StoredClient, context: RequestContext) => void

/** THE list of what a request has to be, besides what is chosen from it. */
const CHECKS: readonly Check[] = [
  function noRequestObject({ request, request_uri }) {
    if (request !== undefined) throw new OAuthError('request_not_supported', 'Request objects are not taken.')
    if (request_uri !== undefined) throw new OAuthError('request_uri_not_supported', 'Request objects are not taken.')
  },
  function usualResponseMode({ response_mode, response_type }) {
    const usual = response_type === 'token' ? 'fragment' : 'query'
    if (response_mode !== undefined && response_mode !== usual) throw invalid(`response_mode can be ${usual}.`)
  },
  function ownResource({ resource }, _, { baseUrl }) {
    requireOwnResource(resource, baseUrl)
  },
  function proofKey({ response_type, code_challenge, code_challenge_method }) {
    if (response_type === 'token') return
    if (code_challenge === undefined) throw invalid('PKCE is required: the parameter code_challenge is missing.')
    if (code_challenge_method !== 'S256') throw invalid('code_challenge_method has to be S256.')
    if (!isChallenge(code_challenge)) throw invalid('code_challenge is no SHA-256 in base64url.')
  },
]

function chooseResponseType(
  { response_type }: AuthorizationParameters,
  { metadata }: StoredClient,
  legacyFlows: boolean,
): ResponseType {
  if (response_type === undefined) throw invalid('The parameter response_type is missing.')
  const known = RESPONSE_TYPES.filter((type) => legacyFlows || type === 'code')
  const type = known.find((name) => name === response_type)
  if (!type) throw new OAuthError('unsupported_response_type', `response_type can be ${known.join(' or ')}.`)
  if (metadata.response_types.includes(type)) return type
  throw new OAuthError('unauthorized_client', `The client is not registered for the response type ${type}.`)
}

/** Of the implicit flow neither an ID token nor a refresh token comes, so it cannot be asked for them. */
function chooseGrantable(parameters: AuthorizationParameters, client: StoredClient): Scope[] {
  const scopes = chooseScopes(parameters.scope, registeredScopes(client))
  if (parameters.response_type !== 'token') return scopes
  const grantable = scopes.filter((scope) => scope !== 'openid' && scope !== 'offline_access')
  if (grantable.length === 0) throw new OAuthError('invalid_scope', 'The implicit flow gives none of these scopes.')
  return grantable
}

function choosePrompts({ prompt }: AuthorizationParameters): string[] {
  const prompts = prompt?.split(' ') ?? []
  const unknown = prompts.find((name) => !PROMPTS.some((known) => known === name))
  if (unknown !== undefined) throw invalid(`prompt can be ${PROMPTS.join(', ')}.`)
  if (prompts.includes('none') && prompts.length > 1) throw invalid('The prompt none stands alone.')
  return prompts
}

function chooseMaxAge({ max_age }: AuthorizationParameters): number | undefined {
  if (max_age === undefined) return undefined
  if (/^[0-9]{1,9}$/.test(max_age)) return Number(max_age)
  throw invalid('max_age takes seconds.')
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_request', description)
}
