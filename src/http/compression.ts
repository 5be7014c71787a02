/**
 * Registry: the media types that the platform compresses, for clients that accept it. The Worker itself compresses
 * nothing. The list is Cloudflare's (developers.cloudflare.com/speed/optimization/content/compression), which the local
 * runtime has too, without the types that this service never sends: fonts, icons, `multipart` and the like.
 */
const COMPRESSED_TYPES: ReadonlySet<string> = new Set([
  'application/javascript',
  'application/json',
  'application/ld+json',
  'application/manifest+json',
  'application/xhtml+xml',
  'application/xml',
  'image/svg+xml',
  'text/css',
  'text/html',
  'text/javascript',
  'text/plain',
  'text/xml',
])

/** Whether the platform compresses bodies with this Content-Type. */
export function isCompressed(contentType: string): boolean {
  const [mediaType = ''] = contentType.split(';')
  return COMPRESSED_TYPES.has(mediaType.trim().toLowerCase())
}

const ACCEPT_ENCODING = 'Accept-Encoding'

/**
 * Adds `Accept-Encoding` to the Vary of a response that the platform may compress. Without it, a cache would send the
 * compressed body to a client that does not accept it (RFC 9110, section 12.5.5).
 *
 * @param contentType Of the response. A 304 has the same Vary as the 200 (section 15.4.5), so for a 304 it is that of
 * the 200. Null if there is none
 */
export function varyByEncoding(headers: Headers, contentType: string | null): void {
  const vary = headers.get('Vary') ?? ''
  if (contentType === null || !isCompressed(contentType) || vary.includes(ACCEPT_ENCODING)) return
  headers.set('Vary', vary === '' ? ACCEPT_ENCODING : `${vary}, ${ACCEPT_ENCODING}`)
}
