import type { LogRow } from '../events/happening.ts'
import type { Connection, HubRefusal, Subscription, SubscriptionStart } from '../events/subscription.ts'
import { rootCause } from '../lib/root-cause.ts'
import { CatchUp } from './catch-up.ts'
import { CoalescedWork } from './coalesced.ts'
import { endingOf, ends, RecentEndings } from './endings.ts'
import { writeAcknowledgement } from './frames.ts'
import { LogReader } from './log-reader.ts'
import { BEGINNING, type LogSource } from './log-source.ts'
import { isStream, type Member, Members } from './members.ts'
import { Requests } from './requests.ts'
import { Rows } from './rows.ts'
import { SocketFanOut } from './socket-fan-out.ts'
import { StreamFanOut } from './stream-fan-out.ts'
import { STREAM_TOPIC, topicsOf } from './topics.ts'

/** Codes of RFC 6455, section 7.4.1, of its registry at IANA, and of this service. */
const NORMAL = 1000
const UNSUPPORTED = 1003
const TOO_BIG = 1009
const RESTART = 1012
const TRY_AGAIN = 1013
const CREDENTIAL_ENDED = 4401

const MESSAGE_MAX_BYTES = 64 * 1024
const PLACE_KEY = 'hub-place'

/** The functions of the Durable Object that the hub uses. */
export type HubState = Pick<DurableObjectState, 'acceptWebSocket' | 'getWebSockets' | 'setWebSocketAutoResponse'> & {
  storage: Pick<DurableObjectStorage, 'kv' | 'put'>
}

/** The services that a hub uses. */
export interface HubServices {
  log: LogSource
  /** How many sockets the hub can have. */
  capacity: number
  now(): Date
  wait(milliseconds: number): Promise<void>
  /** Answers a request for a planet. @returns The frame */
  answer(text: string, subscription: Subscription): Promise<string>
  /** Calls `endExpired` at this time, in milliseconds since 1970, or earlier. */
  wakeAt(time: number): void
}

/**
 * The hub of a world: all open sockets, and what they have subscribed to. It reads the log when somebody tells it that
 * there is something new. While nothing happens, nothing runs, and the object can hibernate.
 */
export class Hub {
  readonly #state: HubState
  readonly #services: HubServices
  readonly #members: Members
  readonly #reader: LogReader
  readonly #rows: Rows
  readonly #catchUp: CatchUp
  readonly #sockets: SocketFanOut
  readonly #streams: StreamFanOut
  readonly #endings: RecentEndings
  readonly #requests: Requests
  readonly #reading = new CoalescedWork(() => this.#readAtPace())
  /** How many sockets are about to be opened. */
  #opening = 0
  /** How often the log began anew. */
  #era = 0

