import { ElapsedTime } from '../lib/elapsed-time.ts'

const MIB = 1024 * 1024
/** How much a client is assumed to read per second. */
const BYTES_PER_SECOND = 4 * MIB
/** How much may be sent ahead of what the client is assumed to have read. */
const AHEAD_MAX_BYTES = MIB

/**
 * How far a WebSocket is ahead of a client that reads steadily. The Workers runtime does not report what a client has
 * read (it has no `bufferedAmount`), so the pace is an assumption. A client that reads faster only waits a little. If a
 * client does not read, the runtime buffers what is sent to it. This pace limits how fast that buffer grows.
 */
export class Pace {
  readonly #time: ElapsedTime
  readonly #bytesPerSecond: number
  /** When the client will have read everything that was sent, in milliseconds of `#time`. */
  #readAtMs = 0

  /** @param bytesPerSecond How much is assumed to be read per second */
  constructor(now: () => Date, bytesPerSecond = BYTES_PER_SECOND) {
    this.#time = new ElapsedTime(now)
    this.#bytesPerSecond = bytesPerSecond
  }

  /** How many bytes the client is assumed not to have read yet. */
  get aheadBytes(): number {
    return (Math.max(this.#readAtMs - this.#time.milliseconds, 0) / 1000) * this.#bytesPerSecond
  }

  /**
   * How long a message must wait, in milliseconds; 0 if it can be sent immediately.
   *
   * @param bytes Size of the message, at most AHEAD_MAX_BYTES. The result for a larger message is never 0
   */
  delayOf(bytes: number): number {
    const aheadMs = Math.max(this.#readAtMs - this.#time.milliseconds, 0)
    return Math.max(Math.ceil(aheadMs + this.#toMs(bytes) - this.#toMs(AHEAD_MAX_BYTES)), 0)
  }

  /** @returns How long the next message must wait at least, in milliseconds: the result of `delayOf(0)` */
  noteSent(bytes: number): number {
    const { milliseconds } = this.#time
    this.#readAtMs = Math.max(this.#readAtMs, milliseconds) + this.#toMs(bytes)
    return Math.max(Math.ceil(this.#readAtMs - milliseconds - this.#toMs(AHEAD_MAX_BYTES)), 0)
  }

  /** How long a client is assumed to need to read a number of bytes, in milliseconds. */
  #toMs(bytes: number): number {
    return (bytes / this.#bytesPerSecond) * 1000
  }
}
