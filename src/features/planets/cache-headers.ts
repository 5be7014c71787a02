/**
 * The request headers besides `Accept` that the response depends on. A cache does not ask the service again, so it may
 * use its copy only for requests with the same values: RFC 7240, section 2 requires this for `Prefer`. A caller with a
 * newer bookmark would otherwise get back the older one of the copy.
 */
const VARY = 'Prefer, API-Version, X-D1-Bookmark'

/**
 * The headers that say how long caches may keep shipped planets.
 *
 * @param seconds Without the time in the memory of the Worker, so that no copy is older than CATALOGUE_SECONDS
 */
export function cacheFor(seconds: number): Record<string, string> {
  return { 'Cache-Control': `public, max-age=${seconds}`, Vary: VARY }
}
