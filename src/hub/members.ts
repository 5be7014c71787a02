import { STREAM_WINDOW } from '../events/stream-frames.ts'
import type { Subscription } from '../events/subscription.ts'
import { Pace } from '../lib/pace.ts'
import type { Position } from './log-source.ts'
import { topicOf } from './topics.ts'

/** An open socket with its subscription. */
export interface Member {
  readonly socket: WebSocket
  readonly subscription: Subscription
  /**
   * The last event that the socket has received, while it catches up from the log; `history` if the start of its
   * history is not known yet; null if it gets each event when it happens.
   */
  behind: Position | 'history' | null
  /** How many characters may be sent to a stream before it says more. Infinity for a socket. */
  room: number
  readonly pace: Pace
}

/** The state that is stored with a socket while the hub hibernates. It must fit into 2,048 bytes. */
interface Attachment {
  subscription: Subscription
  behind: Member['behind']
  room: number
}

/** Sends a frame. Does nothing if the socket has just been closed, because its close event follows. */
export function sendTo({ socket }: Member, text: string): void {
  try {
    socket.send(text)
  } catch {
    // Nobody is left to read it, and no other socket may miss an event for that.
  }
}

/** Whether a member is a stream over HTTP (events/stream-frames.ts). */
export function isStream({ subscription }: Pick<Member, 'subscription'>): boolean {
  return subscription.channel === 'planetStream'
}

/** The open sockets of a hub. */
export class Members {
  readonly #bySocket = new Map<WebSocket, Member>()
  /** The members that get each event when it happens. */
  readonly #listening = new Map<string, Set<Member>>()
  readonly #now: () => Date

  constructor(now: () => Date) {
    this.#now = now
  }

  get size(): number {
    return this.#bySocket.size
  }

  get all(): Iterable<Member> {
    return this.#bySocket.values()
  }

  /** Adds the sockets that were open before the hub hibernated. */
  restore(sockets: readonly WebSocket[]): void {
    for (const socket of sockets) {
      const attachment: Attachment | null = socket.deserializeAttachment()
      if (attachment && socket.readyState === WebSocket.OPEN) this.#insert(socket, attachment)
    }
  }

  /** @throws Error if the attachment is too large */
  add(socket: WebSocket, { subscription, behind }: Omit<Attachment, 'room'>): Member {
    const attachment = { subscription, behind, room: isStream({ subscription }) ? STREAM_WINDOW : Infinity }
    socket.serializeAttachment(attachment)
    return this.#insert(socket, attachment)
  }

  find(socket: WebSocket): Member | undefined {
    return this.#bySocket.get(socket)
  }

  /** How many sockets a holder has. */
  countOf(holder: string): number {
    let count = 0
    for (const { subscription } of this.all) if (subscription.holder === holder) count++
    return count
  }

  /** The members that get an event of a topic when it happens. */
  listenersOf(topic: string): Iterable<Member> {
    return this.#listening.get(topic) ?? []
  }

  /** From now on, a socket reads the log on its own. */
  fallBehind(member: Member, behind: Position): void {
    this.#silence(member)
    member.behind = behind
    this.keep(member)
  }

  /** From now on, a socket gets each event when it happens. */
  join(member: Member): void {
    member.behind = null
    this.keep(member)
    this.#listen(member)
  }

  /** Sends a frame to a stream. */
  sendFrame(member: Member, frame: string): void {
    sendTo(member, frame)
    member.room -= frame.length
    this.keep(member)
  }

  /** A stream has more room. @returns Whether it had none before */
  addRoom(member: Member, length: number): boolean {
    if (!Number.isSafeInteger(length) || length < 0) return false
    const wasFull = member.room <= 0
    member.room = Math.min(member.room + length, STREAM_WINDOW)
    this.keep(member)
    return wasFull && member.room > 0
  }

  /** Keeps the state of a socket, for the case that the hub hibernates. */
  keep({ socket, subscription, behind, room }: Member): void {
    socket.serializeAttachment({ subscription, behind, room } satisfies Attachment)
  }

  remove(member: Member): void {
    this.#bySocket.delete(member.socket)
    this.#silence(member)
  }

  #insert(socket: WebSocket, attachment: Attachment): Member {
    const member: Member = { socket, ...attachment, pace: new Pace(this.#now) }
    this.#bySocket.set(socket, member)
    if (member.behind === null) this.#listen(member)
    return member
  }

  #listen(member: Member): void {
    const topic = topicOf(member.subscription)
    const listeners = this.#listening.get(topic)
    if (listeners) listeners.add(member)
    else this.#listening.set(topic, new Set([member]))
  }

  #silence(member: Member): void {
    const topic = topicOf(member.subscription)
    const listeners = this.#listening.get(topic)
    listeners?.delete(member)
    if (listeners?.size === 0) this.#listening.delete(topic)
  }
}
