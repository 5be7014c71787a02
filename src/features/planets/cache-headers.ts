/**
 * The request headers besides `Accept` that the response depends on. A cache may use a copy only for requests with the
 * same values of these headers. RFC 7240, section 2 requires this for `Prefer`. Without `X-D1-Bookmark`, a caller with
 * a newer bookmark would get back the older bookmark of the copy.
 */
const VARY = 'Prefer, API-Version, X-D1-Bookmark'

/**
 * @param seconds CATALOGUE_SECONDS, minus the time that the planets have already been in the memory of the Worker. So
 * no copy is older than CATALOGUE_SECONDS
 */
export function cacheFor(seconds: number): Record<string, string> {
  return { 'Cache-Control': `public, max-age=${seconds}`, Vary: VARY }
}
