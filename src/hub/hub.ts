import type { SizedLogRow } from '../events/happening.ts'
import { heldConnections } from '../events/held-connections.ts'
import type { Connection, HubRefusal, Subscription, SubscriptionStart } from '../events/subscription.ts'
import type { PlanetRequest } from '../features/live/answer-planet-requests.ts'
import { rootCause } from '../lib/root-cause.ts'
import { countBytes } from '../lib/text.ts'
import { CatchUp } from './catch-up.ts'
import { CoalescedWork } from './coalesced.ts'
import { endingOf, endsCredential, RecentEndings } from './endings.ts'
import { frameOf, writeAcknowledgement } from './frames.ts'
import { LogReader } from './log-reader.ts'
import { BEGINNING, type LogSource } from './log-source.ts'
import { isStream, type Member, Members, sendTo } from './members.ts'
import { Received } from './received.ts'
import { Requests } from './requests.ts'
import { Rows } from './rows.ts'
import { SocketFanOut } from './socket-fan-out.ts'
import { StreamFanOut } from './stream-fan-out.ts'
import { STREAM_TOPIC, topicsOf } from './topics.ts'
import { UnderWay } from './under-way.ts'

// The codes with which sockets are closed: of RFC 6455, section 7.4.1, and of the IANA registry of close codes.
const NORMAL = 1000
const UNSUPPORTED = 1003
const TOO_BIG = 1009
const RESTART = 1012
const TRY_AGAIN = 1013
/** A code of this service. It resembles the HTTP status 401. */
const CREDENTIAL_ENDED = 4401
const TOO_MANY_REQUESTS = 'Too many requests are waiting. Wait for their replies before you send more.'
const ENDED = 'The credential of this connection has ended. Connect again with a valid one.'

const MESSAGE_MAX_BYTES = 64 * 1024
/** The key in the storage under which the hub keeps its place in the log. */
const PLACE_KEY = 'hub-place'

/** The functions of the Durable Object that the hub uses. */
export type HubState = Pick<
  DurableObjectState,
  'acceptWebSocket' | 'getWebSockets' | 'getWebSocketAutoResponseTimestamp' | 'setWebSocketAutoResponse'
> & { id: Pick<DurableObjectId, 'toString'>; storage: Pick<DurableObjectStorage, 'kv' | 'put'> }

export interface HubServices {
  log: LogSource
  /** How many sockets the hub can have. */
  capacity: number
  now(): Date
  wait(milliseconds: number): Promise<void>
  /** @returns The replies, in the order of the requests */
  answer(requests: readonly PlanetRequest[]): Promise<string[]>
  /** Makes sure that `endExpired` is called at this time (in milliseconds since 1970) or earlier. */
  wakeAt(time: number): void
  /** Makes the connection of a response with a WebSocket end when the signal is aborted (`OwnSockets.pass`). */
  makeCuttable(response: Response, signal: AbortSignal): Promise<Response>
  /** Ends the object with all its connections. The next request begins it anew. */
  restart(reason: string): void
}

/**
 * The hub of a world: all open sockets and their subscriptions. It reads the log when `notify` tells it that the log
 * has new rows. While nothing happens, nothing runs, and the object can hibernate.
 */
export class Hub {
  readonly #state: HubState
  readonly #services: HubServices
  readonly #members: Members
  readonly #underWay: UnderWay
  readonly #reader: LogReader
  readonly #rows: Rows
  readonly #catchUp: CatchUp
  readonly #sockets: SocketFanOut
  readonly #streams: StreamFanOut
  readonly #endings: RecentEndings
  readonly #requests: Requests
  readonly #received: Received
  readonly #reading = new CoalescedWork(() => this.#readAtPace())
  /** How many sockets are being opened. */
  #opening = 0
  /** How many times the log has begun anew since the hub was started. */
  #era = 0

