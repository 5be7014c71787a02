import { OAuthError } from '../../domain/oauth-errors.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import type { TokenSet } from '../../schemas/oauth.ts'
import type { CallingClient } from '../../stores/clients.ts'
import { endGrant, type RedeemableKind, type RedeemableSecret, redeem } from '../../stores/grants.ts'
import { issueTokens, prepareSuccessor } from './issue.ts'

// Codes, device codes and refresh tokens are redeemed in the same way: each can be used only once, and only while its
// grant is valid.

/** A condition, and the description of the error if it is not met. */
export type Requirement = [isMet: boolean, fault: string]

/** @throws OAuthError invalid_grant for the first condition that is not met */
export function requireAll(requirements: readonly Requirement[]): void {
  for (const [isMet, fault] of requirements) if (!isMet) throw invalidGrant(fault)
}

/** The conditions for a grant to be valid. A token is valid only while its grant is. */
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
 * Checks that a client can redeem a code or token. Reuse is a sign of theft, so it ends the grant.
 *
 * @param stored The code or token with its grant, as the database has it; undefined if it is unknown
 * @throws OAuthError invalid_grant
 */
export async function requireRedeemable<Secret extends { expiresAt: Date; usedAt: Date | null }>(
  stored: RedeemableSecret<Secret> | undefined,
  client: CallingClient,
  { session, now }: RequestContext,
): Promise<RedeemableSecret<Secret>> {
  if (!stored || stored.grant.clientId !== client.id)
    throw invalidGrant('The code or token is unknown, or it was issued to another client.')
  const { secret, grant } = stored
  if (secret.usedAt) {
    await endGrant(session, grant.id, now)
    throw alreadyUsed()
  }
  requireAll([[secret.expiresAt > now, 'The code or token has expired.'], ...grantRequirements(stored, now)])
  return stored
}

/** @throws OAuthError invalid_grant if another request redeemed the secret first, or the grant has ended */
export async function exchangeForTokens<Secret extends { hash: string }>(
  kind: RedeemableKind,
  stored: RedeemableSecret<Secret>,
  scopes: readonly Scope[],
  { isRefreshable, nonce, context }: { isRefreshable: boolean; nonce: string | undefined; context: RequestContext },
): Promise<TokenSet> {
  const { grant, user } = stored
  const successor = await prepareSuccessor(isRefreshable, grant.createdAt, context)
  const redemption = await redeem(context.session, kind, stored, successor, context.now)
  if (redemption === 'ended') throw invalidGrant('The grant of the user has ended. Ask the user for a new one.')
  if (redemption === 'reused') throw alreadyUsed()
  const { id: grantId, clientId, authenticatedAt } = grant
  const { grantEndsAt } = redemption
  const draft = { user, clientId, grantId, grantEndsAt, scopes, authenticatedAt, nonce, refreshToken: successor.secret }
  return await issueTokens(draft, context)
}

/** The error for a code, a token or a password for which the client gets no tokens. */
export function invalidGrant(description: string): OAuthError {
  return new OAuthError('invalid_grant', description)
}

function alreadyUsed(): OAuthError {
  return invalidGrant('The code or token was already used. Its grant and all tokens of the grant have been revoked.')
}
