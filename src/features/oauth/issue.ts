import { accessTokenExpiry, issueAccessToken } from '../../auth/access-token.ts'
import { tokenSecondsOf } from '../../auth/bearer.ts'
import { issueIdToken } from '../../auth/id-token.ts'
import { hashSecret, makeSecret } from '../../auth/secrets.ts'
import type { DescribedUser } from '../../auth/user-claims.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { newUuid } from '../../lib/ids.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { TokenSet } from '../../schemas/oauth.ts'
import { type ConsentUse, insertGrant, type NewGrant, type Successor } from '../../stores/grants.ts'

/** How long a refresh token is valid if it is not used. */
const REFRESH_TOKEN_LIFETIME_MS = 30 * DAY_MS
/** How long a grant can be refreshed. After that, the client must ask the user again. */
const REFRESHABLE_MS = 365 * DAY_MS

/** The grant for which tokens are issued, and what the tokens contain. */
interface TokenDraft {
  user: DescribedUser
  clientId: string
  grantId: string
  /** When the grant ends. The access token expires no later. */
  grantEndsAt: Date
  scopes: readonly Scope[]
  /** When the user signed in; null if no user was present. */
  authenticatedAt: Date | null
  /** Copied from the authorization request into the ID token. */
  nonce?: string | undefined
  refreshToken?: string | undefined
}

/** A new grant whose tokens are issued at once, without a code. */
export interface DirectGrant extends Pick<NewGrant, 'clientId' | 'scopes' | 'authenticatedAt'> {
  user: DescribedUser & { passwordGeneration: number }
}

/** Issues the tokens of a grant (RFC 6749, section 5.1), with an ID token if the scopes include openid. */
export async function issueTokens(
  { refreshToken, nonce, user, grantEndsAt, ...claims }: TokenDraft,
  context: RequestContext,
): Promise<TokenSet> {
  const { services, baseUrl, now } = context
  const { tokens } = services
  const lifetime = tokenSecondsOf(services)
  const access = await issueAccessToken(tokens, { ...claims, userId: user.id }, baseUrl, now, grantEndsAt, lifetime)
  const { token: accessToken, expiresIn } = access
  const wantsIdToken = claims.scopes.includes('openid')
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: expiresIn,
    scope: claims.scopes.join(' '),
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(wantsIdToken && {
      id_token: await issueIdToken({ ...claims, user, nonce, accessToken }, context),
    }),
  }
}

/** Undefined if the grant could not be stored (`insertGrant`). */
export async function startGrant(
  { user, ...newGrant }: DirectGrant,
  context: RequestContext,
  consent?: ConsentUse,
): Promise<TokenSet | undefined> {
  const { id: userId, passwordGeneration } = user
  const expiresAt = accessTokenExpiry(context.now, tokenSecondsOf(context.services))
  const grant = { ...newGrant, userId, passwordGeneration, id: newUuid('grant'), expiresAt }
  const grantEndsAt = await insertGrant(context.session, grant, undefined, context.now, consent)
  if (!grantEndsAt) return undefined
  return await issueTokens({ ...grant, user, grantId: grant.id, grantEndsAt }, context)
}

/**
 * Prepares what follows a redeemed code or refresh token: the new end of the grant, and the next refresh token.
 *
 * @param isRefreshable Whether to create a refresh token
 * @param grantedAt When the user gave the grant
 */
export async function prepareSuccessor(
  isRefreshable: boolean,
  grantedAt: Date,
  { services, now }: Pick<RequestContext, 'services' | 'now'>,
): Promise<Successor & { secret: string | undefined }> {
  const accessTokenEndsAt = accessTokenExpiry(now, tokenSecondsOf(services))
  if (!isRefreshable) return { grantExpiresAt: accessTokenEndsAt, refreshToken: undefined, secret: undefined }
  const secret = makeSecret()
  const expiresAt = new Date(Math.min(now.getTime() + REFRESH_TOKEN_LIFETIME_MS, grantedAt.getTime() + REFRESHABLE_MS))
  // The last refresh token may expire before the access token that is issued with it.
  const grantExpiresAt = new Date(Math.max(expiresAt.getTime(), accessTokenEndsAt.getTime()))
  return { grantExpiresAt, refreshToken: { hash: await hashSecret(secret), expiresAt }, secret }
}
