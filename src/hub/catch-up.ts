import { joinItems } from '../events/stream-frames.ts'
import type { LogIndexRow } from '../stores/read-log.ts'
import type { LogReader } from './log-reader.ts'
import { BEGINNING, type Position, WHOLE_ROW } from './log-source.ts'
import { isStream, type Member, type Members, sendTo } from './members.ts'
import type { Rows, WrittenRow } from './rows.ts'
import { isFor } from './topics.ts'

/** How many events `includeHistory` sends. */
const HISTORY_MAX = 1000
/** How many rows are read at once. A row has at most about 1 MiB. */
const ROWS_AT_ONCE = 16

const FAR_BEHIND = 'a socket is so far behind that the log does not have all of what it missed'

/** The services that catching up uses. */
interface Services {
  rows: Rows
  reader: LogReader
  members: Members
  /** From now on, a member gets each event when it happens. */
  join(member: Member): void
  now(): Date
  wait(milliseconds: number): Promise<void>
}

/**
 * Sends sockets the events that they have missed, each at its own pace, until they are up to date. Then they join the
 * others.
 */
export class CatchUp {
  readonly #services: Services
  readonly #running = new Set<Member>()

  constructor(services: Services) {
    this.#services = services
  }

  /** Begins or continues with a socket that is behind. @throws Error of the database */
  async run(member: Member): Promise<void> {
    if (this.#running.has(member)) return
    this.#running.add(member)
    try {
      while (this.#wantsMore(member)) await this.#goOn(member)
    } finally {
      this.#running.delete(member)
    }
  }

  /** Whether a socket is still open, behind, and wants to go on. */
  #wantsMore(member: Member): boolean {
    return this.#services.members.find(member.socket) === member && member.behind !== null && member.room > 0
  }

  async #goOn(member: Member): Promise<void> {
    const { rows, reader, members, now } = this.#services
    const index = await reader.openIndex()
    const { behind, subscription } = member
    if (behind === null || !this.#wantsMore(member)) return
    if (behind === 'history') {
      const begin = await this.#findHistory(member, index.findFrom(0, subscription, now()))
      if (this.#wantsMore(member)) members.fallBehind(member, begin)
      return
    }
    if (!behind.isBeginning && !index.reachesBackTo(behind.place)) throw new Error(FAR_BEHIND)
    const missed = index.findFrom(behind.index >= WHOLE_ROW ? behind.place + 1 : behind.place, subscription, now())
    const next = missed.slice(0, ROWS_AT_ONCE)
    const last = next.at(-1)
    // Nothing has happened since the index was searched, so nothing can be missed or sent twice.
    if (!last) return this.#services.join(member)
    const found = await rows.read(next.map(({ place }) => place))
    if (!this.#wantsMore(member)) return
    if (!behind.isBeginning && found.length < next.length) throw new Error(FAR_BEHIND)
    const { texts, position = { place: last.place, index: WHOLE_ROW } } = collect(member, found, behind)
    members.fallBehind(member, behind.isBeginning && found.length === 0 ? { ...position, isBeginning: true } : position)
    if (texts.length > 0) await this.#send(member, texts)
  }

  /** Sends events, and waits until the client has probably read them. A stream reports how much it has read. */
  async #send(member: Member, texts: readonly string[]): Promise<void> {
    if (isStream(member)) return this.#services.members.sendFrame(member, joinItems(texts))
    for (const text of texts) {
      sendTo(member, text)
      member.pace.noteSent(text.length)
    }
    const delay = member.pace.delayOf(0)
    if (delay > 0) await this.#services.wait(delay)
  }

  /** The position before the newest events of a subscription. */
  async #findHistory(member: Member, index: readonly LogIndexRow[]): Promise<Position> {
    // If there cannot be too many, no body needs to be read.
    if (index.reduce((sum, { eventCount }) => sum + eventCount, 0) <= HISTORY_MAX) return BEGINNING
    let count = 0
    for (let end = index.length; end > 0; end -= ROWS_AT_ONCE) {
      const places = index.slice(Math.max(end - ROWS_AT_ONCE, 0), end).map(({ place }) => place)
      const wanted = (await this.#services.rows.read(places)).flatMap((written) => positionsFor(member, written))
      const before = wanted.at(-(HISTORY_MAX - count) - 1)
      if (before) return before
      count += wanted.length
    }
    return BEGINNING
  }
}

/**
 * The events of rows that come after a position.
 *
 * @returns Their texts, and the position of the last of them if there is no room for all
 */
function collect(
  member: Member,
  rows: readonly WrittenRow[],
  after: Position,
): { texts: string[]; position: Position | undefined } {
  const texts: string[] = []
  let length = 0
  for (const { row, events } of rows) {
    for (const [index, written] of events.entries()) {
      const isKnown = row.place === after.place && index <= after.index
      if (isKnown || !isFor(member.subscription, row, written.event)) continue
      const text = written.textFor(member.subscription)
      texts.push(text)
      length += text.length
      if (length >= member.room) return { texts, position: { place: row.place, index } }
    }
  }
  return { texts, position: undefined }
}

/** The positions of the events that a socket gets. */
function positionsFor({ subscription }: Member, { row, events }: WrittenRow): Position[] {
  return events.flatMap(({ event }, index) => (isFor(subscription, row, event) ? { place: row.place, index } : []))
}
