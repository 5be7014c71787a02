import type { Catalogue } from '../schemas/catalogue.ts'
import type { StoredPlanet } from './stored-planet.ts'

/** How long a shipped planet, or the document of all of them, is kept in memory and in caches after it was read. */
export const CATALOGUE_SECONDS = 60

/** A request that the runtime cuts off never calls `endDocument`. So after this time, its read counts as ended. */
export const READING_TIMEOUT_MS = 5_000

/** All shipped planets: the value that was read from the database, and the document that responses contain. */
export interface WrittenCatalogue {
  content: Catalogue
  /** The document as bytes, because a text would be encoded again for each response. */
  bytes: Uint8Array
  etag: string
}

/** A value that was read, and when, in milliseconds since 1970. */
interface Read<Value> {
  value: Value
  readAt: number
}

/** A value in memory, and for how many more seconds it may be kept (at least one). */
export interface Kept<Value> {
  value: Value
  remainingSeconds: number
}

/**
 * The shipped planets that this isolate has read: single planets, and the document of all of them. Nobody can sign in
 * as their owner, so no request can change them. A command of the operator can change them: the change is visible after
 * CATALOGUE_SECONDS. The memory does not record that a planet is missing, so a planet that is loaded later appears at
 * once.
 */
export class CatalogueMemory {
  #readingSince: number | undefined
  readonly #planets = new Map<number, Read<StoredPlanet>>()
  #document: Read<WrittenCatalogue> | undefined

  /** A planet; undefined if it is not in memory, or too old. */
  find(id: number, now: Date): Kept<StoredPlanet> | undefined {
    const kept = stillKept(this.#planets.get(id), now)
    if (!kept) this.#planets.delete(id)
    return kept
  }

  /** Keeps a shipped planet. The catalogue has a fixed number of planets, so the memory is bounded. */
  keep(planet: StoredPlanet, now: Date): void {
    this.#planets.set(planet.id, { value: planet, readAt: now.getTime() })
  }

  /** The document of all planets; undefined if it is not in memory, or too old. */
  findDocument(now: Date): Kept<WrittenCatalogue> | undefined {
    return stillKept(this.#document, now)
  }

  /** Whether another request is reading the document, so that its result is worth waiting for. */
  isDocumentBeingRead(now: Date): boolean {
    return this.#readingSince !== undefined && now.getTime() - this.#readingSince < READING_TIMEOUT_MS
  }

  /** Notes that a request begins to read the document. */
  beginDocument(now: Date): void {
    this.#readingSince = now.getTime()
  }

  /**
   * Notes that a request has ended its attempt to read the document.
   *
   * @param document Undefined if it could not be read
   * @param begunAt When the request began. The document counts as read at this time, because it may lack later changes
   */
  endDocument(document: WrittenCatalogue | undefined, begunAt: Date): void {
    this.#readingSince = undefined
    if (document) this.#document = { value: document, readAt: begunAt.getTime() }
  }
}

/** The value, if it is not older than CATALOGUE_SECONDS. */
function stillKept<Value>(read: Read<Value> | undefined, now: Date): Kept<Value> | undefined {
  if (!read) return undefined
  const remainingSeconds = CATALOGUE_SECONDS - Math.ceil((now.getTime() - read.readAt) / 1000)
  return remainingSeconds > 0 ? { value: read.value, remainingSeconds } : undefined
}
