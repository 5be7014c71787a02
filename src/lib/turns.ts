import { dropOldest } from './drop-oldest.ts'
import { ElapsedTime } from './elapsed-time.ts'

/** The time and the chance that those who wait need. */
interface Clock {
  now(): Date
  wait(milliseconds: number): Promise<void>
  /** From 0 to below 1. */
  random(): number
}

/** Maximum number of lines that are remembered. A line is left behind if all of its requests were aborted. */
const LINES_MAX = 10_000
/** The longest wait of the next in line before it looks again, in milliseconds. Those behind it look less often. */
const LOOK_MS = 20
const LOOK_MAX_MS = 200
/**
 * A turn ends this long after it was last used, in milliseconds, because an aborted request does not leave its line.
 */
const LEASE_MS = 1000

/**
 * Lines in which the requests of this isolate wait for their turn. A line only saves work that would be in vain: it
 * promises nothing, so what must be right has to be checked at the turn itself. Nobody wakes the next one, because a
 * request cannot rely on another one that may be aborted. Each looks for itself.
 */
export class Turns {
  readonly #lines = new Map<string, Turn[]>()

  /** Joins the end of a line. */
  join(name: string, clock: Clock): Turn {
    const line = this.#lines.get(name) ?? []
    // Removed first, so that the line becomes the newest in the map.
    this.#lines.delete(name)
    dropOldest(this.#lines, LINES_MAX)
    this.#lines.set(name, line)
    return new Turn(line, clock, () => {
      if (line.length === 0 && this.#lines.get(name) === line) this.#lines.delete(name)
    })
  }
}

/** A turn in a line. */
export class Turn {
  readonly #line: Turn[]
  readonly #clock: Clock
  readonly #noteLeft: () => void
  #heldUntil = 0

  constructor(line: Turn[], clock: Clock, noteLeft: () => void) {
    this.#line = line
    this.#clock = clock
    this.#noteLeft = noteLeft
    this.#holdFor(0)
    line.push(this)
  }

  /**
   * Waits until this turn is the first, but not longer than a limit. To be called again before each further attempt at
   * what the turn is for, because a turn that is not used ends.
   */
  async reachFront(limitMs: number): Promise<void> {
    const { now, wait, random } = this.#clock
    const elapsed = new ElapsedTime(now)
    for (;;) {
      const leftMs = limitMs - elapsed.milliseconds
      const ahead = this.#countAhead()
      if (ahead === 0 || leftMs <= 0) break
      const pauseMs = Math.min(leftMs, random() * Math.min(LOOK_MAX_MS, LOOK_MS * ahead))
      this.#holdFor(pauseMs)
      await wait(pauseMs)
    }
    this.#holdFor(0)
  }

  /** Leaves the line, so that the next one can have its turn. */
  leave(): void {
    const index = this.#line.indexOf(this)
    if (index >= 0) this.#line.splice(index, 1)
    this.#noteLeft()
  }

  /** How many are before this turn. Turns that have ended are removed; if this is one of them, it is its turn. */
  #countAhead(): number {
    while (this.#line[0] && this.#line[0] !== this && this.#line[0].#hasEnded) this.#line.shift()
    return Math.max(0, this.#line.indexOf(this))
  }

  get #hasEnded(): boolean {
    return this.#clock.now().getTime() > this.#heldUntil
  }

  #holdFor(milliseconds: number): void {
    this.#heldUntil = this.#clock.now().getTime() + milliseconds + LEASE_MS
  }
}
