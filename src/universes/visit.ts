import { ProblemError } from '../domain/problems.ts'
import { universeEnded } from './refuse.ts'

/** Whether a universe has changed since a visit began: not at all, by a reset, or by its end. */
export type Standing = 'current' | 'reset' | 'ended'

/**
 * A request, or other work, in a universe. A visit may use the stored data only until the universe ends or is reset. So
 * work that began before a reset writes nothing after the reset.
 */
export class Visit {
  readonly #standing: () => Standing
  #wasRefused = false

  /** @param standing Compares the universe with its state at the beginning of the visit */
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
   * @throws ProblemError 503 after a reset, because every operation documents this status and clients retry it; 410
   * after the end
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
