import { openSession, type SqliteDatabase } from '../../db/port.ts'
import { type CallTarget, MustWait } from '../../domain/target-host.ts'
import type { TargetLimits } from '../../env.ts'
import { rootCause } from '../../lib/root-cause.ts'
import { within } from '../../lib/within.ts'
import type { Services } from '../../services.ts'
import { giveBackSlot, type Slot, takeSharedSlot } from '../../stores/callbacks/call-targets.ts'
import { callHostOf } from './call-host.ts'

// The limits of calls to a host over several worlds. Each universe has limits of its own, but one person can make many
// universes. So a call of a universe also takes a slot that all universes share.

/**
 * The prefix of the hosts in the rows that all universes share. No name or address begins with these characters, so the
 * common world's own rows never have this prefix.
 */
const SHARED_PREFIX = 'u/'

/** How long a delivery waits if all slots at the host are taken, or if the shared limits cannot be read in time. */
const BUSY_MS = 5000
/** A random part of this is added to the wait, so that the universes do not all ask at the same time. */
const SPREAD_MS = 5000
/**
 * How long the database of the common world may take to give a slot or to take it back. This time must be short,
 * because an attempt has ten seconds, and its outcome must be stored before the lease of its delivery ends.
 */
const PLACE_MAX_MS = 2000

/** The calls of one attempt. */
export interface LimitedCalls {
  /** @throws MustWait if the shared limits of its host do not allow the call, and any error of `fetch` */
  fetch: typeof fetch
  /** Gives the slot at the delivery's own host back. Takes two seconds at most, and never throws. */
  end(): Promise<void>
}

/**
 * Begins the calls of an attempt. In the common world, and if calls are not limited, the calls are made without shared
 * limits.
 *
 * @param leaseMs How long a slot stays taken if it is not given back. Longer than an attempt can take
 */
export function beginCalls(delivery: CallTarget, leaseMs: number, services: Services): LimitedCalls {
  const { sharedCallTargets, config } = services
  if (!sharedCallTargets || !config.targetLimits) return { fetch: services.fetch, end: async () => {} }
  const calls = new SharedCalls(sharedCallTargets, config.targetLimits, leaseMs, delivery.host, services)
  return {
    fetch: async (input, init) => {
      const host = await callHostOf(input instanceof Request ? input.url : String(input), delivery, services)
      return await calls.make(host, () => services.fetch(input, init))
    },
    end: () => calls.end(),
  }
}

type TakenSlot = Slot & { isAccepted: boolean }

/**
 * The shared slots that an attempt takes, by the same rules as the slots of the world itself (throttle.ts). All calls
 * to the host of the delivery share one slot until the attempt ends. A slot at another host, such as a token
 * endpoint, is given back after each call. A slot that cannot be given back in time becomes free when its lease ends.
 */
class SharedCalls {
  readonly #database: SqliteDatabase
  readonly #limits: TargetLimits
  readonly #leaseMs: number
  readonly #ownHost: string
  readonly #services: Services
  #ownSlot: TakenSlot | undefined
  /**
   * Resolves when the slot of the last call to another host has been given back. The next call waits for this, because
   * it may be to the same host.
   */
  #givingBack: Promise<void> = Promise.resolve()

  constructor(database: SqliteDatabase, limits: TargetLimits, leaseMs: number, ownHost: string, services: Services) {
    this.#database = database
    this.#limits = limits
    this.#leaseMs = leaseMs
    this.#ownHost = ownHost
    this.#services = services
  }

  /** Makes a call if it gets a slot at its host. @throws MustWait if it gets none, and any error of the call */
  async make(host: string, call: () => Promise<Response>): Promise<Response> {
    const isOwn = host === this.#ownHost
    const slot = (isOwn && this.#ownSlot) || (await this.#take(host))
    if (isOwn) this.#ownSlot = slot
    try {
      const response = await call()
      slot.isAccepted ||= response.ok
      return response
    } finally {
      if (!isOwn) this.#giveBackLater(slot)
    }
  }

  /** Gives the slot at the delivery's own host back. */
  async end(): Promise<void> {
    if (this.#ownSlot) await this.#giveBack(this.#ownSlot)
  }

  /**
   * Starts to give a slot back, and does not wait until this is done. The next call that takes a slot waits for it.
   * The wait is part of the `PLACE_MAX_MS` of that call.
   */
  #giveBackLater(slot: TakenSlot): void {
    this.#givingBack = this.#giveBack(slot)
    this.#services.defer(this.#givingBack)
  }

  async #giveBack({ isAccepted, ...slot }: TakenSlot): Promise<void> {
    const outcome = { isCounted: true, isAccepted }
    const givenBack = giveBackSlot(this.#session, slot, outcome, this.#limits, this.#services.now())
    await within(PLACE_MAX_MS, givenBack, this.#services).catch(logFailure)
  }

  /** @throws MustWait if all slots are taken, or the database does not respond in time */
  async #take(host: string): Promise<TakenSlot> {
    const now = this.#services.now()
    const until = new Date(now.getTime() + this.#leaseMs)
    // Random, so that the row in the common world says nothing about the universe. A letter and hexadecimal digits need
    // no quotes in a JSON path.
    const key = `c${crypto.randomUUID().replaceAll('-', '')}`
    const slot = { host: SHARED_PREFIX + host, key, takenAt: now, until }
    const taken = this.#givingBack.then(() => takeSharedSlot(this.#session, slot, this.#limits))
    const refusal = await within(PLACE_MAX_MS, taken, this.#services).catch(refuseAfterFailure)
    if (refusal) {
      const freeAt = refusal.fullUntil?.getTime() ?? now.getTime() + BUSY_MS
      throw new MustWait(host, new Date(freeAt + this.#services.random() * SPREAD_MS))
    }
    return { ...slot, isAccepted: false }
  }

  get #session() {
    return openSession({ database: this.#database, hub: undefined }, 'first-primary')
  }
}

/** The refusal of a call if the shared limits cannot be read in time. */
function refuseAfterFailure(error: unknown): { fullUntil: null } {
  logFailure(error)
  return { fullUntil: null }
}

function logFailure(error: unknown): void {
  console.error(JSON.stringify({ event: 'shared-limits-failed', error: rootCause(error).message }))
}
