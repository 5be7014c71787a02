import type { LogIndexRow } from '../changes/read-log.ts'
import { LOG_HOURS, LOG_ROWS_MAX } from '../domain/limits.ts'
import type { Subscription } from '../events/subscription.ts'
import { HOUR_MS } from '../lib/time.ts'
import { mayWant } from './topics.ts'

/** The index can grow to this multiple of the number of rows that the log keeps. Then its oldest rows are dropped. */
const SURPLUS_FACTOR = 1.1

/** The index of the log in memory. It finds the rows that may have events for a subscription, without their bodies. */
export class LogIndex {
  #rows: LogIndexRow[]
  /** The index has every row after this place. */
  #completeAfter: number

  /**
   * @param rows All rows that the log has, in its order
   * @param place The place up to which the hub has read the log
   */
  constructor(rows: readonly LogIndexRow[], place: number) {
    this.#rows = [...rows]
    const [first] = rows
    // The log may have dropped the rows before the first one.
    this.#completeAfter = first ? first.place - 1 : place
  }

  /** Whether the index has every row after a place. */
  reachesBackTo(place: number): boolean {
    return place >= this.#completeAfter
  }

  append({ place, kind, planetId, userId, eventCount, createdAt, salt, bytes }: LogIndexRow): void {
    // The long texts that the row may have are not kept.
    this.#rows.push({ place, kind, planetId, userId, eventCount, createdAt, salt, bytes })
    // The oldest rows are not dropped at each call, because this copies the list.
    if (this.#rows.length <= LOG_ROWS_MAX * SURPLUS_FACTOR) return
    const newestDropped = this.#rows.at(-LOG_ROWS_MAX - 1)
    this.#completeAfter = newestDropped?.place ?? 0
    this.#rows = this.#rows.slice(-LOG_ROWS_MAX)
  }

  /**
   * The rows at or after a place that may have events for a subscription, in order. The result can contain rows that
   * the log has dropped since they were added.
   */
  findFrom(place: number, subscription: Subscription): LogIndexRow[] {
    return this.#rows.slice(this.#firstAt(place)).filter((row) => mayWant(subscription, row))
  }

  /**
   * The same as `findFrom`, without the rows that are too old or too many for the log. The result can still contain
   * rows that the log has dropped because of their size.
   */
  findKeptFrom(place: number, subscription: Subscription, now: Date): LogIndexRow[] {
    const firstKept = this.#rows.at(-LOG_ROWS_MAX)?.place ?? 0
    const oldest = now.getTime() - LOG_HOURS * HOUR_MS
    const rows = this.findFrom(Math.max(place, firstKept), subscription)
    return rows.filter(({ createdAt }) => createdAt.getTime() > oldest)
  }

  /** The position in `#rows` of the first row at or after a place, by binary search. */
  #firstAt(place: number): number {
    let low = 0
    let high = this.#rows.length
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if ((this.#rows[middle]?.place ?? 0) < place) low = middle + 1
      else high = middle
    }
    return low
  }
}
