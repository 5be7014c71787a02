import type { SizedLogRow } from '../events/happening.ts'
import { CoalescedWork } from './coalesced.ts'
import { LogIndex } from './log-index.ts'
import type { LogSource } from './log-source.ts'

/** Stores the place of a reader, so that it survives the hibernation of the hub. */
export interface PlaceStore {
  load(): number | undefined
  store(place: number): void
}

/** The listener that gets the rows of the log. */
export interface Audience {
  /** The reader begins after this place. */
  begin(place: number): void
  /** The log has begun anew: it was restored or emptied. The audience must close all sockets. */
  restart(): void
  /** Takes a new row. This must not await anything, so that no other work can run in between. */
  deliver(row: SizedLogRow): void
}

/**
 * Reads the new rows of the log, and passes each of them on once, in order. It reads only on request: after a
 * notification, and when a socket is opened.
 */
export class LogReader {
  readonly #log: LogSource
  readonly #places: PlaceStore
  readonly #audience: Audience
  readonly #reading = new CoalescedWork(() => this.#readNext())
  /** The place of the last row that was passed on; undefined if there are no sockets. */
  #place: number | undefined
  #index: LogIndex | undefined
  #needsIndex = false

  constructor(log: LogSource, places: PlaceStore, audience: Audience) {
    this.#log = log
    this.#places = places
    this.#audience = audience
  }

  /** Continues at the place of the reader before the hub hibernated. */
  resume(): void {
    this.#place = this.#places.load()
    if (this.#place !== undefined) this.#audience.begin(this.#place)
  }

  /** The place up to which all rows were passed on. 0 before the first `readToEnd`. */
  get place(): number {
    return this.#place ?? 0
  }

  /** Passes on all rows that the log has when this is called. @throws Error of the database */
  readToEnd(): Promise<void> {
    return this.#reading.run()
  }

  /** The index of the log. The first call reads it, and it stays current from then on. @throws Error of the database */
  async openIndex(): Promise<LogIndex> {
    while (!this.#index) {
      this.#needsIndex = true
      await this.#reading.run()
    }
    return this.#index
  }

  /** Forgets everything, because there are no more sockets, or because the log has begun anew. */
  forget(): void {
    this.#place = undefined
    this.#index = undefined
  }

  /** Whether there are sockets. A row that ends a credential can close the last socket. */
  get #hasAudience(): boolean {
    return this.#place !== undefined
  }

  async #readNext(): Promise<void> {
    if (this.#place === undefined) {
      this.#moveTo(await this.#log.findNewestPlace())
    } else {
      await this.#readNewRows(this.#place)
    }
    if (this.#needsIndex && !this.#index) await this.#readIndex()
  }

  async #readNewRows(from: number): Promise<void> {
    let place = from
    for (;;) {
      const rows = await this.#log.readAfter(place)
      // While the log was read, the last socket may have been closed.
      if (this.#place !== place) return
      if (rows.length === 0) {
        if (place === from) await this.#detectRestart(from)
        return
      }
      for (const row of rows) {
        place = row.place
        this.#place = place
        this.#index?.append(row)
        this.#audience.deliver(row)
        if (!this.#hasAudience) return
      }
      this.#places.store(place)
      // There are no more rows. Each row that is written later causes a notification of its own.
      if (rows.length < this.#log.rowsAtOnce) return
    }
  }

  /** Tells the audience if the log has begun anew: then its newest row comes before the place of the reader. */
  async #detectRestart(place: number): Promise<void> {
    const newest = await this.#log.findNewestPlace()
    if (newest < place && this.#place === place) this.#audience.restart()
  }

  async #readIndex(): Promise<void> {
    const rows = await this.#log.readIndex()
    if (this.#place === undefined) return
    // Later rows are added to the index when they are passed on.
    const { place } = this
    const passedOn = rows.filter((row) => row.place <= place)
    this.#needsIndex = false
    this.#index = new LogIndex(passedOn, place)
  }

  #moveTo(place: number): void {
    this.#place = place
    this.#places.store(place)
    this.#audience.begin(place)
  }
}
