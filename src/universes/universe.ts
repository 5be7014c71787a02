import { DurableObject } from 'cloudflare:workers'
import { createApp, UNIVERSE_ROUTES } from '../app.ts'
import { issueUserToken } from '../auth/bearer.ts'
import { hashPassword } from '../auth/passwords.ts'
import { makeSecret } from '../auth/secrets.ts'
import { openSession } from '../db/port.ts'
import { normaliseEmail } from '../domain/email.ts'
import { type NewUniverse, OWNER_ID, type Seed, SOCKETS_MAX, type UniverseControl } from '../domain/universe.ts'
import { findRequestedUniverse, type UniverseAddress } from '../domain/universe-address.ts'
import type { HubAccess } from '../events/subscription.ts'
import { handleMessage } from '../features/callbacks/consumer.ts'
import { receiveFromThisService } from '../features/inboxes/receive-from-this-service.ts'
import { answerPlanetRequests } from '../features/live/answer-planet-requests.ts'
import type { App, HonoEnv } from '../http/pipeline/context.ts'
import { isEchoPath } from '../http/pipeline/echo-path.ts'
import { OwnSockets } from '../hub/cuttable.ts'
import { Hub } from '../hub/hub.ts'
import { logOf } from '../hub/stored-log.ts'
import { discardResponse, isSocketRequest } from '../lib/http.ts'
import { type Line, writeLine } from '../lib/log-line.ts'
import { rootCause } from '../lib/root-cause.ts'
import { HOUR_MS, MINUTE_MS } from '../lib/time.ts'
import type { QueueMessage } from '../schemas/queue-message.ts'
import { createServices, type Services } from '../services.ts'
import { findUniverseState, noteEnd, noteRemoval } from '../stores/universes.ts'
import { sweep } from '../sweep.ts'
import { fillDatabase, migrateDatabase, newOwnerRows, readOwnerRows, resetDatabase } from './contents.ts'
import { openEmbeddedDatabase } from './embedded-database.ts'
import { Universes } from './entry.ts'
import { readFigures } from './figures.ts'
import {
  changeRecord,
  hasEnded,
  moveEnd,
  readRecord,
  resetRecord,
  stateOf,
  type UniverseRecord,
  writeRecord,
} from './record.ts'
import { explainAbsence, refuse, universeEnded, type WorkContext } from './refuse.ts'
import { MIGRATION_COUNT, readSeedFile, type SeedFile } from './seed.ts'
import { emptyPrefix, imagePrefixOf, keyPrefixOf } from './universe-bucket.ts'
import type { UniverseObject } from './universe-object.ts'
import {
  baseUrlOfVisit,
  configInUniverse,
  createOwnServices,
  type OwnServices,
  servicesOfVisit,
} from './universe-services.ts'
import { Visit } from './visit.ts'
import { hasWorkLeft } from './work-left.ts'

/** Takes the line of the log about a request, instead of writing the line. */
type TakeLine = NonNullable<HonoEnv['Bindings']['takeLine']>

/** The time between two sweeps of a universe that is used. */
const SWEEP_MS = MINUTE_MS

/** The reason that clients with an open socket get when the universe ends. */
const ENDED = 'This universe has ended.'

/** A reserved domain (RFC 2606, section 3), so that no mail can ever go there. */
const OWNER_EMAIL = 'owner@universe.example'
const OWNER_NAME = 'Galaxy'
/** Enough for a random password (README.md). */
const OWNER_PASSWORD_ITERATIONS = 1

/**
 * The app and the services that all universes in this isolate share. They are created for the first universe, because
 * most isolates have no universe.
 */
let sharedApp: App | undefined
let sharedServices: Services | undefined

function universeApp(): App {
  sharedApp ??= createApp(UNIVERSE_ROUTES)
  return sharedApp
}

function createCommonServices(env: Env): Services {
  const services = createServices(env)
  return { ...services, otherWorlds: new Universes(env.UNIVERSE, services, universeApp()) }
}

/** The whole service, in the same Durable Object as its data: the code of the common world, with other services. */
export class Universe extends DurableObject<Env> implements UniverseObject {
  protected readonly common: Services
  /** Undefined if this object contains no universe. */
  #record: UniverseRecord | undefined
  #ownServices: OwnServices | undefined
  /** The time of the alarm in milliseconds since 1970; undefined if no alarm is set. */
  #alarmAt: number | undefined
  /** The key of what features remember about the universe. */
  #memory: object = {}
  /** Whether there was a request since the latest sweep. */
  #isUsed = false
  /** Aborts open sockets and streams when the universe ends. */
  #ending = new AbortController()
  readonly #hub: Hub
  readonly #ownSockets = new OwnSockets(() => this.env.UNIVERSE.get(this.ctx.id))

