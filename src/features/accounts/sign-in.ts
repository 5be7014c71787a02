import { requireActive } from '../../auth/authenticate.ts'
import { issueUserToken, tokenSecondsOf, userTokenExpiry } from '../../auth/bearer.ts'
import { bearerChallenge } from '../../auth/challenges.ts'
import { provePassword } from '../../auth/prove-password.ts'
import { ProblemError } from '../../domain/problems.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import type { Credentials, Token } from '../../schemas/user.ts'

/**
 * @returns The token, and the headers with the client address's remaining attempts
 * @throws ProblemError 401 if the address or the password is wrong; 403 if the account is suspended; 429 after too many
 * attempts; 503 if too many passwords are being checked
 */
export async function signIn(
  credentials: Credentials,
  context: RequestContext,
): Promise<{ token: Token; headers: Record<string, string> }> {
  const { services, baseUrl, now } = context
  const lifetimeSeconds = tokenSecondsOf(services)
  const expiresAt = userTokenExpiry(now, lifetimeSeconds).toISOString()
  const authentication = { method: 'bearer_token', tokenType: 'JWT', expiresAt } as const
  // `all`: each attempt counts for the client's address, even if the password is right.
  const { account, headers } = await provePassword(credentials, context, 'all', authentication)
  if (!account) {
    throw new ProblemError('unauthorized', 'The e-mail address or the password is wrong.', {
      headers: { ...headers, 'WWW-Authenticate': bearerChallenge(baseUrl) },
    })
  }
  requireActive(account, headers)
  const claims = { userId: account.id, passwordGeneration: account.passwordGeneration }
  const token = await issueUserToken(services.tokens, claims, baseUrl, now, lifetimeSeconds)
  return { token: { token }, headers }
}
