import { GALAXY_USER_ID } from '../../domain/galaxy-user.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { CATALOGUE_SECONDS } from '../../stores/catalogue.ts'
import { type StoredPlanet, selectPlanet } from '../../stores/stored-planet.ts'
import { requireFound } from './access.ts'

/**
 * Reads a planet: a shipped one from memory if it is there, any other from the database.
 *
 * @returns The planet, and the headers that say how long caches may keep it if it is a shipped one
 * @throws ProblemError 404
 */
export async function readPlanet(
  id: number,
  { services: { catalogue }, session, now }: RequestContext,
): Promise<{ planet: StoredPlanet; cacheHeaders: Record<string, string> }> {
  const kept = catalogue?.find(id, now)
  if (kept) return { planet: kept.planet, cacheHeaders: cacheFor(kept.remainingSeconds) }
  const [found] = await selectPlanet(session.db, id)
  const planet = requireFound(found)
  if (!catalogue || planet.creator.id !== GALAXY_USER_ID) return { planet, cacheHeaders: {} }
  catalogue.keep(planet, now)
  return { planet, cacheHeaders: cacheFor(CATALOGUE_SECONDS) }
}

/**
 * The request headers besides `Accept` that the response depends on. A cache does not ask the service again, so it may
 * use its copy only for requests with the same values: RFC 7240, section 2 requires this for `Prefer`. A caller with a
 * newer bookmark would otherwise get back the older one of the copy.
 */
const VARY = 'Prefer, API-Version, X-D1-Bookmark'

/** The time in memory counts too, so that no copy is older than CATALOGUE_SECONDS. */
function cacheFor(seconds: number): Record<string, string> {
  return { 'Cache-Control': `public, max-age=${seconds}`, Vary: VARY }
}
