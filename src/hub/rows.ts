import type { SizedLogRow } from '../events/happening.ts'
import { WrittenEvent } from './frames.ts'
import type { LogSource } from './log-source.ts'
import { PacedQueues } from './paced-queues.ts'

/** How many characters of JSON are kept in memory. */
const KEPT_MAX_CHARACTERS = 8 * 1024 * 1024

/** The pace at which all holders together get old rows: that of one. To send them takes time from other requests. */
const ALL_BYTES_PER_SECOND = 4 * 1024 * 1024

/** A row with its events, and with the texts of the frames that were sent. */
export interface WrittenRow {
  row: SizedLogRow
  events: readonly WrittenEvent[]
}

/** Somebody who reads rows. */
export interface RowReader {
  /** Who takes a turn (`Subscription.holder`). */
  holder: string
  /** Whether the reader still wants the rows. */
  isWaiting(): boolean
}

/** A read that waits for its turn. */
interface WaitingRead {
  places: readonly number[]
  reader: RowReader
  resolve(rows: WrittenRow[]): void
  reject(error: unknown): void
}

/**
 * The rows that were recently sent or read. If many sockets resume at the same time, each row is read and serialised
 * once. Reads follow one another, so that few rows are in memory at once. Holders take turns, at a limited pace, so
 * that old rows delay neither new ones nor other requests.
 */
export class Rows {
  readonly #log: LogSource
  readonly #reads: PacedQueues<WaitingRead>
  #kept = new Map<number, WrittenRow>()
  #keptLength = 0

  constructor(log: LogSource, { now, wait }: { now(): Date; wait(milliseconds: number): Promise<void> }) {
    this.#log = log
    const work = async ([next]: readonly WaitingRead[]) => (next ? await this.#readFor(next) : undefined)
    this.#reads = new PacedQueues({
      ...{ now, wait, work, atOnce: 1, atOnceOfHolder: 1 },
      allBytesPerSecond: ALL_BYTES_PER_SECOND,
    })
  }

  /** Keeps a row that was just read, and forgets the oldest rows if there are too many. */
  keep(row: SizedLogRow): WrittenRow {
    const written = this.#write(row)
    this.#kept.set(row.place, written)
    this.#keptLength += lengthOf(written)
    for (const [place, oldest] of this.#kept) {
      if (this.#keptLength <= KEPT_MAX_CHARACTERS || oldest === written) break
      this.#kept.delete(place)
      this.#keptLength -= lengthOf(oldest)
    }
    return written
  }

  /**
   * The rows at these places, in their order, without those that are no longer in the log. None if the reader has left
   * before its turn.
   *
   * @throws Error of the database
   */
  read(places: readonly number[], reader: RowReader): Promise<WrittenRow[]> {
    const { promise, resolve, reject } = Promise.withResolvers<WrittenRow[]>()
    this.#reads.add(reader.holder, { places, reader, resolve, reject })
    return promise
  }

  /** Forgets all rows, also those that are being read. If the log begins anew, their places belong to other rows. */
  forget(): void {
    this.#kept = new Map()
    this.#keptLength = 0
  }

  #write(row: SizedLogRow): WrittenRow {
    return { row, events: this.#log.eventsOf(row).map((event) => new WrittenEvent(row, event)) }
  }

  /** Does a read whose turn it is, and those of other holders that wait for the same rows. */
  async #readFor(next: WaitingRead): Promise<void> {
    if (!next.reader.isWaiting()) return next.resolve([])
    try {
      const found = await this.#find(next.places)
      const others = this.#reads.takeNext(({ places }) => places.every((place) => found.has(place)))
      for (const read of [next, ...others]) this.#finish(read, found)
    } catch (error) {
      next.reject(error)
    }
  }

  #finish({ places, reader, resolve }: WaitingRead, found: ReadonlyMap<number, WrittenRow>): void {
    const rows = places.map((place) => found.get(place)).filter((row) => row !== undefined)
    const bytes = rows.reduce((sum, { row }) => sum + row.bytes, 0)
    this.#reads.noteDone(reader.holder, reader.isWaiting() ? bytes : 0)
    resolve(rows)
  }

  /** The rows at these places that the log has, in any order. */
  async #find(places: readonly number[]): Promise<Map<number, WrittenRow>> {
    const kept = this.#kept
    const found = new Map<number, WrittenRow>()
    for (const place of places) {
      const row = kept.get(place)
      if (row) found.set(place, row)
    }
    const missing = places.filter((place) => !found.has(place))
    if (missing.length === 0) return found
    for (const row of await this.#log.readRows(missing)) {
      found.set(row.place, kept === this.#kept ? this.keep(row) : this.#write(row))
    }
    return found
  }
}

/** About how many characters a row takes in memory: its body, and a copy of the body in each of its events. */
function lengthOf({ row, events }: WrittenRow): number {
  return row.body.length * (events.length + 1)
}