  constructor(state: HubState, services: HubServices) {
    this.#state = state
    this.#services = services
    const { log, now, wait } = services
    this.#members = new Members(now)
    this.#underWay = new UnderWay({
      now,
      wait,
      pingTimeOf: (socket) => state.getWebSocketAutoResponseTimestamp(socket)?.getTime(),
      closeSlow: (member) => this.#close(member, TRY_AGAIN, 'Too much is on its way to you. Send "ping" more often.'),
      restart: () => services.restart('too much memory is taken by connections that cannot be cut'),
    })
    this.#rows = new Rows(log, { now, wait })
    this.#endings = new RecentEndings(log)
    this.#received = new Received(now)
    this.#requests = new Requests({
      ...{ underWay: this.#underWay, answer: services.answer, now, wait },
      closeTooMany: (member) => this.#close(member, TRY_AGAIN, TOO_MANY_REQUESTS),
      closeFailed: (member) => this.#close(member, TRY_AGAIN, 'The planets could not be read. Connect again.'),
    })
    this.#reader = new LogReader(log, placeStoreIn(state), {
      begin: (place) => this.#endings.beginAt(place),
      restart: () => this.endAll('The log of events was restored or emptied. Connect again.'),
      deliver: (row) => this.#deliver(row),
    })
    this.#sockets = new SocketFanOut({
      members: this.#members,
      underWay: this.#underWay,
      now,
      fallBehind: (member, position) => {
        this.#members.fallBehind(member, position)
        this.#startCatchUp(member)
      },
    })
    this.#streams = new StreamFanOut({ members: this.#members, now, wait })
    const join = (member: Member) => this.#join(member)
    this.#catchUp = new CatchUp({
      ...{ rows: this.#rows, reader: this.#reader, members: this.#members, underWay: this.#underWay },
      ...{ join, now, wait },
    })
    state.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
    this.#restore(state.getWebSockets())
    if (this.#members.size > 0) this.#reader.resume()
    for (const member of this.#members.all) this.#startCatchUp(member)
  }

  /** Goes on with the sockets that were there before the hub hibernated. */
  #restore(sockets: readonly WebSocket[]): void {
    this.#members.restore(sockets)
    const connectionIds = sockets.flatMap((socket) => connectionIdOf(socket) ?? [])
    heldConnections.cutOthers(String(this.#state.id), new Set(connectionIds))
    for (const socket of sockets) {
      const member = this.#members.find(socket)
      const cut = this.#cutAtEntry(connectionIdOf(socket))
      if (member && !isStream(member)) this.#underWay.add(member, cut)
      else if (!member && cut) cut()
      else if (!member) this.#underWay.noteStuck(socket)
    }
  }

  /** The function that cuts a connection at the entry of the Worker; undefined if the entry does not hold it. */
  #cutAtEntry(connectionId: string | null): (() => void) | undefined {
    return connectionId === null ? undefined : () => heldConnections.cut(String(this.#state.id), connectionId)
  }

  /**
   * Reads the new rows of the log, and sends their events to the sockets.
   *
   * @returns Whether anybody listens. If nobody does, nothing is read
   * @throws Error of the database
   */
  async notify(): Promise<boolean> {
    const hasListeners = this.#members.size > 0 || this.#opening > 0
    if (hasListeners) await this.#reading.run()
    return hasListeners
  }

  /** Reads the new rows. Waits first if many frames were just sent. */
  async #readAtPace(): Promise<void> {
    const { pauseMs } = this.#sockets
    if (pauseMs > 0) await this.#services.wait(pauseMs)
    await this.#reader.readToEnd()
    this.#sockets.endReading()
  }

  /** Opens a socket. @throws Error of the database, or if the log begins anew while the socket is being opened */
  async connect(subscription: Subscription, start: SubscriptionStart): Promise<Connection> {
    const refusal = this.#refusalOf(subscription, start)
    if (refusal) return { refusal }
    this.#opening++
    try {
      return await this.#open(subscription, start)
    } finally {
      this.#opening--
      this.#forgetIfIdle()
    }
  }

  async #open(subscription: Subscription, start: SubscriptionStart): Promise<Connection> {
    const era = await this.#readToEndInOneEra()
    const { behind, hasGap } = await this.#findStart(start)
    // The credential is known to be valid up to this place of the log. Without a credential, there is nothing to check.
    let checkedPlace = subscription.credential ? start.checkedAt : Infinity
    // Each check may wait for the database. If the hub reads new rows during a check, they are checked next.
    while (checkedPlace < this.#reader.place) {
      const { place } = this.#reader
      if (await this.#hasEnded(subscription, checkedPlace, place)) return { refusal: 'credential-ended' }
      checkedPlace = place
    }
    // From here until the socket is a member, nothing is awaited, so no other work of the hub can run.
    if (era !== this.#era) throw new Error('the log has begun anew while a socket was being opened')
    const refusal = this.#refusalOf(subscription, start)
    if (refusal) return { refusal }
    const { 0: client, 1: server } = new WebSocketPair()
    this.#state.acceptWebSocket(server)
    const member = this.#add(server, { subscription, behind })
    const connection = this.#connectionOf(member, client)
    if (behind === null) this.#streams.noteNew(member)
    // The channel of requests has no events, so its sockets have no subscription to acknowledge.
    if (subscription.channel !== 'planetRequest') {
      this.#send(member, writeAcknowledgement(subscription, start, hasGap, this.#services.now()))
    }
    this.#startCatchUp(member)
    if (subscription.credential?.endsAt) this.#services.wakeAt(subscription.credential.endsAt)
    return { response: await connection }
  }

  /** The response with the client's end of a socket. The hub can cut the connection of a client, but not a stream's. */
  async #connectionOf(member: Member, client: WebSocket): Promise<Response> {
    const response = new Response(null, { status: 101, webSocket: client })
    // The entry of the Worker reads the socket of a stream, however slowly the reader of the stream reads.
    if (isStream(member)) return response
    const cutting = new AbortController()
    this.#underWay.add(member, () => {
      // An abort with a reason is written to the log of the runtime as an error.
      cutting.abort()
      // So that the entry does not hold the connection any longer.
      this.#cutAtEntry(member.subscription.connectionId)?.()
    })
    try {
      return await this.#services.makeCuttable(response, cutting.signal)
    } catch (error) {
      this.#close(member, TRY_AGAIN, '')
      throw error
    }
  }

  #send(member: Member, text: string): void {
    if (isStream(member)) sendTo(member, text)
    else this.#underWay.send(member, frameOf(text))
  }

  /** Reads all new rows. @returns The era of the log that was read */
  async #readToEndInOneEra(): Promise<number> {
    for (;;) {
      const era = this.#era
      await this.#reader.readToEnd()
      if (era === this.#era) return era
    }
  }

  /** @throws Error if the subscription is too large to be stored with the socket */
  #add(socket: WebSocket, state: Pick<Member, 'subscription' | 'behind'>): Member {
    try {
      return this.#members.add(socket, state)
    } catch (error) {
      socket.close(TRY_AGAIN, '')
      throw error
    }
  }

  async receive(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const member = this.#members.find(socket)
    const bytes = typeof message === 'string' ? countBytes(message) : message.byteLength
    // Also for sockets that were closed: nothing stops a client from sending more.
    const subscription = member?.subscription ?? subscriptionOf(socket)
    const isTooMuch = subscription && !isStream({ subscription }) && !this.#received.note(subscription.holder, bytes)
    if (!member) return isTooMuch ? this.#underWay.noteAnswered(socket) : undefined
    if (isTooMuch) return this.#close(member, TRY_AGAIN, 'You send too much. Send less per second.')
    if (typeof message !== 'string') return this.#close(member, UNSUPPORTED, 'Send text, not binary data.')
    if (bytes > MESSAGE_MAX_BYTES) {
      return this.#close(member, TOO_BIG, `A message can have at most ${MESSAGE_MAX_BYTES} bytes.`)
    }
    // A request that does not wait for the replies before it says nothing about them.
    if (!this.#requests.hasWaiting(member)) this.#underWay.noteFrame(member)
    if (isStream(member)) {
      // A message of a stream is the number of characters that its reader has consumed (events/stream-frames.ts).
      const hasRoomAgain = this.#members.addRoom(member, Number(message))
      if (hasRoomAgain) this.#startCatchUp(member)
    } else if (member.subscription.channel === 'planetRequest') {
      this.#requests.add(member, message)
    }
    // On the other channels, messages of clients are ignored.
  }

  /**
   * Removes a socket that its client has closed, or that is broken.
   *
   * @param isBroken Whether the connection has ended, and not only the client has closed it
   */
  drop(socket: WebSocket, isBroken: boolean): void {
    const member = this.#members.find(socket)
    if (member) this.#close(member, NORMAL, '')
    if (isBroken) {
      this.#underWay.noteEnded(socket)
      // So that the entry does not hold the connection any longer.
      this.#cutAtEntry(connectionIdOf(socket))?.()
    } else if (member) this.#underWay.noteLeft(socket)
    else this.#underWay.noteAnswered(socket)
  }

  /** Closes all sockets, because the log begins anew or the world ends. */
  endAll(reason: string): void {
    for (const member of this.#members.all) this.#close(member, RESTART, reason)
    this.#era++
    this.#forget()
  }

  /** When the next credential expires, in milliseconds since 1970; Infinity if no credential expires. */
  get nextEnd(): number {
    let next = Infinity
    for (const { subscription } of this.#members.all) next = Math.min(next, subscription.credential?.endsAt ?? Infinity)
    return next
  }

  endExpired(): void {
    const now = this.#services.now().getTime()
    for (const member of this.#members.all) {
      const endsAt = member.subscription.credential?.endsAt ?? Infinity
      if (endsAt <= now) this.#close(member, CREDENTIAL_ENDED, ENDED)
    }
  }

  /**
   * Sends the events of a new row to the sockets that are up to date. Awaits nothing, so that no other work of the hub
   * can run in between.
   */
  #deliver(row: SizedLogRow): void {
    for (const [index, written] of this.#rows.keep(row).events.entries()) {
      const position = { place: row.place, index }
      for (const topic of topicsOf(row, written.event)) {
        if (topic === STREAM_TOPIC) this.#streams.add(written, position)
        else this.#sockets.send(topic, written, position)
      }
    }
    this.#closeEnded(row)
  }

  /** Closes the sockets whose credentials a row ends. */
  #closeEnded(row: SizedLogRow): void {
    const ending = endingOf(row)
    if (!ending) return
    this.#endings.add(ending)
    for (const member of this.#members.all) {
      if (endsCredential(ending, member.subscription.credential)) {
        this.#close(member, CREDENTIAL_ENDED, ENDED)
      }
    }
  }

  /** Marks a socket as up to date. From then on, the socket gets each event when the event happens. */
  #join(member: Member): void {
    this.#members.join(member)
    this.#streams.noteNew(member)
  }

  /** Starts or continues to send a socket its missed events, if it is behind and has room. */
  #startCatchUp(member: Member): void {
    if (member.behind === null || member.room <= 0) return
    this.#catchUp
      .run(member)
      .catch((error) => {
        console.error(JSON.stringify({ event: 'catch-up-failed', error: rootCause(error).message }))
        this.#close(member, TRY_AGAIN, 'The service could not read the log of events. Connect again with lastEventId.')
      })
      // The last socket may have been closed while rows were read. Then nothing else forgets these rows.
      .finally(() => this.#forgetIfIdle())
  }

  /** Why a socket is refused because of the number of sockets; undefined if it is not refused. */
  #refusalOf({ holder }: Subscription, { limit }: SubscriptionStart): HubRefusal | undefined {
    if (this.#members.size >= this.#services.capacity) return 'full'
    return this.#members.countOf(holder) >= limit ? 'limit' : undefined
  }

  /**
   * Where a subscription begins in the log. If the log no longer has the event that the client names, there is a gap.
   */
  async #findStart({ lastEventId, includesHistory }: SubscriptionStart) {
    if (lastEventId === null) return { behind: includesHistory ? ('history' as const) : null, hasGap: false }
    const position = await this.#services.log.locate(lastEventId)
    return { behind: position ?? BEGINNING, hasGap: position === undefined }
  }

  /** Whether a credential has ended between two places of the log. */
  async #hasEnded({ credential }: Subscription, after: number, until: number): Promise<boolean> {
    return credential !== null && (await this.#endings.includes(credential, after, until))
  }

  #close(member: Member, code: number, reason: string): void {
    this.#members.remove(member)
    this.#requests.forget(member)
    try {
      member.socket.close(code, reason)
    } catch {
      // The client has already closed the socket.
    }
    this.#underWay.noteClosed(member.socket)
    this.#forgetIfIdle()
  }

  /** Forgets the log if there are no sockets. Then the hub reads nothing until the next socket is opened. */
  #forgetIfIdle(): void {
    if (this.#members.size === 0 && this.#opening === 0) this.#forget()
  }

  #forget(): void {
    this.#streams.forget()
    this.#reader.forget()
    this.#rows.forget()
  }
}

/** The subscription of a socket, also after it was closed. */
function subscriptionOf(socket: WebSocket): Subscription | undefined {
  return socket.deserializeAttachment()?.subscription
}

/** The id of the connection of a socket, see `Subscription`; null if nobody holds the connection. */
function connectionIdOf(socket: WebSocket): string | null {
  return subscriptionOf(socket)?.connectionId ?? null
}

/** Keeps the place of the hub in the storage of its object. */
function placeStoreIn({ storage }: HubState) {
  return {
    load: () => storage.kv.get<number>(PLACE_KEY),
    store(place: number): void {
      // `allowUnconfirmed`: frames are sent before the place is on the disk. If the place is lost in a crash, the
      // sockets are lost, too, so nobody needs the place.
      void storage.put(PLACE_KEY, place, { allowUnconfirmed: true })
    },
  }
}
