import { EXAMPLE_ORIGIN } from '../domain/example-origin.ts'
import type { World } from '../domain/universe.ts'
import { keysOf } from '../lib/objects.ts'

/** A response header: its meaning, its schema, and an example value. */
interface HeaderSpec {
  description: string
  schema: { type: 'string' | 'integer'; format?: string; minimum?: number; pattern?: string }
  example: string
  /** Set if the OpenAPI document of API version 1.0.0 does not have the header. */
  since?: '2.0.0'
  /** Set for headers that only browsers use. HTML pages of other origins cannot read them. */
  hidden?: true
  /** Which responses have the header. If absent, only the responses that declare the header have it. */
  sent?: 'always' | 'in universes' | 'sometimes' | 'to preflights'
  /**
   * Where the published OpenAPI document declares the header: in every successful response, or in those that the routes
   * declare it for. Absent for headers that a client does not act on.
   */
  published?: 'everywhere' | 'where declared'
}

const count = { type: 'integer', minimum: 0 } as const
const text = { type: 'string' } as const

/** Registry: the response headers. It contains every header that the service sends, except those of the connection. */
export const HEADERS = {
  'X-Request-ID': {
    description: 'The id of the request: the X-Request-ID that the caller sent, if it is a UUID, otherwise a new UUID',
    schema: { type: 'string', format: 'uuid' },
    example: '123e4567-e89b-42d3-a456-426614174000',
    sent: 'always',
    published: 'everywhere',
  },
  Date: {
    description: 'When the response was made, as an HTTP-date',
    schema: text,
    example: 'Mon, 15 Jan 2024 14:30:00 GMT',
    sent: 'always',
  },
  'X-Processing-Time': {
    description: 'The time taken to process the request in milliseconds',
    schema: count,
    example: '4',
    sent: 'always',
    published: 'everywhere',
  },
  'Server-Timing': {
    description:
      'How long the request waited for the database, and how long it took in total, in milliseconds. The clock of the service only advances while it waits for something. Absent if a password may be checked.',
    schema: text,
    example: 'db;dur=3;desc="round trips: 1", total;dur=4',
    sent: 'sometimes',
  },
  'API-Version': {
    description: 'The API version of the response',
    schema: text,
    example: '2.0.0',
    sent: 'always',
  },
  'X-D1-Bookmark': {
    description:
      'The state of the database that this response reflects. Send it with a later request to make sure that no older state is used.',
    schema: text,
    example: '00000000-00000000-00000000-00000000000000000000000000000000',
    sent: 'sometimes',
  },
  'Cache-Control': {
    description: 'How long caches can keep the response',
    schema: text,
    example: 'no-store',
    sent: 'always',
  },
  'X-Cache-Control': {
    description: 'The same value as Cache-Control',
    schema: text,
    example: 'no-store',
    sent: 'always',
    published: 'everywhere',
  },
  Pragma: {
    description: 'Disables caching for HTTP/1.0 (RFC 6749, section 5.1)',
    schema: text,
    example: 'no-cache',
  },
  'Content-Length': { description: 'The size of the body in bytes', schema: count, example: '67' },
  Sunset: {
    description: 'When the universe ends, as an HTTP-date (RFC 8594)',
    schema: text,
    example: 'Fri, 16 Jan 2026 14:30:00 GMT',
    sent: 'in universes',
  },
  Vary: {
    description: 'The request headers that the response depends on',
    schema: text,
    example: 'Accept',
    sent: 'sometimes',
  },
  Accept: {
    description: 'The media types that the request body could have (RFC 9110, section 12.5.1)',
    schema: text,
    example: 'application/json, application/xml',
    published: 'where declared',
  },
  'Accept-Patch': {
    since: '2.0.0',
    description: 'The media types that a patch can have (RFC 5789, section 3.1)',
    schema: text,
    example: 'application/merge-patch+json, application/json-patch+json',
    published: 'where declared',
  },
  'Accept-Encoding': {
    description: 'The content codings that the request body can have (RFC 7694). It can also be uncompressed.',
    schema: text,
    example: 'gzip, deflate',
    published: 'where declared',
  },
  ETag: {
    description: 'The entity tag of this representation',
    schema: { type: 'string', pattern: '^"[!#-~]*"$' },
    example: '"1-json"',
    published: 'where declared',
  },
  'Last-Modified': {
    description: 'When the resource was last changed, as an HTTP-date',
    schema: text,
    example: 'Mon, 15 Jan 2024 14:30:00 GMT',
    published: 'where declared',
  },
  Location: {
    description: 'The URL of the created resource, or the target of a redirect',
    schema: { type: 'string', format: 'uri-reference' },
    example: `${EXAMPLE_ORIGIN}/planets/1`,
    published: 'where declared',
  },
  Link: {
    description:
      'Links to related pages (RFC 8288). A list has links to the first, previous, next and last page. The index and the API catalogue have links to the descriptions of the service (RFC 8631).',
    schema: text,
    example: '</planets?limit=10&offset=0>; rel="first", </planets?limit=10&offset=10>; rel="next"',
    published: 'where declared',
  },
  'X-Pagination-Total': {
    description: 'Total number of items available',
    schema: count,
    example: '5402',
    published: 'where declared',
  },
  'X-Pagination-Page': { description: 'Current page number', schema: count, example: '1', published: 'where declared' },
  'X-Pagination-Per-Page': {
    description: 'Number of items per page',
    schema: count,
    example: '10',
    published: 'where declared',
  },
  'X-RateLimit-Limit': {
    description: 'The number of attempts allowed in the current period',
    schema: count,
    example: '10',
    published: 'where declared',
  },
  'X-RateLimit-Remaining': {
    description: 'The number of attempts left in the current period',
    schema: count,
    example: '9',
    published: 'where declared',
  },
  'X-RateLimit-Reset': {
    description: 'The number of seconds left in the current period',
    schema: count,
    example: '60',
    published: 'where declared',
  },
  'RateLimit-Policy': {
    description:
      'The limit: its name, the number of attempts (q), and the length of the period in seconds (w), as a structured field (draft-ietf-httpapi-ratelimit-headers-11)',
    schema: text,
    example: '"passwords";q=10;w=60',
  },
  RateLimit: {
    description:
      'The name of the limit, the number of attempts left (r), and the number of seconds left in the current period (t), as a structured field (draft-ietf-httpapi-ratelimit-headers-11)',
    schema: text,
    example: '"passwords";r=9;t=60',
  },
  'Retry-After': {
    description: 'The number of seconds to wait before you try again',
    schema: count,
    example: '60',
    published: 'where declared',
  },
  'WWW-Authenticate': {
    description: 'The accepted schemes and why a credential was rejected (RFC 9110, section 11.6.1)',
    schema: text,
    example: 'Bearer realm="Galaxy"',
    published: 'where declared',
  },
  // `Upgrade` belongs to the connection, so no page needs it.
  Upgrade: { description: 'The protocol that the path requires', schema: text, example: 'websocket', hidden: true },
  Allow: {
    description: 'The methods that the path supports',
    schema: text,
    example: 'GET, HEAD, OPTIONS',
    published: 'where declared',
  },
  Deprecation: {
    description: 'The date since which the operation is deprecated (RFC 9745)',
    schema: text,
    example: '@1767225600',
    published: 'where declared',
  },
  'Preference-Applied': {
    description: 'The preferences of the request that were applied (RFC 7240)',
    schema: text,
    example: 'delay=2',
    sent: 'sometimes',
  },
  'Galaxy-Fault': {
    description:
      'In a universe: the rule that has decided the request, and what it did to the response, as a dictionary of structured fields (RFC 9651)',
    schema: text,
    example: 'rule="busy", attempt=3, action="status", applied',
    sent: 'sometimes',
    // Pages of other origins can read it where it is sent, see http/cross-origin.ts.
    hidden: true,
  },
  'Idempotency-Replayed': {
    description: 'true if this is the response to an earlier request with the same Idempotency-Key',
    schema: text,
    example: 'true',
    published: 'where declared',
  },
  'Accept-Query': {
    description: 'The media types of the content of QUERY (RFC 10008), as a list of a structured field (RFC 9651)',
    schema: text,
    example: 'application/json, application/x-www-form-urlencoded',
    sent: 'sometimes',
  },
  'Accept-Ranges': { description: 'The unit for range requests', schema: text, example: 'bytes' },
  'Content-Range': {
    description: 'The part that the body contains, and the total size',
    schema: text,
    example: 'bytes */67',
    published: 'where declared',
  },
  'Strict-Transport-Security': {
    description:
      'Tells browsers to use https only. Sent over https, and if the public address of the service has https (RFC 6797).',
    schema: text,
    example: 'max-age=15552000',
    sent: 'sometimes',
    hidden: true,
  },
  'X-Content-Type-Options': {
    description: 'Tells browsers to use the type in Content-Type and not to guess another one',
    schema: text,
    example: 'nosniff',
    sent: 'always',
    hidden: true,
  },
  'X-Frame-Options': {
    description: 'Tells browsers not to show the response in a frame',
    schema: text,
    example: 'DENY',
    sent: 'always',
    hidden: true,
  },
  'Referrer-Policy': {
    description: 'Tells browsers not to send the header Referer if the user follows a link on the page',
    schema: text,
    example: 'no-referrer',
    sent: 'always',
    hidden: true,
  },
  'Cross-Origin-Resource-Policy': {
    description: 'Lets other sites embed the response',
    schema: text,
    example: 'cross-origin',
    sent: 'always',
    hidden: true,
  },
  'Cross-Origin-Opener-Policy': {
    description: 'Isolates the page from the window that opened it, but not from popups that the page opens',
    schema: text,
    example: 'same-origin-allow-popups',
    hidden: true,
  },
  'X-Robots-Tag': {
    description: 'Tells search engines not to list the response',
    schema: text,
    example: 'noindex',
  },
  'Content-Security-Policy': {
    description: 'Limits what the page can do and load in a browser',
    schema: text,
    example: "default-src 'none'",
    hidden: true,
  },
  'Set-Cookie': {
    description: 'The secret that identifies the browser on the pages of this service',
    schema: text,
    example: '__Host-galaxy-browser=4f1c; Max-Age=43200; Path=/; HttpOnly; Secure; SameSite=Lax',
    hidden: true,
  },
  'Access-Control-Allow-Origin': {
    description: 'Lets pages of any origin call the service',
    schema: text,
    example: '*',
    sent: 'always',
    hidden: true,
  },
  'Access-Control-Expose-Headers': {
    description: 'The response headers that a page of another origin can read',
    schema: text,
    example: 'X-Request-ID',
    sent: 'always',
    hidden: true,
  },
  'Access-Control-Allow-Methods': {
    description: 'The methods that a page of another origin can use',
    schema: text,
    example: 'GET,HEAD,POST',
    sent: 'to preflights',
    hidden: true,
  },
  'Access-Control-Allow-Headers': {
    description: 'The request headers that a page of another origin can send',
    schema: text,
    example: 'Authorization,Content-Type',
    sent: 'to preflights',
    hidden: true,
  },
  'Access-Control-Max-Age': {
    description: 'How many seconds a browser can cache this response',
    schema: count,
    example: '86400',
    sent: 'to preflights',
    hidden: true,
  },
} as const satisfies Record<string, HeaderSpec>

