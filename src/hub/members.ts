import { STREAM_WINDOW } from '../events/stream-frames.ts'
import type { Subscription } from '../events/subscription.ts'
import type { Position } from './log-source.ts'
import { Pace } from './pace.ts'
import { topicOf } from './topics.ts'

/** An open socket with its subscription. */
export interface Member {
  readonly socket: WebSocket
  readonly subscription: Subscription
  /**
   * While the socket catches up from the log, the position of the last event that it has received. `history` if it gets
   * a history whose start is not yet known. Null if it is up to date: it gets each event when the event happens.
   */
  behind: Position | 'history' | null
  /** Whether the socket has been up to date since it was opened or the hub woke up. */
  wasUpToDate: boolean
  /**
   * How many more characters may be sent. A stream over HTTP is connected to the hub with a socket too, on which it
   * reports what its reader has consumed (events/stream-frames.ts). Each report adds room. The socket of a client
   * always has room: Infinity.
   */
  room: number
  readonly pace: Pace
}

/** The state that is stored with a socket while the hub hibernates. It must fit into 2,048 bytes. */
interface Attachment {
  subscription: Subscription
  behind: Member['behind']
  room: number
}

/** Sends a frame. Does nothing if the socket has just been closed: `Hub.drop` then follows. */
export function sendTo({ socket }: Member, text: string): void {
  try {
    socket.send(text)
  } catch {
    // The error is ignored, so that the other sockets still get the frame.
  }
}

/** Whether a member is a stream over HTTP (events/stream-frames.ts). */
export function isStream({ subscription }: Pick<Member, 'subscription'>): boolean {
  return subscription.channel === 'planetStream'
}

export class Members {
  readonly #bySocket = new Map<WebSocket, Member>()
  /** The members that are up to date, by topic. */
  readonly #listening = new Map<string, Set<Member>>()
  readonly #now: () => Date

  constructor(now: () => Date) {
    this.#now = now
  }

  get size(): number {
    return this.#bySocket.size
  }

  /** All members, whether they are up to date or behind. */
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

  /** @throws Error if its state is too large to be stored with the socket */
  add(socket: WebSocket, { subscription, behind }: Omit<Attachment, 'room'>): Member {
    const attachment = { subscription, behind, room: isStream({ subscription }) ? STREAM_WINDOW : Infinity }
    socket.serializeAttachment(attachment)
    return this.#insert(socket, attachment)
  }

  /** The member of a socket; undefined if the socket is not open. */
  find(socket: WebSocket): Member | undefined {
    return this.#bySocket.get(socket)
  }

  isOpen(member: Member): boolean {
    return this.find(member.socket) === member
  }

  countOf(holder: string): number {
    let count = 0
    for (const { subscription } of this.all) if (subscription.holder === holder) count++
    return count
  }

  /** The members that are up to date and subscribe to a topic. */
  listenersOf(topic: string): Iterable<Member> {
    return this.#listening.get(topic) ?? []
  }

  /** Marks a socket as behind: it gets the events after this position from the log, at its own pace. */
  fallBehind(member: Member, behind: Position): void {
    this.#stopListening(member)
    member.behind = behind
    this.#storeState(member)
  }

  /** Marks a socket as up to date: it gets each event when the event happens. */
  join(member: Member): void {
    member.behind = null
    this.#storeState(member)
    this.#listen(member)
  }

  sendFrame(member: Member, frame: string): void {
    sendTo(member, frame)
    member.room -= frame.length
    this.#storeState(member)
  }

  /**
   * Gives a stream room for this many more characters.
   *
   * @returns Whether the stream had no room before, and has room again. False if the length is not valid
   */
  addRoom(member: Member, length: number): boolean {
    if (!Number.isSafeInteger(length) || length < 0) return false
    const wasFull = member.room <= 0
    member.room = Math.min(member.room + length, STREAM_WINDOW)
    this.#storeState(member)
    return wasFull && member.room > 0
  }

  /** Stores the state of a socket with the socket, so that it survives the hibernation of the hub. */
  #storeState({ socket, subscription, behind, room }: Member): void {
    socket.serializeAttachment({ subscription, behind, room } satisfies Attachment)
  }

  remove(member: Member): void {
    this.#bySocket.delete(member.socket)
    this.#stopListening(member)
  }

  #insert(socket: WebSocket, attachment: Attachment): Member {
    const member: Member = { socket, ...attachment, wasUpToDate: false, pace: new Pace(this.#now) }
    this.#bySocket.set(socket, member)
    if (member.behind === null) this.#listen(member)
    return member
  }

  #listen(member: Member): void {
    member.wasUpToDate = true
    const topic = topicOf(member.subscription)
    const listeners = this.#listening.get(topic)
    if (listeners) listeners.add(member)
    else this.#listening.set(topic, new Set([member]))
  }

  #stopListening(member: Member): void {
    const topic = topicOf(member.subscription)
    const listeners = this.#listening.get(topic)
    listeners?.delete(member)
    if (listeners?.size === 0) this.#listening.delete(topic)
  }
}
