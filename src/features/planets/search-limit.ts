import type { RequestContext } from '../../http/pipeline/context.ts'
import { limitExceeded } from '../../http/pipeline/write-limit.ts'

// The same limit as in wrangler.toml. It is repeated here because the binding only reports whether a read is allowed.
const LIMIT = { name: 'searches', limit: 120, windowSeconds: 60 }

/**
 * Counts a read that passes over all planets or all celestial bodies, if the deployment limits them. Each client address
 * has one count in each world.
 *
 * @throws ProblemError 429
 */
export async function requireSearchesLeft({ services, clientAddress }: RequestContext): Promise<void> {
  const { config, searchLimiter } = services
  if (!config.limitsSearches) return
  const { success } = await searchLimiter.limit({ key: clientAddress })
  if (!success) throw limitExceeded(LIMIT, `${LIMIT.limit} filtered or sorted reads per minute, for each address,`)
}
