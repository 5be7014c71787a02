import { ProblemError } from '../../domain/problems.ts'

/** How many requests a world holds at the same time. */
export const HELD_MAX = 50

/**
 * Counts the requests that are held. A request stops counting when it is released, or after its time: nobody releases
 * the request of a client that has left.
 */
export class Holds {
  /** When each request stops counting, in milliseconds since 1970. */
  readonly #ends = new Set<{ at: number }>()

  /** @throws ProblemError 503 if too many are held. @returns A function that releases the request */
  hold(seconds: number, now: Date): () => void {
    for (const end of this.#ends) if (end.at <= now.getTime()) this.#ends.delete(end)
    if (this.#ends.size >= HELD_MAX) {
      throw new ProblemError('service-unavailable', `At most ${HELD_MAX} requests are held at the same time.`, {
        headers: { 'Retry-After': '1' },
      })
    }
    const end = { at: now.getTime() + seconds * 1000 }
    this.#ends.add(end)
    return () => void this.#ends.delete(end)
  }
}
