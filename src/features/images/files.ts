import { Hono } from 'hono'
import type { HonoEnv } from '../../http/context.ts'
import { unknownPath } from '../../http/mount.ts'
import { ProblemError } from '../../lib/errors.ts'
import { EXTENSIONS } from './sniff.ts'

const YEAR_SECONDS = 365 * 24 * 60 * 60
// A key is never used twice, so what it names never changes.
const CACHE_CONTROL = `public, max-age=${YEAR_SECONDS}, immutable`

/** The uploaded images as files. Their bytes are a stranger's: nothing in them may run in a browser. */
export const imageFiles = new Hono<HonoEnv>()

imageFiles.get(`/images/:key{[0-9a-f-]{36}\\.(?:${EXTENSIONS.join('|')})}`, async (c) => {
  const request = c.req.raw.headers
  const object = await readObject(c.env.bucket, c.req.param('key'), request)
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
  const range = request.has('Range') ? resolveRange(object) : undefined
  headers.set('Content-Length', String(range?.length ?? object.size))
  if (!range) return new Response(object.body, { headers })
  headers.set('Content-Range', `bytes ${range.offset}-${range.offset + range.length - 1}/${object.size}`)
  return new Response(object.body, { status: 206, headers })
})

/**
 * Reads an object as the request's Range and conditions ask (RFC 9110, sections 13 and 14); R2 judges both.
 *
 * @returns The object, without a body where a condition says not to send it
 * @throws ProblemError 404, 416
 */
async function readObject(bucket: R2Bucket, key: string, headers: Headers): Promise<R2Object | R2ObjectBody> {
  try {
    const object = await bucket.get(key, { range: headers, onlyIf: headers })
    if (object) return object
  } catch (error) {
    const whole = await bucket.head(key)
    if (!whole || !headers.has('Range')) throw error
    throw new ProblemError('range-not-satisfiable', `The image has ${whole.size} bytes.`, {
      headers: { 'Content-Range': `bytes */${whole.size}` },
    })
  }
  throw unknownPath()
}

/** Whether a failed condition was one of reading: the caller has the image already. */
function isRead(headers: Headers): boolean {
  return headers.has('If-None-Match') || headers.has('If-Modified-Since')
}

function resolveRange({ range, size }: R2ObjectBody): { offset: number; length: number } | undefined {
  if (!range) return undefined
  if ('suffix' in range) return { offset: Math.max(size - range.suffix, 0), length: Math.min(range.suffix, size) }
  const offset = range.offset ?? 0
  return { offset, length: Math.min(range.length ?? size, size - offset) }
}
