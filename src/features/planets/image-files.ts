import { Hono } from 'hono'
import { isWanted } from '../../http/conditions.ts'
import type { HonoEnv } from '../../http/context.ts'
import { type ByteRange, parseByteRange } from '../../lib/byte-range.ts'
import { ProblemError, unknownPath } from '../../lib/errors.ts'
import { EXTENSIONS } from './sniff-image.ts'

const YEAR_SECONDS = 365 * 24 * 60 * 60
// A key is never used twice, so what it names never changes.
const CACHE_CONTROL = `public, max-age=${YEAR_SECONDS}, immutable`

/** The uploaded images as files. Their bytes are a stranger's: nothing in them may run in a browser. */
export const imageFiles = new Hono<HonoEnv>()

imageFiles.get(`/images/:key{[0-9a-f-]{36}\\.(?:${EXTENSIONS.join('|')})}`, async (c) => {
  const request = c.req.raw.headers
  const object = await c.env.bucket.head(c.req.param('key'))
  if (!object) throw unknownPath()
  const headers = headersOf(object)
  const validators = { etag: object.httpEtag, lastModified: object.uploaded }
  // A range is looked at only after the conditions (RFC 9110, section 13.2.2).
  if (!isWanted(request, validators)) return new Response(null, { status: 304, headers })
  if (c.req.method === 'HEAD') return new Response(null, { headers })
  const range = findRange(request, object)
  const stored = await c.env.bucket.get(object.key, range ? { range } : {})
  if (!stored) throw unknownPath()
  if (!range) return new Response(stored.body, { headers })
  headers.set('Content-Length', String(range.length))
  headers.set('Content-Range', `bytes ${range.offset}-${range.offset + range.length - 1}/${object.size}`)
  return new Response(stored.body, { status: 206, headers })
})

function headersOf(object: R2Object): Headers {
  const headers = new Headers({
    'Cache-Control': CACHE_CONTROL,
    'X-Cache-Control': CACHE_CONTROL,
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Content-Length': String(object.size),
    'Accept-Ranges': 'bytes',
    ETag: object.httpEtag,
    'Last-Modified': object.uploaded.toUTCString(),
  })
  object.writeHttpMetadata(headers)
  return headers
}

/**
 * Finds the part of an image that a Range header asks for (RFC 9110, section 14.2).
 *
 * @returns Undefined where the whole is to be sent, as where the image is not the one that `If-Range` means
 * @throws ProblemError 416
 */
function findRange(request: Headers, { httpEtag, size }: R2Object): ByteRange | undefined {
  if ((request.get('If-Range') ?? httpEtag) !== httpEtag) return undefined
  const range = parseByteRange(request.get('Range') ?? '', size)
  if (range === 'unsatisfiable') {
    throw new ProblemError('range-not-satisfiable', `The image has ${size} bytes.`, {
      headers: { 'Content-Range': `bytes */${size}` },
    })
  }
  return range === 'whole' ? undefined : range
}
