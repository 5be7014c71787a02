import type { Frame } from './frames.ts'
import { type Member, sendTo } from './members.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** How much a socket may get after the last frame of its client. */
export const SOCKET_MAX_BYTES = 8 * MIB
/** How much may be under way to all sockets of a holder (`Subscription.holder`). */
export const HOLDER_MAX_BYTES = 16 * MIB
/**
 * How much the open sockets of a holder may have had since they were opened or the hub woke up. A client can send
 * `ping` without reading, so only the end of a connection proves that nothing is in memory any more.
 */
export const HOLDER_HAD_MAX_BYTES = 40 * MIB
/** How much may be under way to all sockets of the hub. The platform gives the object of a hub 128 MB. */
export const HUB_MAX_BYTES = 48 * MIB
/**
 * If a limit is exceeded, sockets are closed until this share of it is left, so that the next search is not due soon.
 */
const SHARE_AFTER_CLOSING = 7 / 8
/** What the closed connections of a holder may have until they end. If they have more, the largest are cut at once. */
const HOLDER_CLOSING_MAX_BYTES = 20 * MIB
/** The same for all holders. */
const HUB_CLOSING_MAX_BYTES = 60 * MIB
/** After so many bytes, the hub looks whether the client of a socket has sent a `ping`. */
const LOOK_BYTES = 64 * KIB

/** How long a client has to confirm that its socket was closed. Then the connection is cut. */
const CLOSING_MS = 10_000

/** How much may stay in memory for connections that have ended but cannot be cut. Beyond it, the object begins anew. */
export const STUCK_MAX_BYTES = 32 * MIB
/** What each of these connections counts at least. */
const STUCK_MIN_BYTES = 16 * KIB

interface Services {
  now(): Date
  wait(milliseconds: number): Promise<void>
  /** When the client of a socket has last sent a `ping`, in milliseconds since 1970; undefined if it has sent none. */
  pingTimeOf(socket: WebSocket): number | undefined
  /** Closes a socket to which too much is under way. It must call `noteClosed`. */
  closeSlow(member: Member): void
  /** Ends the object and with it all its connections. The next request begins it anew. */
  restart(): void
}

/** A connection to a client, until it has ended. */
interface Connection {
  readonly member: Member
  readonly ofHolder: HolderTotal
  /**
   * Ends the connection, whatever the client does. Undefined if that is not possible, because it was opened before the
   * hub hibernated and the entry of the Worker does not hold it.
   */
  readonly cut: (() => void) | undefined
  /** How many bytes were sent since the socket was opened or the hub woke up. */
  had: number
  /** How many bytes were sent after the last frame of the client. */
  sinceFrame: number
  /** How many bytes are counted as under way. */
  counted: number
  /** How many bytes were sent since the hub last looked for a `ping`. */
  sinceLook: number
  pingTime: number | undefined
  isClosing: boolean
  /** Whether the client has closed the connection, so that the runtime does not tell when the connection ends. */
  hasLeft: boolean
}

interface Sum {
  counted: number
  had: number
}

/** The sums of the open sockets, and of those that were closed but whose connections have not ended. */
interface Total {
  open: Sum
  closing: Sum
}

interface HolderTotal extends Total {
  /** How many connections the holder has. */
  size: number
}

/**
 * Limits how many bytes are under way to the sockets of clients. If a client does not read, the runtime keeps in memory
 * what is sent to it, and the memory of the object is limited. The runtime does not tell what a client has read. So
 * bytes count as under way until the client sends any frame (`ping` is enough), and at least for as long as the client
 * needs to read them at the assumed pace.
 *
 * While something waits in the runtime, the object does not hibernate. So when it wakes up, nothing is under way.
 */
export class UnderWay {
  readonly #services: Services
  readonly #connections = new Map<WebSocket, Connection>()
  readonly #all = newTotal()
  readonly #ofHolders = new Map<string, HolderTotal>()
  #stuckBytes = 0
  readonly #stuck = new Map<WebSocket, number>()

  constructor(services: Services) {
    this.#services = services
  }

