import { OAuthError } from '../../domain/oauth-errors.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import type { TokenSet } from '../../schemas/oauth.ts'
import type { CallingClient } from '../../stores/clients.ts'
import { endGrant, type RedeemableSecret, redeem } from '../../stores/grants.ts'
import { issueTokens, prepareSuccessor } from './issue.ts'

// Codes and refresh tokens are redeemed alike: each can be used only once, and only while its grant is valid.

/** A condition, and the description of the error if it is not met. */
export type Requirement = [isMet: boolean, fault: string]

/** Checks that all conditions are met. @throws OAuthError invalid_grant for the first that is not */
export function requireAll(requirements: readonly Requirement[]): void {
  for (const [isMet, fault] of requirements) if (!isMet) throw invalidGrant(fault)
}

/** The conditions for a grant to be valid, and with it everything that was issued under it. */
export function grantRequirements(
  { grant, user }: Omit<RedeemableSecret<unknown>, 'secret'>,
  now: Date,
): Requirement[] {
  return [
    [grant.expiresAt > now, 'The grant of the user has expired.'],
    [grant.endedAt === null, 'The grant of the user was revoked.'],
    [grant.passwordGeneration === user.passwordGeneration, 'The user has a new password.'],
    [user.suspendedAt === null, 'The account of the user is suspended.'],
  ]
}

/**
 * Checks a code or refresh token against what is stored. Reuse is a sign of theft, so it ends the grant.
 *
 * @throws OAuthError invalid_grant
 */
export async function requireRedeemable<Secret extends { expiresAt: Date; usedAt: Date | null }>(
  found: RedeemableSecret<Secret> | undefined,
  client: CallingClient,
  { session, now }: RequestContext,
): Promise<RedeemableSecret<Secret>> {
  if (!found || found.grant.clientId !== client.id)
    throw invalidGrant('The code or token is unknown, or it was issued to another client.')
  const { secret, grant } = found
  if (secret.usedAt) {
    await endGrant(session.db, grant.id, now)
    throw alreadyUsed()
  }
  requireAll([[secret.expiresAt > now, 'The code or token has expired.'], ...grantRequirements(found, now)])
  return found
}

/**
 * Redeems a code or refresh token and issues the tokens for it.
 *
 * @throws OAuthError invalid_grant if another request redeemed it first, or the grant was deleted
 */
export async function exchangeForTokens<Secret extends { hash: string }>(
  kind: 'code' | 'refresh token',
  found: RedeemableSecret<Secret>,
  scopes: readonly Scope[],
  { isRefreshable, nonce, context }: { isRefreshable: boolean; nonce: string | undefined; context: RequestContext },
): Promise<TokenSet> {
  const { grant, user } = found
  const successor = await prepareSuccessor(isRefreshable, grant.createdAt, context.now)
  const redemption = await redeem(context.session.db, kind, found, successor, context.now)
  if (redemption === undefined) throw invalidGrant('The grant of the user was deleted.')
  if (!redemption.isFirst) throw alreadyUsed()
  const { id: grantId, clientId, authenticatedAt } = grant
  const { grantEndsAt } = redemption
  const draft = { user, clientId, grantId, grantEndsAt, scopes, authenticatedAt, nonce, refreshToken: successor.secret }
  return await issueTokens(draft, context)
}

export function invalidGrant(description: string): OAuthError {
  return new OAuthError('invalid_grant', description)
}

function alreadyUsed(): OAuthError {
  return invalidGrant('The code or token was already used. Its grant and all tokens of the grant have been revoked.')
}
