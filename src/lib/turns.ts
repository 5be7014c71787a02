import { ForgetfulMap } from './forgetful-map.ts'
import { type Clock, Line, type Turn } from './line.ts'

const LINES_MAX = 10_000
const LEASE_MS = 1000

/**
 * Lines by name. A line only saves work that would be in vain: it promises nothing, so what must be right has to be
 * checked at the turn itself.
 */
export class Turns {
  readonly #lines = new ForgetfulMap<Line>(LINES_MAX)

  /** Joins the end of a line. */
  join(name: string, clock: Clock): Turn {
    const line = this.#lines.get(name, clock.now()) ?? new Line({ atOnce: 1, leaseMs: LEASE_MS })
    // Set again, so that the line becomes the newest.
    this.#lines.set(name, line, Infinity)
    return line.join(clock)
  }
}
