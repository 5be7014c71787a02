import type { PlanetRequest } from '../features/live/answer-planet-requests.ts'
import { rootCause } from '../lib/root-cause.ts'
import { countBytes } from '../lib/text.ts'
import { frameOf } from './frames.ts'
import type { Member } from './members.ts'
import { PacedQueues } from './paced-queues.ts'
import type { UnderWay } from './under-way.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** How many requests of a holder may wait for their replies. Those that come then are refused. */
export const WAITING_MAX = 200
/** How many requests of a holder may wait for a reply or a refusal. A socket that sends more is closed. */
export const KEPT_MAX = 1000
/** How many bytes the waiting requests of a holder may have. A socket that sends more is closed. */
export const KEPT_MAX_BYTES = MIB
/** How many bytes all waiting requests may have. If there are more, sockets of the holder with most are closed. */
export const ALL_KEPT_MAX_BYTES = 16 * MIB
/** How many requests are answered with one query. A planet has at most about 1 MiB. */
const AT_ONCE = 16
/**
 * How many of them one holder can have. Together they must not exceed SOCKET_MAX_BYTES (under-way.ts), because a client
 * can send no frame between them.
 */
const AT_ONCE_OF_HOLDER = 7
/** The pace of the replies to all holders together: four times that of one. */
const ALL_BYTES_PER_SECOND = 16 * MIB
/** What a reply counts at least for the pace, because a small planet takes time, too: 128 replies per second. */
const REPLY_MIN_BYTES = 32 * KIB

interface Services {
  underWay: UnderWay
  /** @returns The replies, in the order of the requests */
  answer(requests: readonly PlanetRequest[]): Promise<string[]>
  /** Closes a socket that has sent too much. It must call `forget`. */
  closeTooMany(member: Member): void
  /** Closes a socket because its requests cannot be answered. It must call `forget`. */
  closeFailed(member: Member): void
  now(): Date
  wait(milliseconds: number): Promise<void>
}

interface WaitingRequest extends PlanetRequest {
  member: Member
  bytes: number
}

/**
 * The requests that clients send on their sockets. They are answered in their order, several with one query. Holders
 * take turns, and each gets its replies at a limited pace.
 */
export class Requests {
  readonly #services: Services
  readonly #queues: PacedQueues<WaitingRequest>
  /** The size of all waiting requests. */
  #bytes = 0

  constructor(services: Services) {
    this.#services = services
    const { now, wait } = services
    const work = (batch: readonly WaitingRequest[]) => this.#answer(batch)
    this.#queues = new PacedQueues({
      ...{ now, wait, work, atOnce: AT_ONCE, atOnceOfHolder: AT_ONCE_OF_HOLDER },
      allBytesPerSecond: ALL_BYTES_PER_SECOND,
    })
  }

  hasWaiting(member: Member): boolean {
    return this.#queues.waitingOf(member.subscription.holder).some((request) => request.member === member)
  }

  /** Takes a request. If far too many requests are waiting, sockets are closed. */
  add(member: Member, text: string): void {
    const { holder } = member.subscription
    const waiting = this.#queues.waitingOf(holder)
    const bytes = countBytes(text)
    if (waiting.length >= KEPT_MAX || bytesOf(waiting) + bytes > KEPT_MAX_BYTES) {
      const largest = largestOf(waiting) ?? member
      this.#services.closeTooMany(largest)
      if (largest === member) return
    }
    const isRefused = this.#queues.waitingOf(holder).length >= WAITING_MAX
    this.#bytes += bytes
    this.#queues.add(holder, { member, text, subscription: member.subscription, isRefused, bytes })
    while (this.#bytes > ALL_KEPT_MAX_BYTES) this.#services.closeTooMany(this.#findLargest())
  }

  /** Forgets the requests of a socket that was closed. */
  forget(member: Member): void {
    const removed = this.#queues.remove(member.subscription.holder, (request) => request.member === member)
    this.#bytes -= bytesOf(removed)
  }

  /** The socket with most waiting bytes of the holder with most. */
  #findLargest(): Member {
    const [largest] = [...this.#queues.all]
      .map(([, waiting]) => ({ waiting, bytes: bytesOf(waiting) }))
      .sort((one, other) => other.bytes - one.bytes)
    const found = largestOf(largest?.waiting ?? [])
    if (!found) throw new Error('requests have bytes, but none is waiting')
    return found
  }

  async #answer(batch: readonly WaitingRequest[]): Promise<void> {
    this.#bytes -= bytesOf(batch)
    try {
      const replies = await this.#services.answer(batch)
      for (const [index, { member }] of batch.entries()) this.#send(member, replies[index] ?? '')
    } catch (error) {
      console.error(JSON.stringify({ event: 'planet-request-failed', error: rootCause(error).message }))
      for (const { member } of batch) this.#services.closeFailed(member)
    }
  }

  #send(member: Member, reply: string): void {
    const frame = frameOf(reply)
    // Nothing is sent to a socket that was closed.
    this.#services.underWay.send(member, frame)
    this.#queues.noteDone(member.subscription.holder, Math.max(frame.bytes, REPLY_MIN_BYTES))
  }
}

/** The socket with most waiting bytes. */
function largestOf(waiting: readonly WaitingRequest[]): Member | undefined {
  const bySocket = Map.groupBy(waiting, ({ member }) => member)
  return [...bySocket].sort(([, ofOne], [, ofOther]) => bytesOf(ofOther) - bytesOf(ofOne))[0]?.[0]
}

function bytesOf(requests: readonly { bytes: number }[]): number {
  return requests.reduce((sum, { bytes }) => sum + bytes, 0)
}
