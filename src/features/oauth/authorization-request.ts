import type { RequestContext } from '../../http/context.ts'
import { repeatedNames } from '../../http/parameters.ts'
import { type Reply, reply } from '../../http/route.ts'
import { OAuthError } from '../../lib/oauth-errors.ts'
import type { ResponseType } from '../../schemas/client.ts'
import type { AuthorizationParameters } from '../../schemas/oauth.ts'
import type { Scope } from '../../schemas/scopes.ts'
import type { CallingClient } from '../../stores/clients.ts'
import type { SignedIn } from '../../stores/sign-ins.ts'
import {
  CHECKS,
  chooseGrantable,
  chooseMaxAge,
  choosePrompts,
  chooseRedirectUri,
  chooseResponseType,
  invalid,
  readHint,
} from './authorization-parameters.ts'
import { findNamedClient, redirectUrisOf } from './client.ts'
import { addParameters } from './redirect-uris.ts'

/** What a client asks a user for, once it is known that the client may ask. */
export interface AuthorizationRequest {
  client: CallingClient
  redirectUri: string
  responseType: ResponseType
  scopes: Scope[]
  prompts: readonly string[]
  /** Seconds since the user has signed in, at most; undefined for any. */
  maxAge: number | undefined
  /** The user that is meant; undefined for any. */
  hintedUserId: number | undefined
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

/** Redirects to the client where it is the client that has to be told. */
export async function tellingClient<Answer>(work: () => Promise<Answer>): Promise<Answer | Reply<303, undefined>> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ClientFault) return reply(303, undefined, { Location: error.location })
    throw error
  }
}

/** Whether the user has to sign in though the browser is known (OpenID Connect Core 1.0, section 3.1.2.1). */
export function hasToSignIn(
  { prompts, maxAge, hintedUserId }: AuthorizationRequest,
  signedIn: SignedIn,
  now: Date,
): boolean {
  if (prompts.includes('login') || prompts.includes('select_account') || signedIn.suspendedAt) return true
  if (maxAge !== undefined && now.getTime() - signedIn.at.getTime() >= maxAge * 1000) return true
  return hintedUserId !== undefined && hintedUserId !== signedIn.userId
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
  const unclear = repeatedNames(context.query).find((name) => name === 'client_id' || name === 'redirect_uri')
  if (unclear) throw invalid(`The parameter ${unclear} is repeated.`)
  const client = await findNamedClient(parameters.client_id, context)
  if (client.owner?.suspendedAt) throw invalid('The account of the owner of this client is suspended.')
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
      hintedUserId: await readHint(parameters, context),
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
