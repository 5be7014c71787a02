import { accessTokenExpiry, issueAccessToken } from '../../auth/access-token.ts'
import { issueIdToken } from '../../auth/id-token.ts'
import { hashSecret, makeSecret } from '../../auth/secrets.ts'
import type { DescribedUser } from '../../auth/user-claims.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import type { TokenSet } from '../../schemas/oauth.ts'
import type { Scope } from '../../schemas/scopes.ts'
import { type ConsentUse, insertGrant, type NewGrant, type Successor } from '../../stores/grants.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Without use. */
const REFRESH_TOKEN_LIFETIME_MS = 30 * DAY_MS
/** However often it is used: then the user is asked again. */
const REFRESHABLE_MS = 365 * DAY_MS

/** What tokens are issued for. */
export interface Issue {
  user: DescribedUser
  clientId: string
  grantId: string
  /** When the grant ends: no token under it holds longer. */
  grantEndsAt: Date
  scopes: readonly Scope[]
  /** When the user signed in; null where no user was there. */
  authenticatedAt: Date | null
  /** For the ID token. */
  nonce?: string | undefined
  refreshToken?: string | undefined
}

/** Whom a grant is of. */
type GrantingUser = DescribedUser & { passwordGeneration: number }

/** Makes the tokens of a grant (RFC 6749, section 5.1), with an ID token where the scope openid asks for one. */
export async function issueTokens(
  { refreshToken, nonce, user, grantEndsAt, ...claims }: Issue,
  { services, baseUrl, now }: RequestContext,
): Promise<TokenSet> {
  const { tokens } = services
  const access = await issueAccessToken(tokens, { ...claims, userId: user.id }, baseUrl, now, grantEndsAt)
  const { token: accessToken, expiresIn } = access
  const wantsIdToken = claims.scopes.includes('openid')
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: expiresIn,
    scope: claims.scopes.join(' '),
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(wantsIdToken && {
      id_token: await issueIdToken(tokens, { ...claims, user, nonce, accessToken }, baseUrl, now),
    }),
  }
}

/**
 * Starts a grant that is not redeemed by a code: the client has all of it at once.
 *
 * @returns Undefined if the client or the user was deleted meanwhile
 */
export async function startGrant(
  { user, ...given }: Omit<NewGrant, 'id' | 'expiresAt' | 'userId' | 'passwordGeneration'> & { user: GrantingUser },
  context: RequestContext,
  consent?: ConsentUse,
): Promise<TokenSet | undefined> {
  const { id: userId, passwordGeneration } = user
  const expiresAt = accessTokenExpiry(context.now)
  const grant = { ...given, userId, passwordGeneration, id: crypto.randomUUID(), expiresAt }
  const grantEndsAt = await insertGrant(context.session.db, grant, undefined, context.now, consent)
  return grantEndsAt && (await issueTokens({ ...grant, user, grantId: grant.id, grantEndsAt }, context))
}

/**
 * What follows on a code or a refresh token: how long the grant now holds, and the next refresh token.
 *
 * @param isRefreshable Whether there is to be one
 * @param grantedAt When the user has allowed it
 */
export async function prepareSuccessor(
  isRefreshable: boolean,
  grantedAt: Date,
  now: Date,
): Promise<Successor & { secret: string | undefined }> {
  if (!isRefreshable) return { grantExpiresAt: accessTokenExpiry(now), refreshToken: undefined, secret: undefined }
  const secret = makeSecret()
  const expiresAt = new Date(Math.min(now.getTime() + REFRESH_TOKEN_LIFETIME_MS, grantedAt.getTime() + REFRESHABLE_MS))
  const grantExpiresAt = new Date(Math.max(expiresAt.getTime(), accessTokenExpiry(now).getTime()))
  return { grantExpiresAt, refreshToken: { hash: await hashSecret(secret), expiresAt }, secret }
}
