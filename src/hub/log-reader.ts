import type { LogRow } from '../events/happening.ts'
import { CoalescedWork } from './coalesced.ts'
import { LogIndex } from './log-index.ts'
import type { LogSource } from './log-source.ts'

/** The state of a reader that survives the hibernation of the hub. */
export interface PlaceStore {
  load(): number | undefined
  store(place: number): void
}

/** The listener that gets the rows of the log. */
export interface Audience {
  /** The reader begins after this place. */
  begin(place: number): void
  /** The log has begun anew: it was restored or emptied. Nobody may listen any more after this. */
  restart(): void
  /** A new row. This must not wait, so that nobody can come in between. */
  tell(row: LogRow): void
}

/**
 * Reads the new rows of the log, and passes each of them on once, in order. It reads only on request: after a
 * notification, and when a socket is opened.
 */
export class LogReader {
  readonly #log: LogSource
  readonly #places: PlaceStore
  readonly #audience: Audience
  readonly #reading = new CoalescedWork(() => this.#readOn())
  /** The place of the last row that was passed on; undefined if nobody listens. */
  #place: number | undefined
  #index: LogIndex | undefined
  #needsIndex = false

  constructor(log: LogSource, places: PlaceStore, audience: Audience) {
    this.#log = log
    this.#places = places
    this.#audience = audience
  }

  /** Continues where the reader was before the hub hibernated. */
  goOn(): void {
    this.#place = this.#places.load()
    if (this.#place !== undefined) this.#audience.begin(this.#place)
  }

  /** The place up to which all rows were passed on. Only after `catchUp`. */
  get place(): number {
    return this.#place ?? 0
  }

  /** Reads everything that was in the log when this was called. @throws Error of the database */
  catchUp(): Promise<void> {
    return this.#reading.run()
  }

  /** Also reads the index, which stays current from then on. */
  async openIndex(): Promise<LogIndex> {
    while (!this.#index) {
      this.#needsIndex = true
      await this.#reading.run()
    }
    return this.#index
  }

  /** Forgets everything, because nobody listens any more, or because the log has begun anew. */
  forget(): void {
    this.#place = undefined
    this.#index = undefined
  }

  /** False if a row has closed the last socket, so that nobody listens any more. */
  get #isOpen(): boolean {
    return this.#place !== undefined
  }

  async #readOn(): Promise<void> {
    if (this.#place === undefined) {
      this.#moveTo(await this.#log.findNewestPlace())
    } else {
      await this.#readNewRows(this.#place)
    }
    if (this.#needsIndex && !this.#index) await this.#readIndex()
  }

  async #readNewRows(from: number): Promise<void> {
    for (let place = from; ; ) {
      const rows = await this.#log.readAfter(place)
      // Everybody may have left meanwhile.
      if (this.#place !== place) return
      if (rows.length === 0) return place === from ? await this.#requireSameLog(from) : undefined
      for (const row of rows) {
        place = row.place
        this.#place = place
        this.#index?.append(row)
        this.#audience.tell(row)
        if (!this.#isOpen) return
      }
      this.#places.store(place)
      // What was written since is told by its own notification.
      if (rows.length < this.#log.rowsAtOnce) return
    }
  }

  /** If nothing is new, the log may have begun anew: then its places are smaller. */
  async #requireSameLog(place: number): Promise<void> {
    const newest = await this.#log.findNewestPlace()
    if (newest < place && this.#place === place) this.#audience.restart()
  }

  async #readIndex(): Promise<void> {
    const rows = await this.#log.readIndex()
    if (this.#place === undefined) return
    // Later rows are added to the index when they are passed on.
    const { place } = this
    this.#needsIndex = false
    this.#index = new LogIndex(
      rows.filter((row) => row.place <= place),
      place,
    )
  }

  #moveTo(place: number): void {
    this.#place = place
    this.#places.store(place)
    this.#audience.begin(place)
  }
}