export type HeaderName = keyof typeof HEADERS
export type HeaderExamples = Readonly<Partial<Record<HeaderName, string>>>

/** The headers that an HTML page of another origin may read. */
export const EXPOSED_HEADERS: readonly HeaderName[] = keysOf(HEADERS).filter((name) => !specOf(name).hidden)

export const COMMON_HEADERS: Readonly<Record<World, readonly HeaderName[]>> = {
  common: headersSent('always'),
  universe: [...headersSent('always'), ...headersSent('in universes')],
}

export const OCCASIONAL_HEADERS = headersSent('sometimes')
export const PREFLIGHT_HEADERS = headersSent('to preflights')

/** The headers of a 415: one of them, which says what the body could be (RFC 9110, section 15.5.16). */
export const UNSUPPORTED_HEADERS: readonly HeaderName[] = ['Accept', 'Accept-Encoding']

/** The headers that the published OpenAPI document declares, by where. */
export const PUBLISHED_HEADERS = {
  everywhere: headersPublished('everywhere'),
  'where declared': headersPublished('where declared'),
} as const

export const PAGINATION_HEADERS: readonly HeaderName[] = [
  'X-Pagination-Total',
  'X-Pagination-Page',
  'X-Pagination-Per-Page',
]

export const RATE_LIMIT_HEADERS: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
]

function headersSent(when: NonNullable<HeaderSpec['sent']>): readonly HeaderName[] {
  return keysOf(HEADERS).filter((name) => specOf(name).sent === when)
}

function headersPublished(where: NonNullable<HeaderSpec['published']>): readonly HeaderName[] {
  return keysOf(HEADERS).filter((name) => specOf(name).published === where)
}

export function specOf(name: HeaderName): HeaderSpec {
  return HEADERS[name]
}
