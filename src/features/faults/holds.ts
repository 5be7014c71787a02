import { ProblemError } from '../../domain/problems.ts'

/** How many requests a world holds at the same time. */
export const HELD_MAX = 50

/** How many of them one client address can have in the common world, so that nobody takes all places. */
export const HELD_OF_ADDRESS_MAX = 5

/** A request that is held. */
interface Held {
  /** When it stops counting, in milliseconds since 1970. */
  endsAt: number
  address: string
}

/**
 * Counts the requests that are held: those that wait, and those whose answers are sent slowly. A request stops counting
 * when it is released, or after its time: nobody releases the request of a client that has left.
 */
export class Holds {
  readonly #held = new Set<Held>()
  readonly #ofAddressMax: number

  /** @param ofAddressMax How many requests one client address can have. A universe belongs to one visitor */
  constructor(ofAddressMax: number = HELD_MAX) {
    this.#ofAddressMax = ofAddressMax
  }

  /**
   * @param address The key of the client in rate limits
   * @returns A function that releases the request
   * @throws ProblemError 503 if too many are held
   */
  hold(seconds: number, now: Date, address: string): () => void {
    for (const held of this.#held) if (held.endsAt <= now.getTime()) this.#held.delete(held)
    if (this.#held.size >= HELD_MAX) throw tooMany(`At most ${HELD_MAX} requests are held at the same time.`)
    const own = [...this.#held].filter((held) => held.address === address)
    if (own.length >= this.#ofAddressMax) {
      throw tooMany(
        `At most ${this.#ofAddressMax} requests of one address are held at the same time. A universe of your own holds ${HELD_MAX}.`,
      )
    }
    const held = { endsAt: now.getTime() + seconds * 1000, address }
    this.#held.add(held)
    return () => void this.#held.delete(held)
  }
}

function tooMany(detail: string): ProblemError {
  return new ProblemError('service-unavailable', detail, { headers: { 'Retry-After': '1' } })
}
