/**
 * Tells whether a request that may have been sent by a browser comes from a page that is not ours. What says nothing of
 * its origin is no browser.
 *
 * @see https://www.w3.org/TR/fetch-metadata/ for `Sec-Fetch-Site`; RFC 6454, section 7 for `Origin`
 */
export function isCrossSite(headers: Headers, ownOrigin: string): boolean {
  const site = headers.get('Sec-Fetch-Site')
  const origin = headers.get('Origin')
  if (site !== null && site !== 'same-origin' && site !== 'none') return true
  if (origin === null || origin === ownOrigin) return false
  // What a page without a referrer sends; whether it is ours, Sec-Fetch-Site knows.
  return !(origin === 'null' && site === 'same-origin')
}
