import { ProblemError } from '../domain/problems.ts'
import { universeEnded } from './refuse.ts'

/** Whether a universe is still as it was when a piece of work began. */
export type Standing = 'current' | 'reset' | 'ended'

/**
 * A request, or other work, in a universe. It may use the stored data only until the universe ends or is reset, so that
 * work from before a reset writes nothing after it.
 */
export class Visit {
  readonly #standing: () => Standing
  #wasRefused = false

  /** @param standing How the universe is now, compared with the beginning of the visit */
  constructor(standing: () => Standing) {
    this.#standing = standing
  }

  /** Whether the visit was refused the use of stored data. */
  get wasRefused(): boolean {
    return this.#wasRefused
  }

  /**
   * Runs before each use of stored data.
   *
   * @throws ProblemError 503 after a reset, which every operation documents and which clients send again; 410 after the end
   */
  readonly admit = (): void => {
    const standing = this.#standing()
    if (standing === 'current') return
    this.#wasRefused = true
    if (standing === 'ended') throw universeEnded()
    throw new ProblemError(
      'service-unavailable',
      'The universe was reset during this request. Nothing of the request was stored. Send it again.',
      { headers: { 'Retry-After': '1' } },
    )
  }
}
