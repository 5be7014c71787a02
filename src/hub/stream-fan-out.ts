import { joinItems, STREAM_WINDOW } from '../events/stream-frames.ts'
import { FramePace } from './frame-pace.ts'
import type { WrittenEvent } from './frames.ts'
import type { Position } from './log-source.ts'
import { isStream, type Member, type Members } from './members.ts'
import { STREAM_TOPIC } from './topics.ts'

/**
 * How many frames go to streams per second, of all streams together. A frame to a stream costs several times what a frame
 * to a socket costs, because each stream is a request of its own. If there are many streams, each frame has more items.
 */
const FRAMES_PER_SECOND = 600

interface Services {
  members: Members
  now(): Date
  wait(milliseconds: number): Promise<void>
}

/** An item that is not sent yet. */
interface Waiting {
  item: string
  position: Position
}

/** Sends new events to all streams over HTTP that are up to date. All of them get the same events. */
export class StreamFanOut {
  readonly #services: Services
  #waiting: Waiting[] = []
  #length = 0
  /** Streams that were added while items were waiting, and how many of these items they must not get. */
  readonly #new = new Map<Member, number>()
  readonly #pace: FramePace

  constructor(services: Services) {
    this.#services = services
    this.#pace = new FramePace(FRAMES_PER_SECOND, services.now)
  }

  /** Sends an event now or soon. */
  add(event: WrittenEvent, position: Position): void {
    const item = event.textIn('item')
    this.#waiting.push({ item, position })
    this.#length += item.length
    const { pauseMs } = this.#pace
    if (pauseMs === 0 || this.#length >= STREAM_WINDOW) this.#flush()
    else if (this.#waiting.length === 1) void this.#services.wait(pauseMs).then(() => this.#flush())
  }

  /** Notes a new stream, which must not get the items that are already waiting. */
  noteNew(member: Member): void {
    if (this.#waiting.length > 0 && isStream(member)) this.#new.set(member, this.#waiting.length)
  }

  /** Drops the waiting items: they are about to be sent, or nobody listens any more. */
  forget(): void {
    this.#waiting = []
    this.#length = 0
    this.#new.clear()
  }

  /** Sends the waiting items. */
  #flush(): void {
    const { members } = this.#services
    const all = this.#waiting
    const skipped = new Map(this.#new)
    this.forget()
    const frame = joinItems(all.map(({ item }) => item))
    let sent = 0
    for (const member of members.listenersOf(STREAM_TOPIC)) {
      const skip = skipped.get(member) ?? 0
      const first = all.at(skip)
      if (!first) continue
      if (member.room <= 0) {
        // The stream has received everything before its first unsent item. It reads the log from there.
        members.fallBehind(member, { place: first.position.place, index: first.position.index - 1 })
        continue
      }
      members.sendFrame(member, skip === 0 ? frame : joinItems(all.slice(skip).map(({ item }) => item)))
      sent++
    }
    this.#pace.noteSent(sent)
  }
}
