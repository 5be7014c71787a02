import { OAuthError } from '../../domain/oauth-errors.ts'
import type { Reply } from '../../domain/reply.ts'
import type { Scope } from '../../domain/scopes.ts'
import { repeatedNames } from '../../http/body/form.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import type { ResponseType } from '../../schemas/client.ts'
import type { AuthorizationParameters } from '../../schemas/oauth.ts'
import type { SignedIn } from '../../stores/sign-ins.ts'
import { type Addressee, type ClientResponse, respondToClient } from './answer.ts'
import {
  chooseGrantableScopes,
  chooseRedirectUri,
  chooseResponseType,
  invalidRequest,
  PARAMETER_RULES,
  parseMaxAge,
  parsePrompts,
  readHintedUserId,
} from './authorization-parameters.ts'
import type { Browser } from './browser.ts'
import { findActiveClientForPage, redirectUrisOf } from './client.ts'
import { addParameters, destinationOf } from './redirect-uris.ts'
import { requireResponseMode } from './response-modes.ts'
import { isRedirectTrusted } from './trust.ts'

/** A client's request for access to the account of a user. It has passed all checks. */
export interface AuthorizationRequest extends Addressee {
  responseType: ResponseType
  scopes: Scope[]
  prompts: readonly string[]
  /** Maximum number of seconds since the user signed in; undefined for no limit. */
  maxAge: number | undefined
  /** The user that the client expects; undefined for any user. */
  hintedUserId: number | undefined
}

/** An error that is reported to the client through the user's browser (RFC 6749, section 4.1.2.1). */
export class ClientFault extends Error {
  override readonly name = 'ClientFault'
  readonly addressee: Addressee
  readonly fault: OAuthError

  constructor(addressee: Addressee, fault: OAuthError) {
    super('an error for the client')
    this.addressee = addressee
    this.fault = fault
  }
}

/**
 * Runs `work`. If it throws a `ClientFault`, sends this error to the client, in the response mode of the request. If
 * redirects to the client are not trusted and no user is signed in, the user gets an error page instead, which names
 * the host of the redirect URI (RFC 9700, section 4.11.2).
 *
 * @throws OAuthError for the error page
 */
export async function reportErrorsToClient<Result>(
  { signedIn }: Browser,
  { baseUrl }: RequestContext,
  work: () => Promise<Result>,
): Promise<Result | ClientResponse> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ClientFault)) throw error
    const { addressee, fault } = error
    const isSignedIn = signedIn !== undefined && !signedIn.suspendedAt
    if (!isSignedIn && !isRedirectTrusted(addressee.client)) throw errorForUser(addressee, fault)
    return await respondToClient(addressee, { error: fault.code, error_description: fault.message }, baseUrl)
  }
}

/** The error as the user sees it. It names only the host, because anyone may have written the rest of the URI. */
function errorForUser({ redirectUri }: Addressee, { code, message }: OAuthError): OAuthError {
  return new OAuthError(
    code,
    `${message} (${code}) The application asked to receive this error at ${destinationOf(redirectUri)}. That address is not verified, so you are not redirected there. Go back to the page that you came from.`,
  )
}

/** Whether a user who is signed in must sign in again (OpenID Connect Core 1.0, section 3.1.2.1). */
export function mustSignIn(
  { prompts, maxAge, hintedUserId }: AuthorizationRequest,
  signedIn: SignedIn,
  now: Date,
): boolean {
  if (prompts.includes('login') || prompts.includes('select_account') || signedIn.suspendedAt) return true
  if (maxAge !== undefined && now.getTime() - signedIn.signedInAt.getTime() >= maxAge * 1000) return true
  return hintedUserId !== undefined && hintedUserId !== signedIn.userId
}

/** The redirect to the authorization request, without the parameters that asked for this sign-in. */
export function continueSignedIn(
  { prompt, max_age: _, ...parameters }: AuthorizationParameters,
  { headers }: Pick<Browser, 'headers'>,
): Reply<303, undefined> {
  const remainingPrompts = prompt?.split(' ').filter((name) => name !== 'login' && name !== 'select_account')
  const url = addParameters(
    '/oauth/authorize',
    { ...parameters, prompt: remainingPrompts?.join(' ') || undefined },
    'query',
  )
  return reply(303, undefined, { ...headers, Location: url })
}

/**
 * Errors are for the user until the redirect URI is verified, then for the client.
 *
 * @throws OAuthError for the user, ClientFault for the client
 */
export async function checkRequest(
  parameters: AuthorizationParameters,
  context: RequestContext,
): Promise<AuthorizationRequest> {
  // `client_id` and `redirect_uri` are checked first, because they decide who receives the errors of the other checks.
  const repeatedName = repeatedNames(context.query).find((name) => name === 'client_id' || name === 'redirect_uri')
  if (repeatedName) throw invalidRequest(`The parameter ${repeatedName} must be sent only once.`)
  const client = await findActiveClientForPage(parameters.client_id, context)
  const redirectUri = chooseRedirectUri(parameters, redirectUrisOf(client, context.baseUrl))
  const { legacyFlows } = context.services.config
  try {
    for (const check of PARAMETER_RULES) check(parameters, client, context)
    requireResponseMode(parameters, redirectUri)
    const responseType = chooseResponseType(parameters, client, legacyFlows)
    return {
      client,
      redirectUri,
      responseType,
      scopes: chooseGrantableScopes(parameters, client, responseType),
      prompts: parsePrompts(parameters),
      maxAge: parseMaxAge(parameters),
      hintedUserId: await readHintedUserId(parameters, context),
      parameters,
    }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    throw new ClientFault({ client, redirectUri, parameters }, error)
  }
}
