import { ID_TOKEN_LIFETIME_SECONDS, issueIdToken } from '../../auth/id-token.ts'
import { hashSecret, makeSecret } from '../../auth/secrets.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { requireWritesLeft } from '../../http/pipeline/write-limit.ts'
import type { ResponseType } from '../../schemas/client.ts'
import { type ConsentUse, insertGrant } from '../../stores/grants.ts'
import type { SignedIn } from '../../stores/sign-ins.ts'
import { type Answer, answerClient } from './answer.ts'
import { invalid } from './authorization-parameters.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { startGrant } from './issue.ts'
import { NO_CHALLENGE } from './pkce.ts'

const CODE_LIFETIME_MS = 60_000

/**
 * Stores what the user allows, and makes what the client gets for it.
 *
 * @returns What brings it to the client
 * @throws OAuthError if the client or the user was deleted meanwhile; ProblemError 429 after too many writes of the user
 */
export async function allow(
  request: AuthorizationRequest,
  signedIn: SignedIn,
  context: RequestContext,
  consent: ConsentUse,
): Promise<Answer> {
  await requireWritesLeft(context.services, { id: signedIn.userId })
  const answer = await GIVE[request.responseType](request, signedIn, context, consent)
  if (!answer) throw invalid('The client or your account was deleted.')
  return await answerClient(request, answer, context.baseUrl)
}

type Give = (
  request: AuthorizationRequest,
  signedIn: SignedIn,
  context: RequestContext,
  consent: ConsentUse,
) => Promise<Record<string, string> | undefined>

/** The implicit flow (RFC 6749, section 4.2). */
const giveTokens: Give = async ({ client, scopes }, { userId, passwordGeneration, at }, context, consent) => {
  // The implicit flow has no ID token, which is all that a name and an e-mail address are for.
  const user = { id: userId, passwordGeneration, name: null, email: null }
  const tokens = await startGrant({ clientId: client.id, user, scopes, authenticatedAt: at }, context, consent)
  return tokens && Object.fromEntries(Object.entries(tokens).map(([name, value]) => [name, String(value)]))
}

/** The code flow (RFC 6749, section 4.1). */
const giveCode: Give = async ({ client, scopes, parameters }, signedIn, { session, now }, consent) => {
  const { userId, passwordGeneration, at } = signedIn
  const code = makeSecret()
  const expiresAt = new Date(now.getTime() + CODE_LIFETIME_MS)
  const stored = {
    hash: await hashSecret(code),
    redirectUri: parameters.redirect_uri ?? null,
    challenge: parameters.code_challenge ?? NO_CHALLENGE,
    nonce: parameters.nonce ?? null,
    expiresAt,
  }
  const given = { clientId: client.id, userId, passwordGeneration, scopes, authenticatedAt: at, expiresAt }
  const endsAt = await insertGrant(session.db, { ...given, id: crypto.randomUUID() }, stored, now, consent)
  return endsAt && { code }
}

/**
 * The ID token alone (OpenID Connect Core 1.0, section 3.2). It opens nothing here. The grant is there for the user to see,
 * and shows that the client is in use.
 */
const giveIdToken: Give = async ({ client, scopes, parameters }, signedIn, context, consent) => {
  const { services, session, baseUrl, now } = context
  const { userId, name, email, passwordGeneration, at } = signedIn
  const expiresAt = new Date(now.getTime() + ID_TOKEN_LIFETIME_SECONDS * 1000)
  const given = { clientId: client.id, userId, passwordGeneration, scopes, authenticatedAt: at, expiresAt }
  const endsAt = await insertGrant(session.db, { ...given, id: crypto.randomUUID() }, undefined, now, consent)
  if (!endsAt) return undefined
  const { nonce } = parameters
  const claims = { ...given, user: { id: userId, name, email }, nonce, accessToken: undefined }
  return { id_token: await issueIdToken(services.tokens, claims, baseUrl, now) }
}

/** THE table of what each response type gives. */
const GIVE: Readonly<Record<ResponseType, Give>> = { code: giveCode, token: giveTokens, id_token: giveIdToken }
