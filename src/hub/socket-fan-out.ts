import { FramePace } from './frame-pace.ts'
import type { WrittenEvent } from './frames.ts'
import type { Position } from './log-source.ts'
import type { Member, Members } from './members.ts'
import { wants } from './topics.ts'
import type { UnderWay } from './under-way.ts'

/**
 * If the next frame to a client would have to wait longer than this (`Pace`), the client gets later events from the
 * log, at its own pace.
 */
const DELAY_MAX_MS = 2000
/**
 * How many sockets can get frames per second. To keep to this limit, the hub pauses between two readings of the log.
 * After a pause, one reading serves several writes, and each socket gets several frames at once. This costs less than
 * half as much as the same frames one by one.
 */
const SOCKETS_PER_SECOND = 13_000

interface Services {
  members: Members
  underWay: UnderWay
  now(): Date
  /** Called for a client that reads too slowly: it must get the events after this position from the log. */
  fallBehind(member: Member, position: Position): void
}

/** Sends new events to the sockets that are up to date. */
export class SocketFanOut {
  readonly #services: Services
  readonly #pace: FramePace
  /** The sockets that got a frame from the current reading of the log. */
  readonly #reached = new Set<Member>()

  constructor(services: Services) {
    this.#services = services
    this.#pace = new FramePace(SOCKETS_PER_SECOND, services.now)
  }

  /** How long to wait before the next reading of the log, in milliseconds. */
  get pauseMs(): number {
    return this.#pace.pauseMs
  }

  /** Sends an event to the sockets that listen to a topic, if their subscriptions want the event. */
  send(topic: string, written: WrittenEvent, position: Position): void {
    const { members, underWay, fallBehind } = this.#services
    for (const member of members.listenersOf(topic)) {
      if (!wants(member.subscription, written.row, written.event)) continue
      this.#reached.add(member)
      const delay = underWay.send(member, written.frameFor(member.subscription))
      // The frame may have closed the socket, and others too.
      if (delay > DELAY_MAX_MS && members.isOpen(member)) fallBehind(member, position)
    }
  }

  /**
   * Ends a reading of the log. The next pause depends on how many sockets got frames. So more events make the groups of
   * frames larger, but not the pause longer.
   */
  endReading(): void {
    this.#pace.noteSent(this.#reached.size)
    this.#reached.clear()
  }
}
