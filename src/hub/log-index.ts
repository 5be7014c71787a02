import { LOG_HOURS, LOG_ROWS_MAX } from '../domain/limits.ts'
import type { Subscription } from '../events/subscription.ts'
import { HOUR_MS } from '../lib/time.ts'
import type { LogIndexRow } from '../stores/read-log.ts'
import { mayWant } from './topics.ts'

/** The index of the log in memory, up to the place of the hub. It finds the rows for a subscription without their bodies. */
export class LogIndex {
  #rows: LogIndexRow[]
  /** The place after which no row is missing, as far as this knows. */
  #complete: number

  /**
   * @param rows All rows that the log has, in its order
   * @param place The place up to which these are
   */
  constructor(rows: readonly LogIndexRow[], place: number) {
    this.#rows = [...rows]
    const [first] = rows
    this.#complete = first ? first.place - 1 : place
  }

  /** Whether it has everything that came after a place. */
  reachesBackTo(place: number): boolean {
    return place >= this.#complete
  }

  append({ place, kind, planetId, userId, eventCount, createdAt, salt }: LogIndexRow): void {
    this.#rows.push({ place, kind, planetId, userId, eventCount, createdAt, salt })
    // Not at each row, because this copies the list.
    if (this.#rows.length <= LOG_ROWS_MAX * 1.1) return
    this.#complete = this.#rows.at(-LOG_ROWS_MAX - 1)?.place ?? 0
    this.#rows = this.#rows.slice(-LOG_ROWS_MAX)
  }

  /**
   * The rows at or after a place that may have events for a subscription, in order. Without those that are too old, or too
   * many, for the log. It may have dropped more of the oldest, because of their size.
   */
  findFrom(place: number, subscription: Subscription, now: Date): LogIndexRow[] {
    const first = Math.max(this.#firstAt(place), this.#rows.length - LOG_ROWS_MAX)
    const oldest = now.getTime() - LOG_HOURS * HOUR_MS
    return this.#rows.slice(first).filter((row) => row.createdAt.getTime() > oldest && mayWant(subscription, row))
  }

  /** The number of the first row at or after a place. */
  #firstAt(place: number): number {
    let low = 0
    let high = this.#rows.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#rows[middle]?.place ?? 0) < place) low = middle + 1
      else high = middle
    }
    return low
  }
}