  /** Begins to count for a socket. @param cut Ends the connection; undefined if that is not possible any more */
  add(member: Member, cut?: () => void): void {
    const { holder } = member.subscription
    const ofHolder = this.#ofHolders.get(holder) ?? { ...newTotal(), size: 0 }
    ofHolder.size++
    this.#ofHolders.set(holder, ofHolder)
    this.#connections.set(member.socket, {
      ...{ member, ofHolder, cut, had: 0, sinceFrame: 0, counted: 0, sinceLook: 0, isClosing: false, hasLeft: false },
      pingTime: this.#services.pingTimeOf(member.socket),
    })
  }

  /**
   * Sends a frame, unless the socket was closed. Closes the sockets that have too much under way.
   *
   * @returns How long to wait before the next frame to this socket, in milliseconds (`Pace`)
   */
  send(member: Member, { text, bytes }: Frame): number {
    const connection = this.#connections.get(member.socket)
    if (!connection || connection.isClosing) return 0
    sendTo(member, text)
    const delay = member.pace.noteSent(bytes)
    connection.sinceFrame += bytes
    connection.sinceLook += bytes
    this.#count(connection, connection.counted + bytes, connection.had + bytes)
    if (connection.sinceLook >= LOOK_BYTES) this.#look(connection)
    if (connection.sinceFrame > SOCKET_MAX_BYTES) this.#services.closeSlow(member)
    this.#keepLimits(connection)
    return delay
  }

  /** Notes a frame of a client that the hub has received. */
  noteFrame({ socket }: Member): void {
    const connection = this.#connections.get(socket)
    if (!connection) return
    connection.sinceFrame = 0
    this.#look(connection)
  }

  /** Notes that the hub has closed a socket. If its connection does not end soon, the connection is cut. */
  noteClosed(socket: WebSocket): void {
    const connection = this.#connections.get(socket)
    if (!connection || connection.isClosing) return
    const { counted, had } = connection
    this.#count(connection, 0, 0)
    connection.isClosing = true
    this.#count(connection, counted, had)
    void this.#services.wait(CLOSING_MS).then(() => this.#cut(connection))
  }

  /**
   * Notes that the client has closed a socket. That does not mean that it has read everything. The runtime does not
   * tell when the connection ends.
   */
  noteLeft(socket: WebSocket): void {
    const connection = this.#connections.get(socket)
    if (connection) connection.hasLeft = true
  }

  /**
   * Notes that the client has answered when the hub closed a socket. Then the service must end the connection (RFC
   * 6455, section 7.1.1). If this was the first frame of the client, the runtime (workerd 1.20261102) ends it only when
   * the garbage of the object is collected, so it is cut.
   */
  noteAnswered(socket: WebSocket): void {
    const connection = this.#connections.get(socket)
    if (connection?.cut) this.#cut(connection)
    else this.noteLeft(socket)
  }

  /** Notes that a connection has ended. The runtime has then freed its memory. */
  noteEnded(socket: WebSocket): void {
    const connection = this.#connections.get(socket)
    if (connection) this.#forget(connection)
    this.#stuckBytes -= this.#stuck.get(socket) ?? 0
    this.#stuck.delete(socket)
  }

  /** Notes a connection that was closed before the hub hibernated, and has not ended. */
  noteStuck(socket: WebSocket, bytes = 0): void {
    const counted = Math.max(bytes, STUCK_MIN_BYTES)
    this.#stuck.set(socket, counted)
    this.#stuckBytes += counted
    if (this.#stuckBytes > STUCK_MAX_BYTES) this.#services.restart()
  }

  #forget(connection: Connection): void {
    const { member, ofHolder } = connection
    this.#count(connection, 0, 0)
    this.#connections.delete(member.socket)
    ofHolder.size--
    if (ofHolder.size === 0) this.#ofHolders.delete(member.subscription.holder)
  }

  /** Changes what a connection has, also in the sums. */
  #count(connection: Connection, counted: number, had = connection.had): void {
    for (const total of [this.#all, connection.ofHolder]) {
      const sum = connection.isClosing ? total.closing : total.open
      sum.counted += counted - connection.counted
      sum.had += had - connection.had
    }
    connection.counted = counted
    connection.had = had
  }

  /** Counts anew what is under way to a socket. */
  #look(connection: Connection): void {
    const { member } = connection
    const pingTime = this.#services.pingTimeOf(member.socket)
    if (pingTime !== connection.pingTime) connection.sinceFrame = 0
    connection.pingTime = pingTime
    connection.sinceLook = 0
    this.#count(connection, Math.max(connection.sinceFrame, Math.round(member.pace.aheadBytes)))
  }

  /** Closes and cuts connections if a holder or all have too much. The largest go first. */
  #keepLimits({ ofHolder }: Connection): void {
    this.#keepLimit(ofHolder, 'counted', HOLDER_MAX_BYTES, HOLDER_CLOSING_MAX_BYTES)
    this.#keepLimit(ofHolder, 'had', HOLDER_HAD_MAX_BYTES, HOLDER_CLOSING_MAX_BYTES)
    this.#keepLimit(this.#all, 'counted', HUB_MAX_BYTES, HUB_CLOSING_MAX_BYTES)
  }

  #keepLimit(total: Total, measure: keyof Sum, max: number, closingMax: number): void {
    const { open, closing } = total
    if (open[measure] <= max && closing[measure] <= closingMax) return
    const concerned = [...this.#connections.values()].filter(
      ({ ofHolder }) => total === this.#all || total === ofHolder,
    )
    const largestFirst = (one: Connection, other: Connection) => other[measure] - one[measure]
    if (open[measure] > max) {
      const stillOpen = concerned.filter(({ isClosing }) => !isClosing)
      for (const connection of stillOpen) this.#look(connection)
      const goal = open[measure] > max ? max * SHARE_AFTER_CLOSING : max
      for (const { member } of stillOpen.sort(largestFirst)) {
        if (open[measure] <= goal) break
        this.#services.closeSlow(member)
      }
    }
    for (const connection of concerned.filter(({ isClosing, cut }) => isClosing && cut).sort(largestFirst)) {
      if (closing[measure] <= closingMax) break
      this.#cut(connection)
    }
  }

  /** Ends a connection that was closed but has not ended, so that the runtime frees its memory. */
  #cut(connection: Connection): void {
    const { member, cut, counted, had, hasLeft } = connection
    if (this.#connections.get(member.socket) !== connection) return
    this.#forget(connection)
    if (cut) cut()
    // A client that does not confirm the close may have read nothing, although it has sent pings.
    else if (!hasLeft) this.noteStuck(member.socket, had)
    // If a client has left, the runtime does not tell when its connection has ended. A small one is assumed to have
    // ended.
    else if (counted >= LOOK_BYTES) this.noteStuck(member.socket, counted)
  }
}

function newTotal(): Total {
  return { open: { counted: 0, had: 0 }, closing: { counted: 0, had: 0 } }
}
