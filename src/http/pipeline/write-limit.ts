import { rateLimitHeaders } from '../../auth/limits.ts'
import { ProblemError } from '../../domain/problems.ts'
import type { Services } from '../../services.ts'

// The same limit as in wrangler.toml. It is repeated here because the binding only reports whether a write is allowed.
const WRITES_MAX = 600
const PERIOD_SECONDS = 60
const LIMIT = { name: 'writes', limit: WRITES_MAX, windowSeconds: PERIOD_SECONDS }

/**
 * Counts a write of a user (or of a client that acts for the user), or a request to an inbox, if the deployment limits
 * writes. http/pipeline/mount.ts counts each request with credentials that is not a GET, before its handler. A handler
 * that writes for a user without credentials in the request (tokens, sign-in, consent) counts the write itself.
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
  throw new ProblemError(
    'too-many-requests',
    `You exceeded the limit of ${WRITES_MAX} writes per minute. Try again in a minute.`,
    {
      rateLimit: { key: LIMIT.name, limit: WRITES_MAX, windowSeconds: PERIOD_SECONDS },
      headers: {
        'Retry-After': String(PERIOD_SECONDS),
        ...rateLimitHeaders({ ...LIMIT, remaining: 0, resetSeconds: PERIOD_SECONDS }),
      },
    },
  )
}
