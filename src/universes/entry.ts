import { openSession } from '../db/port.ts'
import { isAtImageHost } from '../domain/image-url.ts'
import { noUniverse, ProblemError, unknownPath, unusableHost } from '../domain/problems.ts'
import { hasValidHost, originOf } from '../domain/service-origin.ts'
import type { OtherWorlds, UniverseMaker } from '../domain/universe.ts'
import { findRequestedUniverse, type UniverseAddress } from '../domain/universe-address.ts'
import { isAtEchoHost, isInInbox } from '../domain/url-guard.ts'
import { CONNECTION_HEADER, heldConnections, isAtEdge } from '../events/held-connections.ts'
import { CUT_HEADER, cutStream } from '../features/faults/actions.ts'
import { receiveFromThisService } from '../features/inboxes/receive-from-this-service.ts'
import { isBenchPath } from '../features/lab/bench-path.ts'
import { readResumption, STREAM_PATH, streamFrom } from '../features/live/event-stream.ts'
import type { App } from '../http/pipeline/context.ts'
import { isEchoPath } from '../http/pipeline/echo-path.ts'
import { isSocketRequest } from '../lib/http.ts'
import { rootCause } from '../lib/root-cause.ts'
import { decodeUnreserved } from '../lib/uri-path.ts'
import type { QueueMessage } from '../schemas/queue-message.ts'
import type { Services } from '../services.ts'
import {
  findUniverseState,
  forgetUniverse,
  insertUniverse,
  isForgettable,
  type ListedUniverse,
  listDueUniverses,
  noteCompletion,
  postponeUniverse,
} from '../stores/universes.ts'
import { passOn } from './pass-on.ts'
import { explainAbsence, refuse, type WorkContext } from './refuse.ts'
import { emptyPrefix, keyPrefixOf } from './universe-bucket.ts'
import type { UniverseObject } from './universe-object.ts'

/** Maximum number of ids of universes that an isolate remembers. An id takes less than 100 bytes. */
const KNOWN_MAX = 10_000

/** The beginning of the paths of a hub's sockets (features/live/socket-routes.ts). */
const SOCKET_PATHS = '/ws/'

type Objects = DurableObjectNamespace<UniverseObject>

/**
 * The entry of the Worker to all worlds. It finds the world of a request, creates universes, and removes universes that
 * have ended.
 */
export class Universes implements UniverseMaker, OtherWorlds {
  readonly #objects: Objects
  /** The services and the app of the common world. */
  readonly #services: Services
  readonly #app: App
  /**
   * Ids of universes that exist or existed. Any other id is looked up in the list of universes before its object is
   * called, because the local runtime writes a file for each object that gets a call, even if there is no such
   * universe.
   */
  readonly #known = new Set<string>()

  constructor(objects: Objects, services: Services, app: App) {
    this.#objects = objects
    this.#services = services
    this.#app = app
  }

  /** Serves a request in the world that it is for. */
  async fetch(request: Request, context: WorkContext): Promise<Response> {
    const address = this.#findAddress(request)
    if (!address) return await this.#app.fetch(request, { services: this.#services }, context)
    if (address === 'no-universe') return await this.#refuse(request, noUniverse(), context)
    return await this.#serveInUniverse(request, address, context)
  }

