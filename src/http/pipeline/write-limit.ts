import { rateLimitHeaders } from '../../auth/limits.ts'
import { ProblemError } from '../../domain/problems.ts'
import type { Services } from '../../services.ts'

// The same limit as in wrangler.toml. It is repeated here because the binding only reports whether a write is allowed.
const WRITES_MAX = 600
const PERIOD_SECONDS = 60
const LIMIT = { name: 'writes', limit: WRITES_MAX, windowSeconds: PERIOD_SECONDS }

/**
 * Counts a write, if the deployment limits writes. Each user has one count, also for the clients that act for the user.
 * Each inbox has a count of its own, for the requests that it receives and the PUT requests that change it. So does each
 * run of the laboratory, for the requests that it records and the PATCH requests that change it.
 *
 * authorize.ts counts each request with credentials whose method is not GET. Some handlers write without such a request
 * (tokens, sign-in, consent, inboxes). They count the write themselves.
 *
 * @param counted The user, the inbox by its key `inbox/…`, or the run of the laboratory by its key `lab-run/…`
 * @throws ProblemError 429
 */
export async function requireWritesLeft(
  { config, writeLimiter }: Pick<Services, 'config' | 'writeLimiter'>,
  counted: { id: number | string },
): Promise<void> {
  if (!config.limitsWrites) return
  const { success } = await writeLimiter.limit({ key: String(counted.id) })
  if (success) return
  const what = `${WRITES_MAX} writes per minute, for each user, each inbox and each run of the laboratory,`
  throw limitExceeded(LIMIT, what)
}

/**
 * The error for a limit that a binding of the platform counts.
 *
 * @param what The limit in words
 */
export function limitExceeded({ name, limit, windowSeconds }: typeof LIMIT, what: string): ProblemError {
  return new ProblemError('too-many-requests', `The limit of ${what} was exceeded. Try again in a minute.`, {
    rateLimit: { key: name, limit, windowSeconds },
    headers: {
      'Retry-After': String(windowSeconds),
      ...rateLimitHeaders({ name, limit, windowSeconds, remaining: 0, resetSeconds: windowSeconds }),
    },
  })
}
