import { ElapsedTime } from './elapsed-time.ts'

/** The time and the chance that those who wait need. */
export interface Clock {
  now(): Date
  wait(milliseconds: number): Promise<void>
  /** From 0 to below 1. */
  random(): number
}

/** The longest wait of the next in line before it looks again, in milliseconds. Those behind it look less often. */
const LOOK_MS = 20
const LOOK_MAX_MS = 200

/**
 * A line in which requests of this isolate wait for their turn, in order of arrival. Nobody wakes the next one, because
 * the runtime does not let one request wait for the work of another, which may be aborted. Each looks for itself.
 */
export class Line {
  readonly #atOnce: number
  readonly #leaseMs: number
  /** When each turn ends, in milliseconds since 1970. */
  readonly #ends = new Map<Turn, number>()

  /**
   * @param atOnce How many have their turn at the same time
   * @param leaseMs A turn ends this long after it was last used, because an aborted request does not leave its line
   */
  constructor({ atOnce, leaseMs }: { atOnce: number; leaseMs: number }) {
    this.#atOnce = atOnce
    this.#leaseMs = leaseMs
  }

  /** Joins the end of the line. */
  join(clock: Clock): Turn {
    const turn = new Turn(this, clock)
    turn.keep()
    return turn
  }

  /** How many wait, and how many have their turn. */
  count(now: Date): number {
    for (const [turn, end] of this.#ends) if (end <= now.getTime()) this.#ends.delete(turn)
    return this.#ends.size
  }

  /** How many must leave before it is somebody's turn. */
  countAhead(turn: Turn, now: Date): number {
    this.count(now)
    return Math.max(0, [...this.#ends.keys()].indexOf(turn) - this.#atOnce + 1)
  }

  /** Keeps the place of a turn until a time and the lease. If it has ended, it joins the end of the line. */
  keep(turn: Turn, until: number): void {
    this.#ends.set(turn, until + this.#leaseMs)
  }

  leave(turn: Turn): void {
    this.#ends.delete(turn)
  }
}

export class Turn {
  readonly #line: Line
  readonly #clock: Clock

  constructor(line: Line, clock: Clock) {
    this.#line = line
    this.#clock = clock
  }

  /**
   * Waits for this turn, but not longer than a limit. To be called again before each further attempt at what the turn
   * is for, because a turn that is not used ends.
   *
   * @returns Whether it is this turn
   */
  async reachFront(limitMs: number): Promise<boolean> {
    const { now, wait, random } = this.#clock
    const elapsed = new ElapsedTime(now)
    for (;;) {
      this.keep()
      const leftMs = limitMs - elapsed.milliseconds
      const ahead = this.#line.countAhead(this, now())
      if (ahead === 0 || leftMs <= 0) return ahead === 0
      const pauseMs = Math.min(leftMs, random() * Math.min(LOOK_MAX_MS, LOOK_MS * ahead))
      this.keep(pauseMs)
      await wait(pauseMs)
    }
  }

  /** Shows that the turn is used. @param pauseMs Until it is used again */
  keep(pauseMs = 0): void {
    this.#line.keep(this, this.#clock.now().getTime() + pauseMs)
  }

  /** Leaves the line, so that the next one can have its turn. */
  leave(): void {
    this.#line.leave(this)
  }
}
