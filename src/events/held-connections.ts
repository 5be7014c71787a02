/** The header in which the object of a universe gets the id of a connection (`Subscription.connectionId`). */
export const CONNECTION_HEADER = 'x-connection'

/**
 * The runtime ends the background work of a request that waits for nothing, so the work waits for a timer. After this
 * time, 24 days, a connection ends. A timer cannot be longer.
 */
const TIMER_MS = 2 ** 31 - 1

/** The object of a hub, as the Worker calls it. */
interface HubObject {
  readonly id: DurableObjectId
  fetch(request: Request): Promise<Response>
}

/**
 * The connections to clients with a socket of a hub, so that the hub can cut them. A hub can cut a connection itself
 * (`OwnSockets`), but not any more after it has hibernated. The request of the Worker that has opened the connection
 * still can. So this request goes on in the background, without using the CPU.
 *
 * The hub finds a connection only in its own isolate. In the local runtime, all objects are in the isolate of the
 * entry. In front of a deployed Worker, Cloudflare's edge ends the connections to clients (`isAtEdge`).
 */
export class HeldConnections {
  /** By the id of the hub's object and the id of the connection: lets the request of the Worker cut the connection. */
  readonly #byHub = new Map<string, Map<string, () => void>>()

  /**
   * @param id `Subscription.connectionId`
   * @param defer Lets work go on after the response
   */
  async open(hub: HubObject, request: Request, id: string, defer: (work: Promise<void>) => void): Promise<Response> {
    const cutting = new AbortController()
    const response = await hub.fetch(new Request(request, { signal: cutting.signal }))
    if (response.webSocket) defer(this.hold(String(hub.id), id, cutting))
    return response
  }

  /**
   * @param hub The id of the hub's object
   * @param id `Subscription.connectionId`
   * @param cutting Aborts the request to the hub, which has opened the socket
   */
  async hold(hub: string, id: string, cutting: AbortController): Promise<void> {
    const end = Promise.withResolvers<void>()
    const connections = this.#byHub.get(hub) ?? new Map<string, () => void>()
    this.#byHub.set(hub, connections.set(id, end.resolve))
    const timer = new AbortController()
    await Promise.race([end.promise, scheduler.wait(TIMER_MS, { signal: timer.signal })])
    timer.abort()
    // An abort with a reason would be logged as an error of the runtime.
    cutting.abort()
  }

  /** Ends a connection, even if frames are on their way to the client. If it has ended already, it is forgotten. */
  cut(hub: string, id: string): void {
    const connections = this.#byHub.get(hub)
    connections?.get(id)?.()
    connections?.delete(id)
    if (connections?.size === 0) this.#byHub.delete(hub)
  }

  /** Cuts the connections that a hub does not have. They ended with its object, which was started anew. */
  cutOthers(hub: string, ids: ReadonlySet<string>): void {
    for (const id of [...(this.#byHub.get(hub)?.keys() ?? [])]) if (!ids.has(id)) this.cut(hub, id)
  }
}

/** The connections of this isolate, because a hub and the entry share nothing else. */
export const heldConnections = new HeldConnections()

/**
 * Whether a request came through Cloudflare's edge, which adds this header. `npm start` removes it from requests
 * (scripts/lib/closed-entry.ts), because there a client could send it.
 */
export function isAtEdge(headers: Headers): boolean {
  return headers.has('CF-Ray')
}
