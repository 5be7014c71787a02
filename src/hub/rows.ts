import type { SizedLogRow } from '../events/happening.ts'
import { WrittenEvent } from './frames.ts'
import type { LogSource } from './log-source.ts'
import { PacedQueues } from './paced-queues.ts'

const MEBI = 1024 * 1024
/** How many characters of JSON are kept in memory of new rows, and of those that were read again. */
const NEWEST_MAX_CHARACTERS = 6 * MEBI
const OLD_MAX_CHARACTERS = 2 * MEBI

/** The pace at which all holders together get old rows: that of one. To send them takes time from other requests. */
const ALL_BYTES_PER_SECOND = 4 * 1024 * 1024

/** A row with its events, and with the texts of the frames that were sent. */
export interface WrittenRow {
  row: SizedLogRow
  events: readonly WrittenEvent[]
}

export interface RowReader {
  /** Who takes a turn (`Subscription.holder`). */
  holder: string
  /** Whether the reader still wants the rows. */
  isWaiting(): boolean
}

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
  #newest = new KeptRows(NEWEST_MAX_CHARACTERS)
  #old = new KeptRows(OLD_MAX_CHARACTERS)

  constructor(log: LogSource, { now, wait }: { now(): Date; wait(milliseconds: number): Promise<void> }) {
    this.#log = log
    const work = async ([next]: readonly WaitingRead[]) => (next ? await this.#readFor(next) : undefined)
    this.#reads = new PacedQueues({
      ...{ now, wait, work, atOnce: 1, atOnceOfHolder: 1 },
      allBytesPerSecond: ALL_BYTES_PER_SECOND,
    })
  }

  /** Keeps a new row, and forgets the oldest rows if there are too many. */
  keep(row: SizedLogRow): WrittenRow {
    const written = this.#write(row)
    this.#newest.keep(written)
    return written
  }

  /** The rows at these places, in their order, if all of them are in memory. */
  readKept(places: readonly number[]): WrittenRow[] | undefined {
    const rows = places.map((place) => this.#findKept(place)).filter((row) => row !== undefined)
    return rows.length === places.length ? rows : undefined
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
    this.#newest = new KeptRows(NEWEST_MAX_CHARACTERS)
    this.#old = new KeptRows(OLD_MAX_CHARACTERS)
  }

  #findKept(place: number): WrittenRow | undefined {
    return this.#newest.get(place) ?? this.#old.get(place)
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
    const old = this.#old
    const found = new Map<number, WrittenRow>()
    for (const place of places) {
      const row = this.#findKept(place)
      if (row) found.set(place, row)
    }
    const missing = places.filter((place) => !found.has(place))
    if (missing.length === 0) return found
    for (const row of await this.#log.readRows(missing)) {
      const written = this.#write(row)
      found.set(row.place, written)
      old.keep(written)
    }
    return found
  }
}

/** The oldest entry goes first. */
class KeptRows {
  readonly #maxLength: number
  readonly #rows = new Map<number, WrittenRow>()
  #length = 0

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  get(place: number): WrittenRow | undefined {
    return this.#rows.get(place)
  }

  /** Keeps a row that is not kept yet, and forgets others if there are too many. */
  keep(written: WrittenRow): void {
    this.#rows.set(written.row.place, written)
    this.#length += lengthOf(written)
    for (const [place, oldest] of this.#rows) {
      if (this.#length <= this.#maxLength || oldest === written) break
      this.#rows.delete(place)
      this.#length -= lengthOf(oldest)
    }
  }
}

/** About how many characters a row takes in memory: its body, and a copy of the body in each of its events. */
function lengthOf({ row, events }: WrittenRow): number {
  return row.body.length * (events.length + 1)
}
