import type { LogIndexRow } from '../changes/read-log.ts'
import { joinItems } from '../events/stream-frames.ts'
import type { Frame } from './frames.ts'
import type { LogReader } from './log-reader.ts'
import { AFTER_LAST_EVENT, BEGINNING, type Position, positionOf } from './log-source.ts'
import { isStream, type Member, type Members } from './members.ts'
import type { Rows, WrittenRow } from './rows.ts'
import { isFor } from './topics.ts'
import type { UnderWay } from './under-way.ts'

/** The maximum number of events that `includeHistory` sends. */
const HISTORY_MAX = 1000
/** How many rows are read at once, and how many bytes unless one row has more. A row has at most about 1 MiB. */
const ROWS_AT_ONCE = 16
const BYTES_AT_ONCE = 512 * 1024

const FAR_BEHIND = 'the log no longer contains all events that a socket has missed'

interface Services {
  rows: Rows
  reader: LogReader
  members: Members
  underWay: UnderWay
  /** Marks a member as up to date. From then on, the member gets each event when the event happens. */
  join(member: Member): void
  now(): Date
  wait(milliseconds: number): Promise<void>
}

/**
 * Sends the missed events to sockets that are behind, to each socket at its own pace. When a socket is up to date, it
 * joins the sockets that get each event when it happens.
 */
export class CatchUp {
  readonly #services: Services
  readonly #running = new Set<Member>()

  constructor(services: Services) {
    this.#services = services
  }

  /**
   * Sends a socket its missed events until it is up to date, is closed, or has no more room. Does nothing if another
   * call already does this for the socket.
   *
   * @throws Error of the database, or if the log no longer contains all missed events
   */
  async run(member: Member): Promise<void> {
    if (this.#running.has(member)) return
    this.#running.add(member)
    try {
      while (this.#wantsMore(member)) await this.#sendNextEvents(member)
    } finally {
      this.#running.delete(member)
    }
  }

  /** Whether a socket is still open, is still behind, and has room for more events. */
  #wantsMore(member: Member): boolean {
    return this.#services.members.isOpen(member) && member.behind !== null && member.room > 0
  }

  /** Sends a socket the events of the next rows. If there are none, the socket is up to date. */
  async #sendNextEvents(member: Member): Promise<void> {
    const { reader, members, now, wait } = this.#services
    // First, so that a client that reads slowly does not keep rows in memory.
    const delay = member.pace.delayOf(BYTES_AT_ONCE)
    if (delay > 0) await wait(delay)
    const index = await reader.openIndex()
    const { behind, subscription } = member
    if (behind === null || !this.#wantsMore(member)) return
    if (behind === 'history') {
      const start = await this.#findStartOfHistory(member, index.findKeptFrom(0, subscription, now()))
      if (this.#wantsMore(member)) members.fallBehind(member, start)
      return
    }
    if (!behind.isBeginning && !index.reachesBackTo(behind.place)) throw new Error(FAR_BEHIND)
    // The row of the position is read again, unless the socket has received all events of this row.
    const firstPlace = behind.index >= AFTER_LAST_EVENT ? behind.place + 1 : behind.place
    // The index may still have rows that the log has dropped. A socket that begins with the oldest row does not miss
    // them. Any other socket has missed them: below, `rows.read` does not find them, and the socket is closed.
    const foundRows = behind.isBeginning
      ? index.findKeptFrom(firstPlace, subscription, now())
      : index.findFrom(firstPlace, subscription)
    const nextRows = takeFirst(foundRows, member.room)
    const lastRow = nextRows.at(-1)
    // Nothing was awaited since the index was searched. So the socket can neither miss an event nor get it twice.
    if (!lastRow) return this.#services.join(member)
    const readRows = await this.#read(member, nextRows)
    if (!this.#wantsMore(member)) return
    if (!behind.isBeginning && readRows.length < nextRows.length) throw new Error(FAR_BEHIND)
    const { frames, fullAt } = collectFrames(member, readRows, behind)
    const position = fullAt ?? { place: lastRow.place, index: AFTER_LAST_EVENT }
    // If the log has dropped all these rows, the socket is still before the oldest row that the log has.
    const isBeginning = behind.isBeginning && readRows.length === 0
    members.fallBehind(member, isBeginning ? { ...position, isBeginning } : position)
    if (frames.length > 0) await this.#send(member, frames)
  }

  /**
   * A stream that was up to date, and is a little behind, does not wait for its turn: its rows are in memory, and it gets
   * no more than its reader consumes. Otherwise 200 streams would never come up to date again while much happens.
   */
  async #read(member: Member, rows: readonly LogIndexRow[]): Promise<WrittenRow[]> {
    const { rows: source, members } = this.#services
    const places = rows.map(({ place }) => place)
    const kept = isStream(member) && member.wasUpToDate ? source.readKept(places) : undefined
    if (kept) return kept
    return await source.read(places, { holder: member.subscription.holder, isWaiting: () => members.isOpen(member) })
  }

  /**
   * Sends events, and waits until the client has probably read them. For a stream over HTTP, this does not wait,
   * because the stream reports how much its reader has consumed.
   */
  async #send(member: Member, frames: readonly Frame[]): Promise<void> {
    const { members, underWay, wait } = this.#services
    if (isStream(member)) return members.sendFrame(member, joinItems(frames.map(({ text }) => text)))
    for (const frame of frames) {
      const delay = underWay.send(member, frame)
      if (delay > 0) await wait(delay)
      if (!members.isOpen(member)) return
    }
  }

  /** The position before the newest HISTORY_MAX events of a subscription. */
  async #findStartOfHistory(member: Member, index: readonly LogIndexRow[]): Promise<Position> {
    // The subscription gets at most all events of these rows. If these are few enough, no body needs to be read.
    const eventCountMax = index.reduce((sum, { eventCount }) => sum + eventCount, 0)
    if (eventCountMax <= HISTORY_MAX) return BEGINNING
    let count = 0
    // Counts the events of the subscription from the newest rows to the oldest.
    const newestFirst = index.toReversed()
    while (newestFirst.length > 0 && this.#wantsMore(member)) {
      const next = takeFirst(newestFirst)
      newestFirst.splice(0, next.length)
      const rows = await this.#read(member, next.toReversed())
      const positions = rows.flatMap((row) => positionsFor(member, row))
      const missingCount = HISTORY_MAX - count
      // The history begins with the newest `missingCount` events of these rows. Its start is the event before them.
      const start = positions.at(-missingCount - 1)
      if (start) return start
      count += positions.length
    }
    return BEGINNING
  }
}

