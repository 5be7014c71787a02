const MIB = 1024 * 1024
/** What a client is taken to read in a second. */
const BYTES_PER_SECOND = 4 * MIB
/** What may be sent ahead of that. */
const AHEAD_MAX_BYTES = MIB

/**
 * How far the echo is ahead of a client that reads steadily. The Workers runtime does not tell what a client has read
 * (it has no `bufferedAmount`), so this is an assumption. A client that reads faster only waits a little for its echo; one
 * that does not read makes the runtime hold no more than this.
 */
export class Pace {
  readonly #now: () => Date
  /** When the client has read everything that was sent, at that pace. */
  #readAtMs = 0

  constructor(now: () => Date) {
    this.#now = now
  }

  /** How long a message of so many bytes, at most 1 MiB, has to wait, in milliseconds; 0 if it can go at once. */
  delayOf(bytes: number): number {
    const aheadMs = Math.max(this.#readAtMs - this.#now().getTime(), 0)
    return Math.max(Math.ceil(aheadMs + toMs(bytes) - toMs(AHEAD_MAX_BYTES)), 0)
  }

  noteSent(bytes: number): void {
    this.#readAtMs = Math.max(this.#readAtMs, this.#now().getTime()) + toMs(bytes)
  }
}

function toMs(bytes: number): number {
  return (bytes / BYTES_PER_SECOND) * 1000
}