  constructor(state: HubState, services: HubServices) {
    this.#state = state
    this.#services = services
    const { log, now, wait } = services
    this.#members = new Members(now)
    this.#rows = new Rows(log, { now, wait })
    this.#endings = new RecentEndings(log)
    this.#requests = new Requests(services.answer, wait)
    this.#reader = new LogReader(log, placesIn(state), {
      begin: (place) => this.#endings.beginAt(place),
      restart: () => this.endAll('The log of events has begun anew.'),
      tell: (row) => this.#tell(row),
    })
    this.#sockets = new SocketFanOut({
      members: this.#members,
      now,
      fallBehind: (member, position) => {
        this.#members.fallBehind(member, position)
        this.#begin(member)
      },
    })
    this.#streams = new StreamFanOut({ members: this.#members, now, wait })
    const join = (member: Member) => this.#join(member)
    this.#catchUp = new CatchUp({ rows: this.#rows, reader: this.#reader, members: this.#members, join, now, wait })
    state.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
    this.#members.restore(state.getWebSockets())
    if (this.#members.size > 0) this.#reader.goOn()
    for (const member of this.#members.all) this.#begin(member)
  }

  /**
   * Reads what is new, and sends it to those who want it.
   *
   * @returns Whether anybody listens. If nobody does, nothing is read
   * @throws Error of the database
   */
  async notify(): Promise<boolean> {
    const hasListeners = this.#members.size > 0 || this.#opening > 0
    if (hasListeners) await this.#reading.run()
    return hasListeners
  }

  async #readAtPace(): Promise<void> {
    const { pauseMs } = this.#sockets
    if (pauseMs > 0) await this.#services.wait(pauseMs)
    await this.#reader.catchUp()
    this.#sockets.endReading()
  }

  /** Opens a socket. @throws Error of the database, or if the log begins anew meanwhile */
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
    const era = await this.#catchUpInOneEra()
    const { behind, hasGap } = await this.#findBegin(start)
    let checkedAt = subscription.credential ? start.checkedAt : Infinity
    while (checkedAt < this.#reader.place) {
      const { place } = this.#reader
      if (await this.#hasEnded(subscription, checkedAt, place)) return { refusal: 'credential-ended' }
      checkedAt = place
    }
    // From here until the socket is a member, nothing is awaited, so nothing else can happen.
    if (era !== this.#era) throw new Error('the log has begun anew')
    const refusal = this.#refusalOf(subscription, start)
    if (refusal) return { refusal }
    const { 0: client, 1: server } = new WebSocketPair()
    this.#state.acceptWebSocket(server)
    const member = this.#add(server, { subscription, behind })
    if (behind === null) this.#streams.noteNew(member)
    if (subscription.channel !== 'planetRequest') {
      server.send(writeAcknowledgement(subscription, start, hasGap, this.#services.now()))
    }
    this.#begin(member)
    if (subscription.credential?.endsAt) this.#services.wakeAt(subscription.credential.endsAt)
    return { response: new Response(null, { status: 101, webSocket: client }) }
  }

  /** Reads all new rows. @returns The era of the log that was read */
  async #catchUpInOneEra(): Promise<number> {
    for (;;) {
      const era = this.#era
      await this.#reader.catchUp()
      if (era === this.#era) return era
    }
  }

  /** @throws Error if the subscription is too large to be kept */
  #add(socket: WebSocket, member: Parameters<Members['add']>[1]): Member {
    try {
      return this.#members.add(socket, member)
    } catch (error) {
      socket.close(TRY_AGAIN, '')
      throw error
    }
  }

  /** A message of a client. */
  async receive(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const member = this.#members.find(socket)
    if (!member) return
    if (typeof message !== 'string') return this.#close(member, UNSUPPORTED, 'Send text, not binary data.')
    if (isTooLong(message)) {
      return this.#close(member, TOO_BIG, `A message can have at most ${MESSAGE_MAX_BYTES} bytes.`)
    }
    const { channel } = member.subscription
    if (isStream(member) && this.#members.addRoom(member, Number(message))) this.#begin(member)
    if (channel === 'planetRequest' && !this.#requests.add(member, message)) {
      this.#close(member, TRY_AGAIN, 'Too many requests are waiting. Wait for their replies before you send more.')
    }
  }

  /** A socket was closed by its client, or is broken. */
  drop(socket: WebSocket): void {
    const member = this.#members.find(socket)
    if (member) this.#close(member, NORMAL, '')
  }

  /** Closes all sockets, because the log begins anew or ends. */
  endAll(reason: string): void {
    for (const member of this.#members.all) this.#close(member, RESTART, reason)
    this.#era++
    this.#forget()
  }

  /** When the next credential expires, in milliseconds since 1970; Infinity if none does. */
  get nextEnd(): number {
    let next = Infinity
    for (const { subscription } of this.#members.all) next = Math.min(next, subscription.credential?.endsAt ?? Infinity)
    return next
  }

  /** Closes the sockets whose credentials have expired. */
  endExpired(): void {
    const now = this.#services.now().getTime()
    for (const member of this.#members.all) {
      const endsAt = member.subscription.credential?.endsAt ?? Infinity
      if (endsAt <= now) this.#close(member, CREDENTIAL_ENDED, 'The credential of this connection has expired.')
    }
  }

  /** Sends a new row to those who get each event when it happens. Never waits, so that nobody can come in between. */
  #tell(row: LogRow): void {
    for (const [index, written] of this.#rows.keep(row).events.entries()) {
      const position = { place: row.place, index }
      for (const topic of topicsOf(row, written.event)) {
        if (topic === STREAM_TOPIC) this.#streams.add(written, position)
        else this.#sockets.send(topic, written, position)
      }
    }
    this.#end(row)
  }

  /** Closes the sockets whose credentials have ended, if a row says so. */
  #end(row: LogRow): void {
    const ending = endingOf(row)
    if (!ending) return
    this.#endings.add(ending)
    for (const member of this.#members.all) {
      if (ends(ending, member.subscription.credential)) {
        this.#close(member, CREDENTIAL_ENDED, 'The credential of this connection has ended.')
      }
    }
  }

  /** A socket has caught up. From now on, it gets each event when it happens. */
  #join(member: Member): void {
    this.#members.join(member)
    this.#streams.noteNew(member)
  }

  /** Sends a socket the events that it has missed, or continues to do so. */
  #begin(member: Member): void {
    if (member.behind === null || member.room <= 0) return
    this.#catchUp
      .run(member)
      .catch((error) => {
        console.error(JSON.stringify({ event: 'catch-up-failed', error: rootCause(error).message }))
        this.#close(member, TRY_AGAIN, 'The log could not be read further. Connect again with lastEventId.')
      })
      // It may have opened the log for a socket that has left meanwhile.
      .finally(() => this.#forgetIfIdle())
  }

  #refusalOf({ holder }: Subscription, { limit }: SubscriptionStart): HubRefusal | undefined {
    if (this.#members.size >= this.#services.capacity) return 'full'
    return this.#members.countOf(holder) >= limit ? 'limit' : undefined
  }

  /** Where a subscription begins in the log. */
  async #findBegin({ lastEventId, includesHistory }: SubscriptionStart) {
    if (lastEventId === null) return { behind: includesHistory ? ('history' as const) : null, hasGap: false }
    const found = await this.#services.log.locate(lastEventId)
    return { behind: found ?? BEGINNING, hasGap: found === undefined }
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
      // It was closed already, by its client.
    }
    this.#forgetIfIdle()
  }

  /** Forgets the log if nobody listens any more, so that nothing has to be read until somebody does. */
  #forgetIfIdle(): void {
    if (this.#members.size === 0 && this.#opening === 0) this.#forget()
  }
  #forget(): void {
    this.#streams.forget()
    this.#reader.forget()
    this.#rows.forget()
  }
}

/** Whether a text has too many bytes in UTF-8. */
function isTooLong(text: string): boolean {
  if (text.length > MESSAGE_MAX_BYTES) return true
  return text.length * 3 > MESSAGE_MAX_BYTES && new TextEncoder().encode(text).byteLength > MESSAGE_MAX_BYTES
}

/** Keeps the place of the hub in the storage of its object. */
function placesIn({ storage }: HubState) {
  return {
    load: () => storage.kv.get<number>(PLACE_KEY),
    store(place: number): void {
      // Frames need not wait until this is on the disk. If it is lost, the sockets are lost with it.
      void storage.put(PLACE_KEY, place, { allowUnconfirmed: true })
    },
  }
}
