import { ProblemError } from '../../domain/problems.ts'
import type { Services } from '../../services.ts'

// As wrangler.toml has them: the binding tells only whether one more is allowed.
const WRITES_MAX = 600
const PERIOD_SECONDS = 60

/**
 * Counts a write of a user, by himself or by a client that acts for him, or a request to an inbox, where the deployment
 * limits them. Each request with credentials that is not a GET is counted before its handler (http/pipeline/mount.ts); a handler that
 * writes for a user without credentials in the request (tokens, sign-in, consent) counts by itself.
 *
 * @throws ProblemError 429
 */
export async function requireWritesLeft(
  { config, writeLimiter }: Pick<Services, 'config' | 'writeLimiter'>,
  { id }: { id: number | string },
): Promise<void> {
  if (!config.limitsWrites) return
  const { success } = await writeLimiter.limit({ key: String(id) })
  if (success) return
  throw new ProblemError('too-many-requests', `You exceeded the limit of ${WRITES_MAX} writes per minute.`, {
    headers: {
      'Retry-After': String(PERIOD_SECONDS),
      'X-RateLimit-Limit': String(WRITES_MAX),
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': String(PERIOD_SECONDS),
    },
  })
}
