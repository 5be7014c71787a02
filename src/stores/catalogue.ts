import type { Catalogue } from '../schemas/catalogue.ts'
import type { StoredPlanet } from './stored-planet.ts'

/** How long anything of the catalogue is kept in memory or in caches after it was read from the database. */
export const CATALOGUE_SECONDS = 60

/** A request that the runtime cuts off never ends its read. So after this time, the read counts as ended. */
export const READING_TIMEOUT_MS = 5_000

/** All shipped planets, as they were read and as they are sent. */
export interface WrittenCatalogue {
  content: Catalogue
  /** The document. As bytes, because a text would be encoded again for each response. */
  bytes: Uint8Array
  etag: string
}

/** A value that was read, and when, in milliseconds since 1970. */
interface Read<Value> {
  value: Value
  readAt: number
}

/** A value in memory, and for how many more seconds it may be kept. At least one. */
export interface Kept<Value> {
  value: Value
  remainingSeconds: number
}

/**
 * The shipped planets that this isolate has read, each of them and all together. Nobody can sign in as their owner, so
 * no request can change them. Only commands of the operator can, and every copy is at most CATALOGUE_SECONDS old. That
 * a planet does not exist is not kept, so a planet that is loaded later appears at once.
 */
export class CatalogueMemory {
  #readingSince: number | undefined
  readonly #planets = new Map<number, Read<StoredPlanet>>()
  #document: Read<WrittenCatalogue> | undefined

  /** A planet; undefined if it is not in memory. */
  find(id: number, now: Date): Kept<StoredPlanet> | undefined {
    const kept = stillKept(this.#planets.get(id), now)
    if (!kept) this.#planets.delete(id)
    return kept
  }

  /** Keeps a shipped planet. The catalogue has a fixed number of planets, so the memory is bounded. */
  keep(planet: StoredPlanet, now: Date): void {
    this.#planets.set(planet.id, { value: planet, readAt: now.getTime() })
  }

  /** All planets; undefined if they are not in memory. */
  findDocument(now: Date): Kept<WrittenCatalogue> | undefined {
    return stillKept(this.#document, now)
  }

  /** Whether another request is reading all planets, so that its result is worth waiting for. */
  isDocumentBeingRead(now: Date): boolean {
    return this.#readingSince !== undefined && now.getTime() - this.#readingSince < READING_TIMEOUT_MS
  }

  /** Notes that a request begins to read all planets. */
  beginDocument(now: Date): void {
    this.#readingSince = now.getTime()
  }

  /**
   * Notes that the request has ended.
   *
   * @param document All planets; undefined if they could not be read
   * @param now When the request began
   */
  endDocument(document: WrittenCatalogue | undefined, now: Date): void {
    this.#readingSince = undefined
    if (document) this.#document = { value: document, readAt: now.getTime() }
  }
}

function stillKept<Value>(read: Read<Value> | undefined, now: Date): Kept<Value> | undefined {
  if (!read) return undefined
  const remainingSeconds = CATALOGUE_SECONDS - Math.ceil((now.getTime() - read.readAt) / 1000)
  return remainingSeconds > 0 ? { value: read.value, remainingSeconds } : undefined
}
