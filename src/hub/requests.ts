import type { PlanetRequest } from '../features/live/answer-planet-requests.ts'
import { Pace } from '../lib/pace.ts'
import { countBytes } from '../lib/text.ts'
import { frameOf } from './frames.ts'
import type { Member } from './members.ts'
import type { UnderWay } from './under-way.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** How many requests of a holder may wait for their replies. Those that come then are refused. */
export const WAITING_MAX = 200
/** How many requests of a holder may wait for a reply or a refusal. A socket that sends more is closed. */
export const KEPT_MAX = 1000
/** How many bytes the waiting requests of a holder may have, and those of all. A socket that sends more is closed. */
export const KEPT_MAX_BYTES = MIB
export const ALL_KEPT_MAX_BYTES = 16 * MIB
/** How many requests are answered with one query. A planet has at most about 1 MiB. */
const AT_ONCE = 16
/**
 * How many of them one holder can have. Together they must not exceed SOCKET_MAX_BYTES (under-way.ts), because a client
 * can send no frame between them.
 */
const AT_ONCE_OF_HOLDER = 7
/** What a reply counts at least for the pace, because a small planet takes time, too: 128 replies per second. */
const REPLY_MIN_BYTES = 32 * KIB
/** The pace of the replies to all holders together: four times that of one. */
const ALL_BYTES_PER_SECOND = 16 * MIB

interface Services {
  underWay: UnderWay
  /** Answers requests for planets. @returns The replies, in the order of the requests */
  answer(requests: readonly PlanetRequest[]): Promise<string[]>
  now(): Date
  wait(milliseconds: number): Promise<void>
}

interface WaitingRequest extends PlanetRequest {
  member: Member
  bytes: number
}

/** The requests of a holder. */
interface Queue {
  waiting: WaitingRequest[]
  bytes: number
  /** The pace of the replies to all sockets of the holder. */
  readonly pace: Pace
}

/**
 * The requests that clients send on their sockets. They are answered in their order, several with one query. Holders
 * take turns, and each gets its replies at a limited pace, so that nobody delays the others.
 */
export class Requests {
  readonly #services: Services
  readonly #queues = new Map<string, Queue>()
  readonly #pace: Pace
  #bytes = 0
  #isAnswering = false
  /** Ends the wait for the next reply. */
  #wake: () => void = () => {}

  constructor(services: Services) {
    this.#services = services
    this.#pace = new Pace(services.now, ALL_BYTES_PER_SECOND)
  }

  /** Whether requests of a socket are waiting. */
  hasWaiting(member: Member): boolean {
    const queue = this.#queues.get(member.subscription.holder)
    return queue?.waiting.some((request) => request.member === member) ?? false
  }

  /** Takes a request. @returns False if far too many requests are waiting, so that the socket must be closed */
  add(member: Member, text: string): boolean {
    const queue = this.#queueOf(member.subscription.holder)
    const bytes = countBytes(text)
    const isTooMuch = queue.bytes + bytes > KEPT_MAX_BYTES || this.#bytes + bytes > ALL_KEPT_MAX_BYTES
    if (isTooMuch || queue.waiting.length >= KEPT_MAX) return false
    const isRefused = queue.waiting.length >= WAITING_MAX
    queue.waiting.push({ member, text, subscription: member.subscription, isRefused, bytes })
    this.#count(queue, bytes)
    if (!this.#isAnswering) void this.#answerAll()
    // The wait may be for another holder.
    else if (queue.waiting.length === 1 && queue.pace.delayOf(0) === 0) this.#wake()
    return true
  }

  /** Forgets the requests of a socket that was closed. */
  forget(member: Member): void {
    const queue = this.#queues.get(member.subscription.holder)
    if (!queue) return
    const removed = queue.waiting.filter((request) => request.member === member)
    if (removed.length === 0) return
    queue.waiting = queue.waiting.filter((request) => request.member !== member)
    for (const { bytes } of removed) this.#count(queue, -bytes)
  }

  #queueOf(holder: string): Queue {
    const known = this.#queues.get(holder)
    if (known) return known
    // A queue keeps the pace of its holder until the holder could begin with a new one.
    for (const [idle, { waiting, pace }] of this.#queues) {
      if (waiting.length === 0 && pace.aheadBytes === 0) this.#queues.delete(idle)
    }
    const queue = { waiting: [], bytes: 0, pace: new Pace(this.#services.now) }
    this.#queues.set(holder, queue)
    return queue
  }

  #count(queue: Queue, bytes: number): void {
    queue.bytes += bytes
    this.#bytes += bytes
  }

  async #answerAll(): Promise<void> {
    this.#isAnswering = true
    try {
      for (let delay = this.#delay(); delay < Number.POSITIVE_INFINITY; delay = this.#delay()) {
        if (delay === 0) await this.#answer(this.#takeBatch())
        else await this.#waitOrWake(delay)
      }
    } finally {
      this.#isAnswering = false
    }
  }

  /** How long to wait before the next reply, in milliseconds; Infinity if nothing waits for one. */
  #delay(): number {
    let next = Number.POSITIVE_INFINITY
    for (const { waiting, pace } of this.#queues.values()) {
      if (waiting.length > 0) next = Math.min(next, pace.delayOf(0))
    }
    return Math.max(next, this.#pace.delayOf(0))
  }

  async #waitOrWake(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    await Promise.race([this.#services.wait(milliseconds), promise])
  }

  /** Takes the next requests of all holders who may get a reply, from each holder in turn. */
  #takeBatch(): WaitingRequest[] {
    const batch: WaitingRequest[] = []
    const ready = [...this.#queues].filter(([, { pace }]) => pace.delayOf(0) === 0)
    for (let round = 1, isDone = false; !isDone && round <= AT_ONCE_OF_HOLDER; round++) {
      isDone = true
      for (const [holder, queue] of ready) {
        const next = batch.length < AT_ONCE ? queue.waiting.shift() : undefined
        if (!next) continue
        isDone = false
        this.#count(queue, -next.bytes)
        batch.push(next)
        // The next batch begins with another holder.
        this.#queues.delete(holder)
        this.#queues.set(holder, queue)
      }
    }
    return batch
  }

  async #answer(batch: readonly WaitingRequest[]): Promise<void> {
    const { answer, underWay } = this.#services
    const replies = await answer(batch)
    for (const [index, { member }] of batch.entries()) {
      const frame = frameOf(replies[index] ?? '')
      // Nothing is sent to a socket that was closed.
      underWay.send(member, frame)
      const counted = Math.max(frame.bytes, REPLY_MIN_BYTES)
      this.#queues.get(member.subscription.holder)?.pace.noteSent(counted)
      this.#pace.noteSent(counted)
    }
  }
}
