import { Pace } from './pace.ts'

/** What a frame of a client counts at least, because a small one takes time, too: 1,024 frames per second. */
const FRAME_MIN_BYTES = 4 * 1024
/** How long the frames of a holder may take at the pace, besides the first MiB, in milliseconds: 8 MiB. */
const AHEAD_MAX_MS = 2000

/** Limits what the clients of a holder send on all their sockets, because nothing can stop the runtime from reading it. */
export class Received {
  readonly #now: () => Date
  readonly #paces = new Map<string, Pace>()

  constructor(now: () => Date) {
    this.#now = now
  }

  /** Notes a frame. A frame that is too much does not count. @returns Whether the holder has not sent too much */
  note(holder: string, bytes: number): boolean {
    const pace = this.#paceOf(holder)
    const counted = Math.max(bytes, FRAME_MIN_BYTES)
    if (pace.delayOf(counted) > AHEAD_MAX_MS) return false
    pace.noteSent(counted)
    return true
  }

  #paceOf(holder: string): Pace {
    const known = this.#paces.get(holder)
    if (known) return known
    // A pace is kept until the holder could begin with a new one, also if its sockets were closed.
    for (const [idle, pace] of this.#paces) if (pace.aheadBytes === 0) this.#paces.delete(idle)
    const pace = new Pace(this.#now)
    this.#paces.set(holder, pace)
    return pace
  }
}