  /**
   * The universe that a request is for. The hosts of the echo and of images have no universes on any path. If the Host
   * is not valid, it may have changed the path, and the app refuses the request.
   */
  #findAddress(request: Request): UniverseAddress | 'no-universe' | undefined {
    if (!hasValidHost(request.headers)) return undefined
    const url = new URL(request.url)
    const { config } = this.#services
    if (isAtEchoHost(url, config.echoHost) || isAtImageHost(url, config.imageHost)) return undefined
    return findRequestedUniverse(url, config)
  }

  /** Passes a call to an inbox on to its world. */
  callInbox: OtherWorlds['callInbox'] = async (universeId, request) => {
    if (universeId === undefined) return await receiveFromThisService(request, this.#services)
    const universe = await this.#findUniverse(universeId)
    if (universe instanceof ProblemError) return undefined
    // A signal cannot be passed to a Durable Object.
    return await universe.callInbox(new Request(request, { signal: null }))
  }

  /** Handles a message of the queue in the world that it is for. Never throws. */
  async handleMessage(
    message: QueueMessage,
    handleInCommonWorld: (message: QueueMessage) => Promise<void>,
  ): Promise<void> {
    if (message.universe === undefined) return await handleInCommonWorld(message)
    try {
      await this.#objectOf(message.universe).handleMessage(message)
    } catch (error) {
      console.error(JSON.stringify({ event: 'message-failed', message, error: rootCause(error).message }))
    }
  }

  /** Creates a universe, and lists it in the common world. */
  make: UniverseMaker['make'] = async (id, seed, hours, baseUrl) => {
    const session = openSession(this.#services, 'first-primary')
    const { now } = this.#services
    await insertUniverse(session, id, seed, now())
    try {
      const made = await this.#objectOf(id).make(id, seed, hours, baseUrl)
      if (!(await noteCompletion(session, id, made.createdAt, now())))
        throw new Error('the universe took too long to make')
      this.#remember(id)
      return made
    } catch (error) {
      await this.#removeUnfinished(id)
      throw error
    }
  }

  /**
   * Removes a universe whose creation failed. Nobody knows its address. If the removal fails too, the sweep repeats it.
   */
  async #removeUnfinished(id: string): Promise<void> {
    try {
      await this.#objectOf(id).remove(id)
      const session = openSession(this.#services, 'first-primary')
      await forgetUniverse(session, id)
    } catch (error) {
      console.error(JSON.stringify({ event: 'universe-removal-failed', error: rootCause(error).message }))
    }
  }

  /**
   * Ends universes whose alarm was lost, removes the data of universes whose creation was not finished, and forgets
   * universes that ended long ago.
   */
  async sweep(): Promise<void> {
    try {
      const session = openSession(this.#services, 'first-primary')
      const { db } = session
      for (const universe of await listDueUniverses(db, this.#services.now())) {
        try {
          await this.#sweepUniverse(universe)
        } catch (error) {
          logSweepFailure(error)
          await postponeUniverse(session, universe.id, this.#services.now())
        }
      }
    } catch (error) {
      // The list itself cannot be read or written. An error that left this function would be in the log of the platform
      // with its SQL statement and the values.
      logSweepFailure(error)
    }
  }

  async #sweepUniverse(universe: ListedUniverse): Promise<void> {
    const { database, bucket, now } = this.#services
    const session = openSession({ database, hub: undefined }, 'first-primary')
    const isUnfinished = universe.madeAt === null
    const hasEndedLongAgo = isForgettable(universe, now())
    // Long after the end, only the images are removed once more, because an upload that was in progress at the end may
    // have stored its image later.
    if (hasEndedLongAgo) await emptyPrefix(bucket, keyPrefixOf(universe.id))
    else await this.#objectOf(universe.id).remove(universe.id)
    if (isUnfinished || hasEndedLongAgo) await forgetUniverse(session, universe.id)
  }

  /** The object of a universe, or the error for a request to it. */
  async #findUniverse(id: string): Promise<DurableObjectStub<UniverseObject> | ProblemError> {
    if (!this.#services.config.universesOn) return unknownPath()
    if (this.#known.has(id)) return this.#objectOf(id)
    const { db } = openSession(this.#services, 'first-primary')
    const state = await findUniverseState(db, id)
    if (state !== 'alive') return explainAbsence(state)
    this.#remember(id)
    return this.#objectOf(id)
  }

  async #serveInUniverse(request: Request, { id, path }: UniverseAddress, context: WorkContext): Promise<Response> {
    try {
      const universe = await this.#findUniverse(id)
      if (universe instanceof ProblemError) return await this.#refuse(request, universe, context)
      const takesBodyOfReads = isEchoPath(path) || isInInbox(path) || isBenchPath(path)
      const send = (passed: Request) => this.#send(passed, universe, path)
      const response = await passOn(forObject(request, path), takesBodyOfReads, send, this.#services.wait)
      return streamOfSocket(response, request, this.#services)
    } catch (error) {
      // The runtime passes no request to an object if the host in its URL is not valid. The URL class accepts some of
      // these hosts, but `originOf` does not.
      if (!originOf(new URL(request.url))) return await this.#refuse(request, unusableHost(), context)
      console.error(JSON.stringify({ event: 'universe-failed', error: rootCause(error).message }))
      const refusal = unavailable('This universe is temporarily unavailable. Try again shortly.')
      return await this.#refuse(request, refusal, context)
    }
  }

  /** If the universe opens a socket of its hub, the connection is held. */
  async #send(request: Request, universe: DurableObjectStub<UniverseObject>, path: string): Promise<Response> {
    const isForHub = isSocketRequest(request) && decodeUnreserved(path).startsWith(SOCKET_PATHS)
    if (!isForHub || isAtEdge(request.headers)) return await universe.fetch(request)
    const connectionId = crypto.randomUUID()
    const headers = new Headers(request.headers)
    headers.set(CONNECTION_HEADER, connectionId)
    return await heldConnections.open(universe, new Request(request, { headers }), connectionId, this.#services.defer)
  }

  async #refuse(request: Request, refusal: ProblemError, context: WorkContext): Promise<Response> {
    return await refuse(this.#app, request, refusal, this.#services, context)
  }

  #objectOf(id: string): DurableObjectStub<UniverseObject> {
    return this.#objects.get(this.#objects.idFromName(id))
  }

  #remember(id: string): void {
    const [oldest] = this.#known
    if (this.#known.size >= KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest)
    this.#known.add(id)
  }
}

function logSweepFailure(error: unknown): void {
  console.error(JSON.stringify({ event: 'universe-sweep-failed', error: rootCause(error).message }))
}

function unavailable(detail: string): ProblemError {
  return new ProblemError('service-unavailable', detail, { headers: { 'Retry-After': '5' } })
}

/**
 * The request to the object of a universe. The runtime opens a WebSocket for every request with `Upgrade: websocket`
 * that an object gets. So the header is removed from methods other than GET, for which it means nothing in HTTP. A
 * request for a stream of events gets the header, because the object sends the events to the entry on a socket.
 *
 * @param path The path within the universe
 */
function forObject(request: Request, path: string): Request {
  if (request.method === 'GET' && decodeUnreserved(path) === STREAM_PATH) {
    const headers = new Headers(request.headers)
    headers.set('Upgrade', 'websocket')
    return new Request(request, { headers })
  }
  if (request.method === 'GET' || !request.headers.has('Upgrade')) return request
  const headers = new Headers(request.headers)
  headers.delete('Upgrade')
  return new Request(request, { headers })
}

/**
 * The stream of events that the client gets, if the object has answered with the socket of a stream. Any other response
 * is returned unchanged.
 */
function streamOfSocket(response: Response, { headers, url }: Request, { wait }: Services): Response {
  const { webSocket } = response
  const mediaType = response.headers.get('Content-Type')
  if (!webSocket || mediaType === null) return response
  const resumption = readResumption(headers, new URL(url).searchParams)
  const stream = streamFrom(webSocket, mediaType, resumption, wait)
  const bytes = response.headers.get(CUT_HEADER)
  if (bytes === null) return new Response(stream, { headers: response.headers })
  const sent = new Headers(response.headers)
  sent.delete(CUT_HEADER)
  return new Response(cutStream(stream, Number(bytes)), { headers: sent })
}