  constructor(context: DurableObjectState, env: Env) {
    super(context, env)
    this.common = this.createCommonServices()
    this.#hub = this.#createHub()
    void context.blockConcurrencyWhile(() => this.#load())
  }

  /** Tests replace this method, to replace the services. */
  protected createCommonServices(): Services {
    sharedServices ??= createCommonServices(this.env)
    return sharedServices
  }

  async #load(): Promise<void> {
    const record = readRecord(this.#sql)
    this.#record = record
    this.#alarmAt = (await this.ctx.storage.getAlarm()) ?? undefined
    if (!record || record.migrations >= MIGRATION_COUNT) return
    // The data of a universe that has ended only waits for removal, which must not depend on migrations.
    if (!hasEnded(record, this.common.now())) await this.#migrate(record)
  }

  async #migrate(record: UniverseRecord): Promise<void> {
    const { migrations } = await readSeedFile(this.common.assets)
    this.ctx.storage.transactionSync(() => {
      migrateDatabase(this.ctx.storage, migrations.slice(record.migrations))
      writeRecord(this.#sql, { ...record, migrations: migrations.length })
    })
    this.#record = readRecord(this.#sql)
  }

  async make(id: string, seed: Seed, hours: number, baseUrl: string): Promise<NewUniverse> {
    const contents = await readSeedFile(this.common.assets)
    const password = makeSecret()
    const passwordHash = await hashPassword(password, OWNER_PASSWORD_ITERATIONS)
    const now = this.common.now()
    const owner = {
      name: OWNER_NAME,
      email: OWNER_EMAIL,
      email_key: normaliseEmail(OWNER_EMAIL),
      password_hash: passwordHash,
      password_generation: 0,
      created_at: now.getTime(),
    }
    const record = {
      id,
      seed,
      hours,
      createdAt: now.getTime(),
      expiresAt: now.getTime() + hours * HOUR_MS,
      isFixed: false,
      resets: 0,
      resetAt: null,
      hasEnded: false,
      migrations: contents.migrations.length,
    }
    this.ctx.storage.transactionSync(() => {
      if (this.#record) throw new Error('this object already contains a universe')
      fillDatabase(this.#sql, contents, seed, newOwnerRows(owner))
      writeRecord(this.#sql, record)
    })
    this.#record = record
    // If this object contained a universe before, `remove` has aborted the previous controller.
    this.#ending = new AbortController()
    await this.#wakeBy(record.expiresAt)
    const claims = { userId: OWNER_ID, passwordGeneration: owner.password_generation }
    const token = await issueUserToken(this.common.tokens, claims, baseUrl, now)
    return { ...stateOf(record), owner: { id: OWNER_ID, name: OWNER_NAME, email: OWNER_EMAIL, password }, token }
  }

  override async fetch(request: Request): Promise<Response> {
    return await this.serve(request, {})
  }

  /** @param replaced Services that a test replaces for this request */
  protected async serve(request: Request, replaced: Partial<Services>): Promise<Response> {
    const ownSocket = this.#ownSockets.take(request)
    if (ownSocket) return ownSocket
    const config = replaced.config ?? this.common.config
    const url = new URL(request.url)
    const address = findRequestedUniverse(url, this.common.config)
    if (!address || address === 'no-universe') throw new Error('the request is not for a universe')
    const baseUrl = baseUrlOfVisit(url, address, config)
    const innerRequest = new Request(urlWithin(request.url, address), request)
    // The app may serve a request more than once: again after a reset, or to refuse it after the end. Each time, it
    // makes a line of the log. Only the last line is written.
    const lines: Line[] = []
    const takeLine: TakeLine = (line) => lines.push(line)
    const services = { ...replaced, baseUrlOf: () => baseUrl }
    const cutting = new AbortController()
    const context = { ...this.#workContext, abort: () => cutting.abort() }
    const response =
      (await this.#serveIfAlive(innerRequest, services, takeLine, context)) ??
      (await this.#refuse(request, address, takeLine))
    const lastLine = lines.at(-1)
    if (lastLine) writeLine(lastLine)
    // The runtime cannot send a socket as the response to such a request.
    if (response.webSocket && !isSocketRequest(request)) {
      await discardResponse(response)
      throw new Error('a socket cannot be sent')
    }
    // The hub has already made its sockets cuttable.
    const isEcho = response.webSocket && isEchoPath(address.path)
    return isEcho ? await this.#ownSockets.pass(response, cutting.signal) : response
  }

  /** @returns Undefined if the universe has ended, before or while the app served the request */
  async #serveIfAlive(
    request: Request,
    replaced: Partial<Services>,
    takeLine: TakeLine,
    context: WorkContext,
  ): Promise<Response | undefined> {
    const { now } = this.common
    const record = this.#record
    if (!record || hasEnded(record, now())) return undefined
    await this.#noteRequest(record, now())
    const response = await this.#answer(request, replaced, takeLine, context)
    // The request itself may have changed the end.
    const { expiresAt } = this.#record ?? record
    response?.headers.set('Sunset', new Date(expiresAt).toUTCString())
    return response
  }

  /** Serves a request with the app. @returns Undefined if the universe ended while the app served the request */
  async #answer(
    request: Request,
    replaced: Partial<Services>,
    takeLine: TakeLine,
    context: WorkContext,
  ): Promise<Response | undefined> {
    for (;;) {
      const visit = this.#beginVisit()
      const services = { ...this.#servicesOf(visit), ...replaced }
      const response = await universeApp().fetch(request, { services, takeLine }, context)
      // After the end of the universe, every refusal becomes 410. The app may have refused the request for another
      // reason, for example because a token expired meanwhile.
      const isLate = this.#isOver && (visit.wasRefused || response.status >= 400)
      // If the universe was reset meanwhile, a request without a body begins again. A body cannot be read twice, so a
      // request with a body gets the response of the app, which is 503.
      if (!isLate && (!visit.wasRefused || request.body)) return response
      await discardResponse(response)
      if (isLate) return undefined
    }
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    await this.#hub.receive(socket, message)
  }

  override async webSocketClose(socket: WebSocket, _code: number, _reason: string, wasClean: boolean): Promise<void> {
    this.#hub.drop(socket, !wasClean)
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    this.#hub.drop(socket, true)
  }

  async callInbox(request: Request): Promise<Response | undefined> {
    return this.#isOver ? undefined : await receiveFromThisService(request, this.#servicesOf(this.#beginVisit()))
  }

  async handleMessage(message: QueueMessage): Promise<void> {
    if (!this.#isOver) await handleMessage(message, this.#servicesOf(this.#beginVisit()))
  }

  /** The sweep of this universe, and its end. */
  override async alarm(): Promise<void> {
    const record = this.#record
    this.#alarmAt = undefined
    if (!record) return
    const now = this.common.now()
    if (hasEnded(record, now)) return await this.#end(record)
    this.#hub.endExpired()
    const wasUsed = this.#isUsed
    this.#isUsed = false
    await sweep(this.#servicesOf(this.#beginVisit()))
    const needsSweep = wasUsed || hasWorkLeft(this.#sql)
    const nextSweep = needsSweep ? now.getTime() + SWEEP_MS : Number.POSITIVE_INFINITY
    await this.#wakeBy(Math.min(nextSweep, record.expiresAt, this.#hub.nextEnd))
  }

  async remove(id: string): Promise<void> {
    // From here on, requests in progress can store nothing, so nothing is left behind.
    if (this.#record) this.#write({ ...this.#record, hasEnded: true })
    this.#ending.abort(ENDED)
    this.#hub.endAll(ENDED)
    const { database, bucket, now } = this.common
    const session = openSession({ database, hub: undefined }, 'first-primary')
    await noteEnd(session, id, now())
    await emptyPrefix(bucket, keyPrefixOf(id))
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
    this.#record = undefined
    this.#memory = {}
    this.#alarmAt = undefined
    await noteRemoval(session, id, now())
  }

  /** Ends the universe. Even if its removal fails, it has ended, and the alarm tries again. */
  async #end(record: UniverseRecord): Promise<void> {
    this.#write({ ...record, hasEnded: true })
    try {
      await this.#wakeBy(this.common.now().getTime() + SWEEP_MS)
      await this.remove(record.id)
    } catch (error) {
      console.error(JSON.stringify({ event: 'universe-removal-failed', error: rootCause(error).message }))
    }
  }

  /** Whether this object contains no universe, or one that has ended. */
  get #isOver(): boolean {
    return !this.#record || hasEnded(this.#record, this.common.now())
  }

  get #sql(): SqlStorage {
    return this.ctx.storage.sql
  }

  get #workContext(): WorkContext {
    return { waitUntil: (work) => this.ctx.waitUntil(work), passThroughOnException: () => {}, props: {} }
  }

  #write(record: UniverseRecord): void {
    writeRecord(this.#sql, record)
    this.#record = record
  }

  async #refuse(request: Request, { id }: UniverseAddress, takeLine: TakeLine): Promise<Response> {
    const { db } = openSession(this.common, 'first-primary')
    const refusal = this.#record ? universeEnded() : explainAbsence(await findUniverseState(db, id))
    return await refuse(universeApp(), request, refusal, this.common, this.#workContext, takeLine)
  }

  /** Moves the end of the universe, and makes sure that an alarm for the next sweep is set. */
  async #noteRequest(record: UniverseRecord, now: Date): Promise<void> {
    const moved = moveEnd(record, now)
    if (moved !== record) this.#write(moved)
    this.#isUsed = true
    await this.#wakeBy(Math.min(now.getTime() + SWEEP_MS, moved.expiresAt))
  }

  /** Sets the alarm, unless it is set for an earlier time. @param time In milliseconds since 1970 */
  async #wakeBy(time: number): Promise<void> {
    if (this.#alarmAt !== undefined && this.#alarmAt <= time) return
    this.#alarmAt = time
    await this.ctx.storage.setAlarm(time)
  }

  /** Begins work that may use the data of the universe only until it ends or is reset. */
  #beginVisit(): Visit {
    const resets = this.#record?.resets
    return new Visit(() => {
      if (this.#isOver) return 'ended'
      return this.#record?.resets === resets ? 'current' : 'reset'
    })
  }

  #servicesOf(visit: Visit): Services {
    const record = this.#record
    if (!record) throw new Error('this object contains no universe')
    this.#ownServices ??= createOwnServices(this.common, record.id)
    const { storage } = this.ctx
    const hub = this.#hubAccess(visit)
    return {
      ...this.common,
      ...this.#ownServices,
      ...servicesOfVisit(visit, storage, record, this.#control(visit, record), this.common),
      ending: this.#ending.signal,
      hub,
    }
  }

  /**
   * Creates the hub. It lives as long as this object, so it reads the log also after a reset. That is safe, because a
   * reset ends all sockets of the hub.
   */
  #createHub(): Hub {
    const admitAlways = () => {}
    const database = openEmbeddedDatabase(this.ctx.storage, admitAlways)
    const openHubSession = () => openSession({ database, hub: undefined }, 'first-primary')
    const now = () => this.common.now()
    return new Hub(this.ctx, {
      log: logOf(() => openHubSession().db, now),
      capacity: SOCKETS_MAX,
      now,
      wait: (milliseconds) => this.common.wait(milliseconds),
      answer: (requests) =>
        answerPlanetRequests(requests, openHubSession(), { config: configInUniverse(this.common.config) }),
      wakeAt: (time) => void this.#wakeBy(time),
      makeCuttable: (response, signal) => this.#ownSockets.pass(response, signal),
      restart: (reason) => this.ctx.abort(reason),
    })
  }

  #hubAccess({ admit }: Visit): HubAccess {
    const hub = this.#hub
    return {
      sharesObjectWithApp: true,
      notify: () => this.common.defer(hub.notify()),
      notifyNow: async () => void (await hub.notify()),
      async connect(subscription, start) {
        // A socket belongs to the state of the universe in which its credential was checked.
        admit()
        return await hub.connect(subscription, start)
      },
    }
  }

  /** The universe, as the app in it reads and changes it. */
  #control({ admit }: Visit, record: UniverseRecord): UniverseControl {
    const current = (): UniverseRecord => {
      admit()
      if (!this.#record) throw new Error('this object contains no universe')
      return this.#record
    }
    return {
      state: stateOf(record),
      store: {
        memory: this.#memory,
        run: <Row extends Record<string, SqlStorageValue>>(statement: string, ...values: SqlStorageValue[]) => {
          admit()
          return this.#sql.exec<Row>(statement, ...values).toArray()
        },
      },
      describe: () => ({ ...stateOf(current()), ...readFigures(this.#sql) }),
      get tokenSeconds() {
        return stateOf(current()).tokenSeconds
      },
      change: (changes) => {
        this.#write(changeRecord(current(), changes))
        return stateOf(current())
      },
      prepareReset: async () => {
        const contents = await readSeedFile(this.common.assets)
        return () => this.#reset(current(), contents)
      },
      end: () => this.#end(current()),
    }
  }

  #reset(record: UniverseRecord, contents: SeedFile): void {
    const reset = resetRecord(record, this.common.now())
    this.ctx.storage.transactionSync(() => {
      resetDatabase(this.#sql, contents, record.seed, readOwnerRows(this.#sql))
      writeRecord(this.#sql, reset)
    })
    this.#record = readRecord(this.#sql)
    this.#memory = {}
    this.#ownServices?.ids.forget()
    this.#hub.endAll('This universe was reset.')
    // The rows of the images from before the reset are gone, so nothing else would remove these images.
    this.common.defer(emptyPrefix(this.common.bucket, imagePrefixOf(record)))
  }
}

/** The URL of a request as the app sees it: without the path of the universe. */
function urlWithin(url: string, { path }: UniverseAddress): URL {
  const inner = new URL(url)
  inner.pathname = path
  return inner
}
