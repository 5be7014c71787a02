import { createExecutionContext, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach } from 'vitest'
import { describeCompletely } from '../../documents/documents.ts'
import type { NewUniverse, Seed } from '../../src/domain/universe.ts'
import { findRequestedUniverse } from '../../src/domain/universe-address.ts'
import type { Config } from '../../src/env.ts'
import { CURRENT_API_VERSION } from '../../src/http/api-versions.ts'
import type { Services } from '../../src/services.ts'
import type { Universe } from '../../src/universes/universe.ts'
import { HeldQueue, noNetwork } from './callbacks.ts'
import { Conformance } from './conformance.ts'
import { noteDeferred } from './deferred.ts'
import { fromEdge } from './from-edge.ts'
import { makePicture } from './pictures.ts'
import { UNIVERSE_HOST, UNIVERSE_WORLD } from './world.ts'

// The common world and any number of universes, behind the real entry and in real objects, on a clock that the test
// moves. For tests that are about universes themselves (test/universes).

if (!UNIVERSE_WORLD) throw new Error('these tests need the Worker of universe-worker.ts')
export const { env: commonEnv, services: commonServices, universes } = UNIVERSE_WORLD

export const COMMON_ORIGIN = 'http://galaxy.test'
export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** A clock that goes on, and that a test can set forward. */
class MovableClock {
  #aheadMs = 0

