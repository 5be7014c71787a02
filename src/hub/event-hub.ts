import { DurableObject } from 'cloudflare:workers'
import { openSession } from '../db/port.ts'
import { type HubObject, SUBSCRIPTION_HEADER } from '../events/hub-access.ts'
import { answerPlanetRequests } from '../features/live/answer-planet-requests.ts'
import { createServices, type Services } from '../services.ts'
import { OwnSockets } from './cuttable.ts'
import { Hub } from './hub.ts'
import { logOf } from './stored-log.ts'

/** How many sockets the hub accepts. The platform allows at most 32,768 for one object. */
const CAPACITY = 32_000

/** The Durable Object of the hub of the common world. The hub of a universe runs in the object of the universe. */
export class EventHub extends DurableObject<Env> implements HubObject {
  readonly #hub: Hub
  readonly #ownSockets = new OwnSockets(() => this.env.EVENTS.get(this.ctx.id))

  constructor(context: DurableObjectState, env: Env) {
    super(context, env)
    const services = this.createServices()
    const { database, now, wait } = services
    const open = () => openSession({ database, hub: undefined }, 'first-primary')
    this.#hub = new Hub(context, {
      log: logOf(() => open().db, now),
      capacity: CAPACITY,
      now,
      wait,
      answer: (requests) => answerPlanetRequests(requests, open(), services),
      // The object has only one alarm, so `#setAlarm` sets it to the earliest end of any credential.
      wakeAt: () => void this.#setAlarm(),
      makeCuttable: (response, signal) => this.#ownSockets.pass(response, signal),
      restart: (reason) => this.ctx.abort(reason),
    })
  }

  /** Tests override this method to pass their own services. */
  protected createServices(): Services {
    return createServices(this.env)
  }

  override async fetch(request: Request): Promise<Response> {
    const ownSocket = this.#ownSockets.take(request)
    if (ownSocket) return ownSocket
    const { subscription, start } = JSON.parse(decodeURIComponent(request.headers.get(SUBSCRIPTION_HEADER) ?? ''))
    const connection = await this.#hub.connect(subscription, start)
    return 'response' in connection ? connection.response : Response.json(connection)
  }

  async notify(): Promise<boolean> {
    return await this.#hub.notify()
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

  override async alarm(): Promise<void> {
    this.#hub.endExpired()
    await this.#setAlarm()
  }

  async #setAlarm(): Promise<void> {
    const { nextEnd } = this.#hub
    if (nextEnd !== Infinity) await this.ctx.storage.setAlarm(nextEnd)
  }
}
