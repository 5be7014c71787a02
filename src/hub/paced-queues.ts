import { Pace } from './pace.ts'

interface Services<Item> {
  now(): Date
  wait(milliseconds: number): Promise<void>
  /** The pace of all holders together. That of one is a constant of `Pace`. */
  allBytesPerSecond: number
  /** How many items are done at once, and how many of them can be of one holder. */
  atOnce: number
  atOnceOfHolder: number
  /** Does what the items wait for, and calls `noteDone` for each that cost something. It must not throw. */
  work(batch: readonly Item[]): Promise<void>
}

interface Queue<Item> {
  waiting: Item[]
  readonly pace: Pace
}

/**
 * Work that waits, in a queue for each holder (`Subscription.holder`). Holders take turns, each at a limited pace, so
 * that nobody delays the others.
 */
export class PacedQueues<Item> {
  readonly #services: Services<Item>
  readonly #queues = new Map<string, Queue<Item>>()
  readonly #pace: Pace
  #isWorking = false
  /** Ends the wait for the next turn. */
  #wake: () => void = () => {}

  constructor(services: Services<Item>) {
    this.#services = services
    this.#pace = new Pace(services.now, services.allBytesPerSecond)
  }

  get all(): Iterable<[holder: string, waiting: readonly Item[]]> {
    return this.#queues.entries().map(([holder, { waiting }]) => [holder, waiting])
  }

  waitingOf(holder: string): readonly Item[] {
    return this.#queues.get(holder)?.waiting ?? []
  }

  /** Adds an item at the end of the queue of its holder. */
  add(holder: string, item: Item): void {
    const queue = this.#queueOf(holder)
    queue.waiting.push(item)
    if (!this.#isWorking) void this.#workAll()
    // The wait may be for another holder.
    else if (queue.waiting.length === 1 && queue.pace.delayOf(0) === 0) this.#wake()
  }

  /** Takes the next item of each holder whose turn could be now, if it is meant. */
  takeNext(isMeant: (item: Item) => boolean): Item[] {
    return [...this.#queues.values()].flatMap(({ waiting, pace }) => {
      const [next] = waiting
      return next !== undefined && pace.delayOf(0) === 0 && isMeant(next) ? waiting.splice(0, 1) : []
    })
  }

  /** Removes items that wait for a holder. @returns The removed items */
  remove(holder: string, isMeant: (item: Item) => boolean): Item[] {
    const queue = this.#queues.get(holder)
    if (!queue) return []
    const removed = queue.waiting.filter(isMeant)
    if (removed.length > 0) queue.waiting = queue.waiting.filter((item) => !isMeant(item))
    return removed
  }

  /** Notes what an item of a holder has cost, so that the next ones wait. */
  noteDone(holder: string, bytes: number): void {
    // The queue of a holder may have been forgotten while its last item was done.
    this.#queueOf(holder).pace.noteSent(bytes)
    this.#pace.noteSent(bytes)
  }

  #queueOf(holder: string): Queue<Item> {
    const known = this.#queues.get(holder)
    if (known) return known
    // A queue keeps the pace of its holder until the holder could begin with a new one.
    for (const [idle, { waiting, pace }] of this.#queues) {
      if (waiting.length === 0 && pace.aheadBytes === 0) this.#queues.delete(idle)
    }
    const queue = { waiting: [], pace: new Pace(this.#services.now) }
    this.#queues.set(holder, queue)
    return queue
  }

  async #workAll(): Promise<void> {
    this.#isWorking = true
    try {
      for (let delay = this.#delay(); delay < Number.POSITIVE_INFINITY; delay = this.#delay()) {
        if (delay === 0) await this.#services.work(this.#takeBatch())
        else await this.#waitOrWake(delay)
      }
    } finally {
      this.#isWorking = false
    }
  }

  /** How long to wait before the next turn, in milliseconds; Infinity if nothing waits. */
  #delay(): number {
    let next = Number.POSITIVE_INFINITY
    for (const { waiting, pace } of this.#queues.values()) {
      if (waiting.length > 0) next = Math.min(next, pace.delayOf(0))
      if (next === 0) break
    }
    return Math.max(next, this.#pace.delayOf(0))
  }

  async #waitOrWake(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    await Promise.race([this.#services.wait(milliseconds), promise])
  }

  /** Takes the next items of all holders whose pace allows it, from each holder in turn. */
  #takeBatch(): Item[] {
    const { atOnce, atOnceOfHolder } = this.#services
    const batch: Item[] = []
    const ready = [...this.#queues].filter(([, { pace }]) => pace.delayOf(0) === 0)
    for (let round = 1, isDone = false; !isDone && round <= atOnceOfHolder; round++) {
      isDone = true
      for (const [holder, queue] of ready) {
        if (batch.length >= atOnce) return batch
        if (queue.waiting.length === 0) continue
        batch.push(...queue.waiting.splice(0, 1))
        isDone = false
        // The next batch begins with another holder.
        this.#queues.delete(holder)
        this.#queues.set(holder, queue)
      }
    }
    return batch
  }
}