  readonly now = (): Date => new Date(Date.now() + this.#aheadMs)

  advance(milliseconds: number): void {
    this.#aheadMs += milliseconds
  }

  reset(): void {
    this.#aheadMs = 0
  }
}

export const clock = new MovableClock()

/** The messages of all worlds. */
export let queue = new HeldQueue()

const original = { ...commonServices }

/** Replaces services of the common world, and so of all universes, until the end of the test. */
export function replaceServices(replaced: Partial<Services>): void {
  Object.assign(commonServices, replaced)
}

/** Replaces parts of the configuration of all worlds until the end of the test. A universe keeps what it began with. */
export function configure(config: Partial<Config>): void {
  replaceServices({ config: { ...commonServices.config, ...config } })
}

/** Call it at the top of a test file: test files share this module, but not what it does before each test. */
export function useWorlds(): void {
  beforeEach(() => {
    clock.reset()
    queue = new HeldQueue()
    replaceServices({
      ...original,
      now: clock.now,
      callbackQueue: queue,
      fetch: noNetwork,
      defer(work) {
        noteDeferred(work)
        original.defer(work)
      },
    })
    configure({ limitsWrites: false, universeHost: undefined })
  })
  afterEach(() => replaceServices(original))
}

/** A world as a client sees it. */
export interface World {
  /** Undefined for the common world. */
  id: string | undefined
  url: string
  send(path: string, init?: RequestInit): Promise<Response>
  sendJson(method: string, path: string, body: unknown, token?: string): Promise<Response>
}

export interface OwnWorld extends World {
  id: string
  owner: NewUniverse['owner']
  token: string
  expiresAt: Date
  stub: DurableObjectStub<Universe>
  /** Sends a request of its owner. */
  own(method: string, path: string, body?: unknown): Promise<Response>
}

/** Each kind is made when it is first needed, because that takes time. */
const conformances = new Map<string, Conformance>()

function conformanceOf(kind: 'common' | 'universe'): Conformance {
  const known = conformances.get(kind) ?? new Conformance(describeCompletely(kind, CURRENT_API_VERSION))
  conformances.set(kind, known)
  return known
}

/** Sends a request to any URL of the service, and compares the answer with the document of the world that it is for. */
export async function sendTo(url: string, init?: RequestInit): Promise<Response> {
  const request = fromEdge(new Request(url, init))
  const response = await universes.fetch(request, createExecutionContext())
  const address = findRequestedUniverse(new URL(url), commonServices.config)
  // The answers about universes that are not there are those of the common world, at paths that no document has.
  const isServed = address === undefined || response.headers.has('Sunset')
  const path = address === undefined || address === 'no-universe' ? new URL(url).pathname : address.path
  // An echo may be without end, and so is a stream. Sockets are in no OpenAPI document.
  if (isServed && address !== 'no-universe' && !/^\/(?:echo|ws|planets\/events)(?:\/|$)/.test(path)) {
    const documented = conformanceOf(address ? 'universe' : 'common')
    const faults = await documented.findFaults({ method: request.method, path }, response.clone())
    if (faults.length > 0) throw new Error(`${request.method} ${url} is not as documented:\n${faults.join('\n')}`)
  }
  return response
}

/** The world at a base URL. */
export function worldAt(url: string, id?: string): World {
  const { origin, pathname: basePath } = new URL(url)
  // A path on a page of a universe begins with that of the universe.
  const send = (path: string, init?: RequestInit) =>
    sendTo((basePath !== '/' && path.startsWith(`${basePath}/`) ? origin : url) + path, init)
  return {
    id,
    url,
    send,
    sendJson: (method, path, body, token) =>
      send(path, {
        method,
        headers: { ...bearer(token), ...(body !== undefined && { 'Content-Type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  }
}

export const COMMON: World = worldAt(COMMON_ORIGIN)

export function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` }
}

/** Headers of a client address for which no limit has counted anything yet. */
export function fromAnywhere(): Record<string, string> {
  const groups = crypto.randomUUID().replaceAll('-', '').match(/.{4}/g) ?? []
  return { 'CF-Connecting-IP': groups.join(':') }
}

/** Makes a universe as a visitor does. */
export async function makeUniverse(seed: Seed = 'blank', hours = 24): Promise<OwnWorld> {
  const response = await COMMON.send('/universes', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...fromAnywhere() },
    body: JSON.stringify({ seed, hours }),
  })
  if (response.status !== 201) throw new Error(`no universe was made: ${await response.text()}`)
  const { id, url, owner, token, expiresAt } = await response.json<
    Record<'id' | 'url' | 'token' | 'expiresAt', string> & Pick<NewUniverse, 'owner'>
  >()
  const world = worldAt(url, id)
  return {
    ...world,
    ...{ id, owner, token, expiresAt: new Date(expiresAt), stub: stubOf(id) },
    own: (method, path, body) => world.sendJson(method, path, body, token),
  }
}

/** The object of a universe. */
export function stubOf(id: string): DurableObjectStub<Universe> {
  return commonEnv.UNIVERSE.get(commonEnv.UNIVERSE.idFromName(id)) as unknown as DurableObjectStub<Universe>
}

/** The base URL of a universe by host. */
export const hostUrlOf = ({ id }: OwnWorld) => `http://${id}.${UNIVERSE_HOST}`

/** Runs a query in the database of a universe. */
export async function queryInside<Row extends Record<string, SqlStorageValue>>(
  { stub }: Pick<OwnWorld, 'stub'>,
  query: string,
  ...values: SqlStorageValue[]
): Promise<Row[]> {
  return await runInDurableObject(stub, (_, { storage }) => storage.sql.exec<Row>(query, ...values).toArray())
}

/** All tables of a universe with their rows. */
export async function readTables(
  world: Pick<OwnWorld, 'stub'>,
): Promise<Record<string, Record<string, SqlStorageValue>[]>> {
  return await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
    const tables = sql
      .exec<{ name: string }>(
        "select name from sqlite_master where type = 'table' and name not glob '_cf_*' order by name",
      )
      .toArray()
    return Object.fromEntries(tables.map(({ name }) => [name, sql.exec(`select * from "${name}"`).toArray()]))
  })
}

/** The row of a universe in the list of the common world. */
export async function listedRow(id: string): Promise<Record<string, unknown> | null> {
  return await commonEnv.DB.prepare('select * from universes where id = ?').bind(id).first()
}

/** The keys of a universe's pictures. */
export async function keysOf(id: string): Promise<string[]> {
  const { objects } = await commonEnv.IMAGES.list({ prefix: `u/${id}/` })
  return objects.map(({ key }) => key)
}

/** The scheduled job of the common world, as far as it is about universes. */
export async function sweepUniverses(): Promise<void> {
  await universes.sweep()
}

// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
export async function bodyOf(response: Response): Promise<any> {
  return await response.json()
}

/** Uploads a picture of a planet. */
export async function uploadTo(world: World, planet: number, token: string): Promise<Response> {
  const form = new FormData()
  form.set('image', new File([makePicture()], 'picture'))
  return await world.send(`/planets/${planet}/image`, { method: 'POST', body: form, headers: bearer(token) })
}

/** A body of which the last part comes later. */
export function slowBody(text: string): { body: ReadableStream<Uint8Array>; finish(): Promise<void> } {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const bytes = new TextEncoder().encode(text)
  void writer.write(bytes.slice(0, -1))
  return {
    body: readable,
    async finish() {
      await writer.write(bytes.slice(-1))
      await writer.close()
    },
  }
}

/** The bucket of all worlds, in which an upload is stored, but its end waits. */
export function stalledBucket(): { bucket: R2Bucket; goOn(): void } {
  const { IMAGES } = commonEnv
  let mayGoOn = false
  const bucket: Pick<R2Bucket, 'list' | 'get' | 'delete' | 'put'> = {
    list: (options) => IMAGES.list(options),
    get: (key: string) => IMAGES.get(key),
    delete: (keys) => IMAGES.delete(keys),
    put: (async (key: string, value: ArrayBuffer, options?: R2PutOptions) => {
      const stored = await IMAGES.put(key, value, options)
      // Not a promise of the test: it belongs to another request than those of the object.
      while (!mayGoOn) await scheduler.wait(1)
      return stored
    }) as R2Bucket['put'],
  }
  return { bucket: bucket as R2Bucket, goOn: () => (mayGoOn = true) }
}

/** The header of Basic authentication (RFC 7617). */
export function basicOf({ email, password }: { email: string; password: string }): Record<string, string> {
  return { Authorization: `Basic ${new TextEncoder().encode(`${email}:${password}`).toBase64()}` }
}
