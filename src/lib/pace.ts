import { ElapsedTime } from './elapsed-time.ts'

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
  /** When the client will have read everything that was sent, in milliseconds of `#time`. */
  #readAtMs = 0

  constructor(now: () => Date) {
    this.#time = new ElapsedTime(now)
  }

  /**
   * How long a message must wait, in milliseconds; 0 if it can be sent immediately.
   *
   * @param bytes Size of the message, at most AHEAD_MAX_BYTES. The result for a larger message is never 0
   */
  delayOf(bytes: number): number {
    const aheadMs = Math.max(this.#readAtMs - this.#time.milliseconds, 0)
    return Math.max(Math.ceil(aheadMs + toMs(bytes) - toMs(AHEAD_MAX_BYTES)), 0)
  }

  /**
   * Records that a message was sent.
   *
   * @param bytes Size of the message
   * @returns How long the next message must wait at least, in milliseconds: the result of `delayOf(0)`
   */
  noteSent(bytes: number): number {
    const { milliseconds } = this.#time
    this.#readAtMs = Math.max(this.#readAtMs, milliseconds) + toMs(bytes)
    return Math.max(Math.ceil(this.#readAtMs - milliseconds - toMs(AHEAD_MAX_BYTES)), 0)
  }
}

/** How long a client is assumed to need to read a number of bytes, in milliseconds. */
function toMs(bytes: number): number {
  return (bytes / BYTES_PER_SECOND) * 1000
}
