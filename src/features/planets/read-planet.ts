import { GALAXY_USER_ID } from '../../domain/galaxy-user.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { CATALOGUE_SECONDS } from '../../stores/catalogue.ts'
import { type StoredPlanet, selectPlanet } from '../../stores/stored-planet.ts'
import { requireFound } from './access.ts'
import { cacheFor } from './cache-headers.ts'

/** `cacheHeaders` say how long caches may keep the planet. They are empty unless it is a shipped planet. */
export interface FoundPlanet {
  planet: StoredPlanet
  cacheHeaders: Record<string, string>
}

/**
 * Reads a planet. If it is a shipped planet that is in memory, the database is not read.
 *
 * @throws ProblemError 404
 */
export async function readPlanet(
  id: number,
  { services: { catalogue }, session, now }: RequestContext,
): Promise<FoundPlanet> {
  const kept = catalogue?.find(id, now)
  if (kept) return { planet: kept.value, cacheHeaders: cacheFor(kept.remainingSeconds) }
  const [found] = await session.db.read(selectPlanet(id))
  const planet = requireFound(found)
  if (!catalogue || planet.creator.id !== GALAXY_USER_ID) return { planet, cacheHeaders: {} }
  catalogue.keep(planet, now)
  return { planet, cacheHeaders: cacheFor(CATALOGUE_SECONDS) }
}
