import { ElapsedTime } from '../lib/elapsed-time.ts'

/** Shorter pauses are left out. */
const SHORTEST_PAUSE_MS = 5

/**
 * Limits how many frames are sent per second. After frames were sent, `pauseMs` says how long to wait before more
 * frames may be sent.
 */
export class FramePace {
  readonly #perSecond: number
  readonly #time: ElapsedTime
  /** When more frames may be sent, in milliseconds of `#time`. */
  #nextAt = 0

  constructor(perSecond: number, now: () => Date) {
    this.#perSecond = perSecond
    this.#time = new ElapsedTime(now)
  }

  /** How long to wait, in milliseconds; 0 if more frames can be sent immediately. */
  get pauseMs(): number {
    const pause = this.#nextAt - this.#time.milliseconds
    return pause < SHORTEST_PAUSE_MS ? 0 : pause
  }

  noteSent(frames: number): void {
    this.#nextAt = this.#time.milliseconds + (frames * 1000) / this.#perSecond
  }
}
