import { join } from 'node:path'

// wrangler's proxy replaces the origin of the service in all headers, in both directions. It does so for an option that
// `npm start` does not have, and no option turns it off. Behind a proxy that ends TLS, it takes the scheme of the last
// hop for that of the service. Then URLs in `Location` and `Link` would have http although `PUBLIC_URL` has https, and
// the `Origin` of our own pages would be that of another site. So here, it passes headers on as they are.

/** The end of the path of the file with wrangler's proxy. */
export const PROXY = join('wrangler-dist', 'ProxyWorker.js')

/** How the proxy calls what changes headers, for requests and for responses. */
const CHANGES = [
  'rewriteUrlRelatedHeaders(headers, outerUrl, innerUrl);',
  'rewriteUrlRelatedHeaders(res.headers, innerUrl, outerUrl);',
]

/**
 * Removes from the code of wrangler's proxy what changes headers.
 *
 * @throws Error if the code is not as expected
 */
export function keepHeaders(source: string): string {
  return CHANGES.reduce((code, change) => {
    const parts = code.split(change)
    if (parts.length !== 2) throw new Error(`${PROXY} cannot be made to keep headers`)
    return parts.join('')
  }, source)
}
