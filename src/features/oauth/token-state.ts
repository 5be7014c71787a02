import { type VerifiedAccessToken, verifyAccessToken } from '../../auth/access-token.ts'
import { InvalidCredential } from '../../auth/invalid-credential.ts'
import { hashSecret } from '../../auth/secrets.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { dateOf, earliest } from '../../lib/time.ts'
import { findGrant, findRedeemable, type RedeemableSecret } from '../../stores/grants.ts'
import { grantRequirements } from './redeem.ts'

/** A token that a client sent: its kind, and the grant under which it was issued. */
export type KnownToken = Omit<RedeemableSecret<unknown>, 'secret'> &
  ({ kind: 'access token'; claims: VerifiedAccessToken } | { kind: 'refresh token'; secret: RefreshTokenTimes })

/** When a refresh token expires, and when it was used; null if it was not used. */
interface RefreshTokenTimes {
  expiresAt: Date
  usedAt: Date | null
}

/**
 * Finds the grant of a token of either kind.
 *
 * @returns Undefined if the service did not issue the token, or if it is an access token that has expired
 */
export async function findToken(token: string, context: RequestContext): Promise<KnownToken | undefined> {
  const { db } = context.session
  // An access token is a JWT, whose parts are separated by dots. A refresh token contains no dots.
  if (!token.includes('.')) {
    const found = await findRedeemable(db, 'refresh token', await hashSecret(token))
    return found && { kind: 'refresh token', ...found }
  }
  const claims = await readAccessToken(token, context)
  const found = claims && (await findGrant(db, claims.grantId))
  return found && { kind: 'access token', claims, ...found }
}

async function readAccessToken(token: string, context: RequestContext): Promise<VerifiedAccessToken | undefined> {
  try {
    return await verifyAccessToken(token, context)
  } catch (error) {
    if (error instanceof InvalidCredential) return undefined
    throw error
  }
}

/** Whether the service would accept a token now. */
export function isActive(token: KnownToken, now: Date): boolean {
  // `findToken` returns no expired access token. A refresh token can be used only once.
  const isUsable = token.kind === 'access token' || (token.secret.usedAt === null && token.secret.expiresAt > now)
  return isUsable && grantRequirements(token, now).every(([isMet]) => isMet)
}

/** When a token stops working: when the token or its grant expires, whichever is earlier. */
export function expiryOf({ grant, ...token }: KnownToken): Date {
  const tokenExpiry = token.kind === 'access token' ? dateOf(token.claims.expiresAt) : token.secret.expiresAt
  return earliest(tokenExpiry, grant.expiresAt)
}