/**
 * The first rows, as many as are read at once.
 *
 * @param room How many characters the reader has room for. It also takes the event that exceeds it
 */
function takeFirst(rows: readonly LogIndexRow[], room = Infinity): LogIndexRow[] {
  let bytesUntil = 0
  return rows.slice(0, ROWS_AT_ONCE).filter(({ bytes }, index) => {
    const bytesBefore = bytesUntil
    bytesUntil += bytes
    return index === 0 || (bytesBefore < room && bytesUntil <= BYTES_AT_ONCE)
  })
}

/**
 * Collects the frames of events for a socket, until the room of the socket is used up. Skips the events up to the
 * position `after`, and the events that are not for the socket.
 *
 * @returns The frames. If the room is used up, `fullAt` is the position of the event of the last frame
 */
function collectFrames(
  member: Member,
  rows: readonly WrittenRow[],
  after: Position,
): { frames: Frame[]; fullAt: Position | undefined } {
  const frames: Frame[] = []
  let length = 0
  for (const { row, events } of rows) {
    for (const [index, written] of events.entries()) {
      const wasSent = row.place === after.place && index <= after.index
      if (wasSent || !isFor(member.subscription, row, written.event)) continue
      const frame = written.frameFor(member.subscription)
      frames.push(frame)
      length += frame.text.length
      if (length >= member.room) return { frames, fullAt: positionOf(row, index) }
    }
  }
  return { frames, fullAt: undefined }
}

/** The positions of those events of a row that a socket gets. */
function positionsFor({ subscription }: Member, { row, events }: WrittenRow): Position[] {
  return events.flatMap(({ event }, index) => (isFor(subscription, row, event) ? positionOf(row, index) : []))
}
