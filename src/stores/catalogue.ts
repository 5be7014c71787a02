import type { StoredPlanet } from './stored-planet.ts'

/** How long a planet of the catalogue is kept in memory or in caches after it was read from the database. */
export const CATALOGUE_SECONDS = 60

interface KeptPlanet {
  planet: StoredPlanet
  /** When the planet was read from the database, in milliseconds since 1970. */
  readAt: number
}

/**
 * The shipped planets that this isolate has read. Nobody can sign in as their owner, so no request can change them. Only
 * commands of the operator can, and every copy of a planet is at most CATALOGUE_SECONDS old. Planets that do not exist
 * are not kept, so a planet that is loaded later is there at once.
 */
export class CatalogueMemory {
  readonly #planets = new Map<number, KeptPlanet>()

  /** A kept planet, and for how many more seconds it may be kept; undefined if it is not in memory. */
  find(id: number, now: Date): { planet: StoredPlanet; remainingSeconds: number } | undefined {
    const kept = this.#planets.get(id)
    if (!kept) return undefined
    const remainingSeconds = CATALOGUE_SECONDS - Math.ceil((now.getTime() - kept.readAt) / 1000)
    if (remainingSeconds > 0) return { planet: kept.planet, remainingSeconds }
    this.#planets.delete(id)
    return undefined
  }

  /** Keeps a shipped planet. The catalogue has a fixed number of planets, so the memory is bounded. */
  keep(planet: StoredPlanet, now: Date): void {
    this.#planets.set(planet.id, { planet, readAt: now.getTime() })
  }
}
