import { Hono } from 'hono'
import type { HonoEnv } from '../../http/context.ts'
import { unknownPath } from '../../http/mount.ts'
import { type ByteRange, parseByteRange } from '../../lib/byte-range.ts'
import { ProblemError } from '../../lib/errors.ts'
import { EXTENSIONS } from './sniff.ts'

const YEAR_SECONDS = 365 * 24 * 60 * 60
// A key is never used twice, so what it names never changes.
const CACHE_CONTROL = `public, max-age=${YEAR_SECONDS}, immutable`

/** The uploaded images as files. Their bytes are a stranger's: nothing in them may run in a browser. */
export const imageFiles = new Hono<HonoEnv>()

imageFiles.get(`/images/:key{[0-9a-f-]{36}\\.(?:${EXTENSIONS.join('|')})}`, async (c) => {
  const request = c.req.raw.headers
  const key = c.req.param('key')
  const part = request.has('Range') ? await findPart(c.env.bucket, key, request) : undefined
  const object = await c.env.bucket.get(key, { onlyIf: request, ...(part && { range: part }) })
  if (!object) throw unknownPath()
  const headers = new Headers({
    'Cache-Control': CACHE_CONTROL,
    'X-Cache-Control': CACHE_CONTROL,
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Accept-Ranges': 'bytes',
    ETag: object.httpEtag,
    'Last-Modified': object.uploaded.toUTCString(),
  })
  if (!('body' in object)) return new Response(null, { status: isRead(request) ? 304 : 412, headers })
  object.writeHttpMetadata(headers)
  headers.set('Content-Length', String(part?.length ?? object.size))
  if (!part) return new Response(object.body, { headers })
  headers.set('Content-Range', `bytes ${part.offset}-${part.offset + part.length - 1}/${object.size}`)
  return new Response(object.body, { status: 206, headers })
})

/**
 * Finds the part of an image that a Range header asks for (RFC 9110, section 14.2).
 *
 * @returns Undefined where the whole is to be sent: several ranges, an unknown unit, an `If-Range` that no longer holds
 * @throws ProblemError 404, 416
 */
async function findPart(bucket: R2Bucket, key: string, headers: Headers): Promise<ByteRange | undefined> {
  const object = await bucket.head(key)
  if (!object) throw unknownPath()
  const holds = headers.get('If-Range') ?? object.httpEtag
  if (holds !== object.httpEtag) return undefined
  const range = parseByteRange(headers.get('Range') ?? '', object.size)
  if (range === 'unsatisfiable') {
    throw new ProblemError('range-not-satisfiable', `The image has ${object.size} bytes.`, {
      headers: { 'Content-Range': `bytes */${object.size}` },
    })
  }
  return range === 'whole' ? undefined : range
}

/** Whether a failed condition was one of reading: the caller has the image already. */
function isRead(headers: Headers): boolean {
  return headers.has('If-None-Match') || headers.has('If-Modified-Since')
}
