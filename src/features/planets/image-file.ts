import * as z from 'zod'
import { doc } from '#doc'
import { ProblemError, unknownPath } from '../../domain/problems.ts'
import { isRepresentationWanted, isSameRepresentation, makeLastingValidators } from '../../http/conditions.ts'
import { FileBody, reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { type ByteRange, parseByteRange } from '../../lib/http.ts'
import { EXTENSIONS, MIME_TYPES } from '../../lib/sniff-image.ts'

const YEAR_SECONDS = 365 * 24 * 60 * 60
// A key is never reused, so the image that it names never changes.
const CACHE_CONTROL = `public, max-age=${YEAR_SECONDS}, immutable`

// The key is a UUID with an extension.
const ImagePath = z.object({
  key: z
    .string()
    .regex(new RegExp(`^[0-9a-f-]{36}\\.(?:${EXTENSIONS.join('|')})$`))
    .meta({ description: doc('The file name of the image'), examples: ['6f1b3f0e-8f5c-4f0e-9d0a-3c1f0b6f2a11.png'] }),
})

const HEADERS = [
  'X-Robots-Tag',
  'ETag',
  'Last-Modified',
  'Accept-Ranges',
  'Content-Length',
  'Content-Security-Policy',
] as const

/** An uploaded image as a file. Its bytes are not trusted, so nothing in them may run in a browser. */
export const imageFile = defineRoute({
  method: 'get',
  path: '/images/{key}',
  operationId: 'getImage',
  tag: 'Planets',
  summary: 'Get an image',
  description: doc(
    'Returns an uploaded image, or the part of it that `Range` requests. An image never changes, so caches can keep it for a year.',
  ),
  since: '2.0.0',
  security: [],
  params: ImagePath,
  responses: {
    200: { description: doc('The image'), files: MIME_TYPES, headers: HEADERS },
    206: {
      description: doc('The requested part of the image'),
      files: MIME_TYPES,
      headers: [...HEADERS, 'Content-Range'],
    },
    304: { description: doc('The image has not changed'), headers: HEADERS },
  },
  problems: ['precondition-failed', 'range-not-satisfiable'],
  async handle({ params }, { services: { bucket }, headers: requestHeaders, method, now }) {
    const object = await bucket.head(params.key)
    if (!object) throw unknownPath()
    const mimeType = object.httpMetadata?.contentType ?? ''
    const headers = fileHeaders(object)
    const [etag, lastModified] = [object.httpEtag, object.uploaded]
    const validators = makeLastingValidators({ etag, lastModified })
    // Conditions are evaluated before a range (RFC 9110, section 13.2.2).
    if (!isRepresentationWanted(requestHeaders, validators, now)) return reply(304, undefined, headers)
    // Only GET has ranges (RFC 9110, section 14.2).
    if (method === 'HEAD') return reply(200, new FileBody(mimeType, null), headers)
    const isSame = isSameRepresentation(requestHeaders, { ...validators, lastModified }, now)
    const range = isSame ? findRange(requestHeaders, object.size) : undefined
    const storedFile = await bucket.get(params.key, range ? { range } : {})
    // The image may have been deleted since `head`.
    if (!storedFile) throw unknownPath()
    const body = new FileBody(mimeType, storedFile.body)
    if (!range) return reply(200, body, headers)
    const { offset, length } = range
    const lastByte = offset + length - 1
    const contentRange = `bytes ${offset}-${lastByte}/${object.size}`
    return reply(206, body, { ...headers, 'Content-Length': String(length), 'Content-Range': contentRange })
  },
})

/** The headers of all responses about an image: 200, 206 and 304. */
function fileHeaders(object: R2Object): Record<string, string> {
  return {
    'Cache-Control': CACHE_CONTROL,
    // Otherwise, search engines would show uploads of strangers as images of this service.
    'X-Robots-Tag': 'noindex',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Content-Length': String(object.size),
    'Accept-Ranges': 'bytes',
    ETag: object.httpEtag,
    'Last-Modified': object.uploaded.toUTCString(),
  }
}

/**
 * Finds the part of an image that a Range header asks for (RFC 9110, section 14.2).
 *
 * @returns Undefined if the whole image must be sent
 * @throws ProblemError 416 if the range is outside the image
 */
function findRange(requestHeaders: Headers, size: number): ByteRange | undefined {
  const range = parseByteRange(requestHeaders.get('Range') ?? '', size)
  if (range === 'unsatisfiable') {
    throw new ProblemError(
      'range-not-satisfiable',
      `The header Range requests no bytes of the image, which has ${size} bytes. Request bytes from 0 to ${size - 1}, or remove the header.`,
      { headers: { 'Content-Range': `bytes */${size}` } },
    )
  }
  return range === 'whole' ? undefined : range
}
