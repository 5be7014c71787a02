import { openSession } from '../../db/client.ts'
import { MustWait, targetHostOf } from '../../domain/target-host.ts'
import type { TargetLimits } from '../../env.ts'
import { rootCause } from '../../lib/root-cause.ts'
import type { Services } from '../../services.ts'
import { giveBackPlace, type Place, takeSharedPlace } from '../../stores/callbacks/call-targets.ts'

// The limits of calls to a host over several worlds. Each universe has limits of its own, but one person can make many
// universes. So a call of a universe also takes a place that all universes share.

/** What the names of the shared rows begin with. No host contains a slash, so they are not those of the common world. */
const SHARED = 'u/'

/** How long a call waits if all places at its host are taken, or if nobody can say so. */
const BUSY_MS = 5000
/** Universes that wait for the same host ask again at random within this time, so that each has its chance. */
const SPREAD_MS = 5000

/** The calls of one attempt. */
export interface LimitedCalls {
  /** Makes a call if the shared limits of its host allow it. @throws MustWait if they do not, and any error of `fetch` */
  fetch: typeof fetch
  /** Gives the places of the attempt back. Never throws: otherwise they become free when their leases end. */
  end(): Promise<void>
}

/**
 * Begins the calls of an attempt.
 *
 * @param origin The base URL of the service in the request that registered the URL to call
 * @param leaseMs Longer than an attempt can take
 */
export function beginCalls(origin: string, leaseMs: number, services: Services): LimitedCalls {
  const { sharedCallTargets, config } = services
  if (!sharedCallTargets || !config.targetLimits) return { fetch: services.fetch, end: async () => {} }
  const calls = new SharedCalls(sharedCallTargets, config.targetLimits, leaseMs, services)
  return {
    fetch: async (input, init) => {
      const host = await targetHostOf(input instanceof Request ? input.url : String(input), origin, services)
      return await calls.make(host, () => services.fetch(input, init))
    },
    end: () => calls.end(),
  }
}

/** The places that an attempt has taken. All its calls to one host share one, as they do in the world itself. */
class SharedCalls {
  readonly #database: D1Database
  readonly #limits: TargetLimits
  readonly #leaseMs: number
  readonly #services: Services
  /** The places by their hosts. */
  readonly #places = new Map<string, Place & { isAccepted: boolean }>()

  constructor(database: D1Database, limits: TargetLimits, leaseMs: number, services: Services) {
    this.#database = database
    this.#limits = limits
    this.#leaseMs = leaseMs
    this.#services = services
  }

  async make(host: string, call: () => Promise<Response>): Promise<Response> {
    const place = this.#places.get(host) ?? (await this.#take(host))
    const response = await call()
    place.isAccepted ||= response.ok
    return response
  }

  async end(): Promise<void> {
    for (const { isAccepted, ...place } of this.#places.values()) {
      const now = this.#services.now()
      try {
        await giveBackPlace(this.#db, place, { isCounted: true, isAccepted }, this.#limits, now)
      } catch (error) {
        logFailure(error)
      }
    }
  }

  /** @throws MustWait */
  async #take(host: string): Promise<Place & { isAccepted: boolean }> {
    const now = this.#services.now()
    const until = new Date(now.getTime() + this.#leaseMs)
    // Random, so that nothing of a universe stays in the common world.
    const key = `c${crypto.randomUUID().replaceAll('-', '')}`
    const place = { host: SHARED + host, key, takenAt: now, until }
    const refusal = await takeSharedPlace(this.#db, place, this.#limits).catch(refuseAfterFailure)
    if (refusal) {
      const freeAt = refusal.fullUntil?.getTime() ?? now.getTime() + BUSY_MS
      throw new MustWait(host, new Date(freeAt + Math.random() * SPREAD_MS))
    }
    const taken = { ...place, isAccepted: false }
    this.#places.set(host, taken)
    return taken
  }

  get #db() {
    return openSession(this.#database, 'first-primary').db
  }
}

/** If the shared limits cannot be read, no call is made. */
function refuseAfterFailure(error: unknown): { fullUntil: null } {
  logFailure(error)
  return { fullUntil: null }
}

function logFailure(error: unknown): void {
  console.error(JSON.stringify({ event: 'shared-limits-failed', error: rootCause(error).message }))
}
