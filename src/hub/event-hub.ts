import { DurableObject } from 'cloudflare:workers'
import { openSession } from '../db/client.ts'
import { type HubObject, SUBSCRIPTION_HEADER } from '../events/hub-access.ts'
import { answerPlanetRequest } from '../features/live/answer-planet-request.ts'
import { createServices, type Services } from '../services.ts'
import { Hub } from './hub.ts'
import { logOf } from './stored-log.ts'

/** How many sockets the hub accepts. The platform allows at most 32,768 for one object. */
const CAPACITY = 32_000

/** The Durable Object of the hub of the common world. The hub of a universe runs in the object of the universe. */
export class EventHub extends DurableObject<Env> implements HubObject {
  readonly #hub: Hub

  constructor(context: DurableObjectState, env: Env) {
    super(context, env)
    const services = this.createServices()
    const { database, now, wait } = services
    const open = () => openSession(database, 'first-primary')
    this.#hub = new Hub(context, {
      log: logOf(() => open().db, now),
      capacity: CAPACITY,
      now,
      wait,
      answer: (text, subscription) => answerPlanetRequest(text, subscription, open(), services),
      // The object has only one alarm, so `#setAlarm` sets it to the earliest end of any credential.
      wakeAt: () => void this.#setAlarm(),
    })
  }

  /** Tests override this method to pass their own services. */
  protected createServices(): Services {
    return createServices(this.env)
  }

  override async fetch(request: Request): Promise<Response> {
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

  override async webSocketClose(socket: WebSocket): Promise<void> {
    this.#hub.drop(socket)
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    this.#hub.drop(socket)
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
