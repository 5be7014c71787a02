import type { LogRow } from '../events/happening.ts'
import { Pace } from '../lib/pace.ts'
import { countBytes } from '../lib/text.ts'
import { WrittenEvent } from './frames.ts'
import type { LogSource } from './log-source.ts'

/** How many characters of JSON are kept in memory. */
const KEPT_MAX_CHARACTERS = 8 * 1024 * 1024

/** A row with its events, and with the texts of the frames that were sent. */
export interface WrittenRow {
  row: LogRow
  events: readonly WrittenEvent[]
}

/**
 * The rows that were recently sent or read. If many sockets resume at the same time, each row is read and serialised
 * once. Reads follow one another, so that few rows are in memory at once.
 */
export class Rows {
  readonly #log: LogSource
  readonly #wait: (milliseconds: number) => Promise<void>
  /** Limits how fast old rows are read, so that they do not delay new rows. */
  readonly #pace: Pace
  #kept = new Map<number, WrittenRow>()
  #keptLength = 0
  #latestRead: Promise<unknown> = Promise.resolve()

  constructor(log: LogSource, { now, wait }: { now(): Date; wait(milliseconds: number): Promise<void> }) {
    this.#log = log
    this.#wait = wait
    this.#pace = new Pace(now)
  }

  /** Keeps a row that was just read, and forgets the oldest rows if there are too many. */
  keep(row: LogRow): WrittenRow {
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
   * The rows at these places, in their order, without those that are no longer in the log.
   *
   * @throws Error of the database
   */
  read(places: readonly number[]): Promise<WrittenRow[]> {
    // The read takes place even if the one before it failed.
    const read = this.#latestRead.catch(() => {}).then(() => this.#read(places))
    this.#latestRead = read
    return read
  }

  /** Forgets all rows, also those that are being read. If the log begins anew, their places belong to other rows. */
  forget(): void {
    this.#kept = new Map()
    this.#keptLength = 0
  }

  #write(row: LogRow): WrittenRow {
    return { row, events: this.#log.eventsOf(row).map((event) => new WrittenEvent(row, event)) }
  }

  async #read(places: readonly number[]): Promise<WrittenRow[]> {
    // The map has a key for each place from the beginning, so that its values keep the order of the places.
    const kept = this.#kept
    const found = new Map(places.map((place) => [place, kept.get(place)]))
    const missing = places.filter((place) => !found.get(place))
    if (missing.length > 0) {
      // The size of the next read is not known yet, so the delay depends only on earlier reads.
      const delay = this.#pace.delayOf(0)
      if (delay > 0) await this.#wait(delay)
      for (const row of await this.#log.readRows(missing)) {
        this.#pace.noteSent(countBytes(row.body))
        found.set(row.place, kept === this.#kept ? this.keep(row) : this.#write(row))
      }
    }
    return [...found.values()].filter((row) => row !== undefined)
  }
}

/** About how many characters a row takes in memory: its body, and a copy of the body in each of its events. */
function lengthOf({ row, events }: WrittenRow): number {
  return row.body.length * (events.length + 1)
}
