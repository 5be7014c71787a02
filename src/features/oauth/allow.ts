import { ID_TOKEN_LIFETIME_SECONDS, issueIdToken } from '../../auth/id-token.ts'
import { hashSecret, makeSecret } from '../../auth/secrets.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { requireWritesLeft } from '../../http/pipeline/write-limit.ts'
import { newUuid } from '../../lib/ids.ts'
import type { ResponseType } from '../../schemas/client.ts'
import { type ConsentUse, insertGrant } from '../../stores/grants.ts'
import type { SignedIn } from '../../stores/sign-ins.ts'
import { type ClientResponse, respondToClient } from './answer.ts'
import { invalidRequest } from './authorization-parameters.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { startGrant } from './issue.ts'
import { NO_CHALLENGE } from './pkce.ts'
import type { ResponseParameters } from './redirect-uris.ts'

const CODE_LIFETIME_MS = 60_000

/** The error if `insertGrant` stores nothing. */
export const GRANT_NOT_STORED =
  'The client or your account was deleted or suspended, or your password was changed. Go back to the application and start again.'

/**
 * @param consent Whether a remembered consent is stored or required; undefined if consent is not remembered
 * @returns The response that takes the code or the token to the client
 * @throws OAuthError if the grant could not be stored (`insertGrant`); ProblemError 429 if the user writes too often
 */
export async function allowRequest(
  request: AuthorizationRequest,
  signedIn: SignedIn,
  context: RequestContext,
  consent: ConsentUse,
): Promise<ClientResponse> {
  await requireWritesLeft(context.services, { id: signedIn.userId })
  const parameters = await RESPONSE_ISSUERS[request.responseType](request, signedIn, context, consent)
  if (!parameters) throw invalidRequest(GRANT_NOT_STORED)
  return await respondToClient(request, parameters, context.baseUrl)
}

/** @returns The parameters of the response; undefined if the grant could not be stored (`insertGrant`) */
type ResponseIssuer = (
  request: AuthorizationRequest,
  signedIn: SignedIn,
  context: RequestContext,
  consent: ConsentUse,
) => Promise<ResponseParameters | undefined>

/** The implicit flow (RFC 6749, section 4.2). */
const issueImplicitTokens: ResponseIssuer = async (
  { client, scopes },
  { userId, passwordGeneration, signedInAt },
  context,
  consent,
) => {
  // This flow issues no ID token, and only an ID token contains the name and the e-mail address.
  const user = { id: userId, passwordGeneration, name: null, email: null }
  const tokens = await startGrant({ clientId: client.id, user, scopes, authenticatedAt: signedInAt }, context, consent)
  if (!tokens) return undefined
  // The response goes into a URL or a form, so each value must be a text.
  return Object.fromEntries(Object.entries(tokens).map(([name, value]) => [name, String(value)]))
}

/** The code flow (RFC 6749, section 4.1). */
const issueCode: ResponseIssuer = async ({ client, scopes, parameters }, signedIn, { session, now }, consent) => {
  const { userId, passwordGeneration, signedInAt } = signedIn
  const code = makeSecret()
  const expiresAt = new Date(now.getTime() + CODE_LIFETIME_MS)
  const storedCode = {
    hash: await hashSecret(code),
    redirectUri: parameters.redirect_uri ?? null,
    challenge: parameters.code_challenge ?? NO_CHALLENGE,
    nonce: parameters.nonce ?? null,
    expiresAt,
  }
  const grant = { clientId: client.id, userId, passwordGeneration, scopes, authenticatedAt: signedInAt, expiresAt }
  const endsAt = await insertGrant(session, { ...grant, id: newUuid('grant') }, { code: storedCode }, now, consent)
  return endsAt === undefined ? undefined : { code }
}

/**
 * The implicit flow with an ID token only (OpenID Connect Core 1.0, section 3.2). The token gives no access to this
 * service. The grant is stored so that the user can see it, and so that the client counts as in use.
 */
const issueIdTokenAlone: ResponseIssuer = async ({ client, scopes, parameters }, signedIn, context, consent) => {
  const { session, now } = context
  const { userId, name, email, passwordGeneration, signedInAt } = signedIn
  const expiresAt = new Date(now.getTime() + ID_TOKEN_LIFETIME_SECONDS * 1000)
  const grant = { clientId: client.id, userId, passwordGeneration, scopes, authenticatedAt: signedInAt, expiresAt }
  const endsAt = await insertGrant(session, { ...grant, id: newUuid('grant') }, undefined, now, consent)
  if (!endsAt) return undefined
  const { nonce } = parameters
  const claims = { ...grant, user: { id: userId, name, email }, nonce, accessToken: undefined }
  return { id_token: await issueIdToken(claims, context) }
}

/** Registry: what each response type issues. */
const RESPONSE_ISSUERS: Readonly<Record<ResponseType, ResponseIssuer>> = {
  code: issueCode,
  token: issueImplicitTokens,
  id_token: issueIdTokenAlone,
}
