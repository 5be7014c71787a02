import { FramePace } from './frame-pace.ts'
import type { WrittenEvent } from './frames.ts'
import type { Position } from './log-source.ts'
import { type Member, type Members, sendTo } from './members.ts'
import { wants } from './topics.ts'

/** If a client is assumed to need longer than this for what was sent to it, it gets the rest from the log. */
const AHEAD_MAX_MS = 2000
/**
 * How many sockets get frames per second before the hub pauses between two readings of the log. Then one reading serves
 * several writes, and each socket gets several frames at once, which costs less than half. What happens meanwhile makes the
 * groups larger, but not the pauses longer.
 */
const SOCKETS_PER_SECOND = 13_000

interface Services {
  members: Members
  now(): Date
  /** A socket is too far ahead of its client: it gets what comes after this position from the log. */
  fallBehind(member: Member, position: Position): void
}

/** Sends what happens to the sockets that are not behind. */
export class SocketFanOut {
  readonly #services: Services
  readonly #pace: FramePace
  /** The sockets to which the present reading of the log has sent something. */
  readonly #reached = new Set<Member>()

  constructor(services: Services) {
    this.#services = services
    this.#pace = new FramePace(SOCKETS_PER_SECOND, services.now)
  }

  /** How long to wait before the next reading of the log, in milliseconds. */
  get pauseMs(): number {
    return this.#pace.pauseMs
  }

  /** Sends an event to those who listen to one of its topics. */
  send(topic: string, written: WrittenEvent, position: Position): void {
    const { members, fallBehind } = this.#services
    for (const member of members.listenersOf(topic)) {
      if (!wants(member.subscription, written.row, written.event)) continue
      const text = written.textFor(member.subscription)
      sendTo(member, text)
      this.#reached.add(member)
      if (member.pace.noteSent(text.length) > AHEAD_MAX_MS) fallBehind(member, position)
    }
  }

  /** A reading of the log has sent what it found. */
  endReading(): void {
    this.#pace.noteSent(this.#reached.size)
    this.#reached.clear()
  }
}
