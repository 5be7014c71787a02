import { rateLimitHeaders } from '../../auth/limits.ts'
import { ProblemError } from '../../domain/problems.ts'
import type { Services } from '../../services.ts'

// The same limit as in wrangler.toml. It is repeated here because the binding only reports whether a write is allowed.
const WRITES_MAX = 600
const PERIOD_SECONDS = 60
const LIMIT = { name: 'writes', limit: WRITES_MAX, windowSeconds: PERIOD_SECONDS }

/**
 * Counts a write, if the deployment limits writes. Each user has one count, also for the clients that act for the user.
 * Each inbox has a count of its own, for the requests that it receives and the PUT requests that change it.
 *
 * authorize.ts counts each request with credentials whose method is not GET. Some handlers write without such a request
 * (tokens, sign-in, consent, inboxes). They count the write themselves.
 *
 * @param counted The user, or the inbox by its key `inbox/…`
 * @throws ProblemError 429
 */
export async function requireWritesLeft(
  { config, writeLimiter }: Pick<Services, 'config' | 'writeLimiter'>,
  counted: { id: number | string },
): Promise<void> {
  if (config.limitsWrites) await spendWrite(writeLimiter, String(counted.id), 'each user and each inbox')
}

/**
 * Counts work of the laboratory for which nobody needs credentials: a write to a run (a request that it records, or a
 * PATCH request that changes it), or a verification. That of a client address in all worlds is counted, and that of the
 * run too. The address comes first: a client that has none left uses up nothing of the run.
 *
 * @param runId Undefined for work outside of runs
 * @throws ProblemError 429
 */
export async function requireRecordsLeft(
  { config, writeLimiter, sharedWriteLimiter }: Pick<Services, 'config' | 'writeLimiter' | 'sharedWriteLimiter'>,
  { runId, clientAddress }: { runId?: string; clientAddress: string },
): Promise<void> {
  if (!config.limitsWrites) return
  const whose = 'each run of the laboratory, and each address in all runs and verifications together'
  await spendWrite(sharedWriteLimiter, `lab-address/${clientAddress}`, whose)
  if (runId !== undefined) await spendWrite(writeLimiter, `lab-run/${runId}`, whose)
}

/** @param whose What has a count of its own */
async function spendWrite(limiter: RateLimit, key: string, whose: string): Promise<void> {
  const { success } = await limiter.limit({ key })
  if (!success) throw limitExceeded(LIMIT, `${WRITES_MAX} writes per minute, for ${whose},`)
}

/** @param what The limit in words */
export function limitExceeded({ name, limit, windowSeconds }: typeof LIMIT, what: string): ProblemError {
  return new ProblemError('too-many-requests', `The limit of ${what} was exceeded. Try again in a minute.`, {
    rateLimit: { key: name, limit, windowSeconds },
    headers: {
      'Retry-After': String(windowSeconds),
      ...rateLimitHeaders({ name, limit, windowSeconds, remaining: 0, resetSeconds: windowSeconds }),
    },
  })
}
