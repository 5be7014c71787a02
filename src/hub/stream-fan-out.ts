import { joinItems, STREAM_WINDOW } from '../events/stream-frames.ts'
import { FramePace } from './frame-pace.ts'
import type { WrittenEvent } from './frames.ts'
import type { Position } from './log-source.ts'
import { isStream, type Member, type Members } from './members.ts'
import { STREAM_TOPIC } from './topics.ts'

/**
 * How many frames all streams together get per second. A frame to a stream costs several times as much as a frame to
 * the socket of a client, because each stream is a request of its own. If there are many streams, each frame has more
 * items.
 */
const FRAMES_PER_SECOND = 600

interface Services {
  members: Members
  now(): Date
  wait(milliseconds: number): Promise<void>
}

interface WaitingItem {
  item: string
  position: Position
}

/** Sends new events to all streams over HTTP that are up to date. All of them get the same events. */
export class StreamFanOut {
  readonly #services: Services
  #waiting: WaitingItem[] = []
  /** The number of characters of the waiting items. */
  #waitingLength = 0
  /** New streams, and how many of the waiting items each must not get, because it joined after them. */
  readonly #skipCounts = new Map<Member, number>()
  readonly #pace: FramePace

  constructor(services: Services) {
    this.#services = services
    this.#pace = new FramePace(FRAMES_PER_SECOND, services.now)
  }

  /** Sends an event now or soon. */
  add(event: WrittenEvent, position: Position): void {
    const item = event.frameIn('item').text
    this.#waiting.push({ item, position })
    this.#waitingLength += item.length
    const { pauseMs } = this.#pace
    if (pauseMs === 0 || this.#waitingLength >= STREAM_WINDOW) this.#flush()
    // Only the first waiting item starts a wait. Later items are sent with it.
    else if (this.#waiting.length === 1) void this.#flushAfter(pauseMs)
  }

  /** Notes a new stream, which must not get the items that are already waiting. */
  noteNew(member: Member): void {
    if (this.#waiting.length > 0 && isStream(member)) this.#skipCounts.set(member, this.#waiting.length)
  }

  /** Forgets the waiting items, because they are about to be sent, or because there are no more sockets. */
  forget(): void {
    this.#waiting = []
    this.#waitingLength = 0
    this.#skipCounts.clear()
  }

  /** Sends the waiting items after a pause, unless they were sent or forgotten before. */
  async #flushAfter(pauseMs: number): Promise<void> {
    const waiting = this.#waiting
    await this.#services.wait(pauseMs)
    // `forget` begins a new array. Its items have a pause of their own.
    if (this.#waiting === waiting) this.#flush()
  }

  #flush(): void {
    const { members } = this.#services
    const items = this.#waiting
    const skipCounts = new Map(this.#skipCounts)
    this.forget()
    const frame = joinItems(items.map(({ item }) => item))
    let frameCount = 0
    for (const member of members.listenersOf(STREAM_TOPIC)) {
      const skipCount = skipCounts.get(member) ?? 0
      const first = items.at(skipCount)
      if (!first) continue
      if (member.room <= 0) {
        // The stream has received every event before its first unsent item. So it continues in the log from there.
        members.fallBehind(member, { place: first.position.place, index: first.position.index - 1 })
        continue
      }
      const ownFrame = skipCount === 0 ? frame : joinItems(items.slice(skipCount).map(({ item }) => item))
      members.sendFrame(member, ownFrame)
      frameCount++
    }
    this.#pace.noteSent(frameCount)
  }
}
