import type { ReachedLimit, ReachedUniverseLimit } from './limits.ts'
import { HOST_MAX } from './service-origin.ts'

export interface Fault {
  /** The JSON Pointer to the member (RFC 6901). */
  pointer: string
  detail: string
}

/** Why a run of the laboratory does not pass its gate: ids of cases. */
export interface GateLists {
  /** Cases that failed or were not finished. */
  unexpected: string[]
  /** Cases that were never called. */
  missing: string[]
  /** Cases that should fail, but passed. */
  stale: string[]
}

/** The ids that a new planet can have now. There is none if `from` is greater than `to`. */
export interface IdRange {
  from: number
  to: number
}

export interface ProblemSpec {
  /** Set if the OpenAPI document of API version 1.0.0 does not have the problem. */
  since?: '2.0.0'
  status: number
  title: string
  /** The explanation on the page of the problem. */
  meaning: string
  example: {
    detail: string
    fault?: Fault
    limit?: ReachedLimit
    universeLimit?: ReachedUniverseLimit
    gate?: GateLists
    idRange?: IdRange
  }
}

/** The text of every error about a suspended account, in problem documents and in OAuth errors. */
export const SUSPENDED_DETAIL = 'This account is suspended. Ask the operator of the service to end the suspension.'

/** The text of an error that a rule of a universe asks for. */
export const INJECTED_DETAIL = 'A rule of this universe (/universe/faults) asks for this response.'

/**
 * Registry: problems: code -> status, title, and the text of the page at its `type` URL. The code is the last segment
 * of that URL. The title is the same for all occurrences of a code (RFC 9457, section 3.1.3).
 */
export const PROBLEMS = {
  'bad-request': {
    status: 400,
    title: 'Bad Request',
    meaning: 'A request header has an invalid value. The detail names the header.',
    example: { detail: 'API-Version must be 2.0.0 or 1.0.0.' },
  },
  'invalid-idempotency-key': {
    status: 400,
    title: 'Invalid Idempotency-Key',
    meaning:
      'The header Idempotency-Key is too long or contains characters that are not allowed. The detail says which characters are allowed. Nothing was stored.',
    example: {
      detail:
        'Idempotency-Key must have 1 to 255 ASCII characters, with or without quotation marks around them. Commas, semicolons and spaces need the quotation marks.',
    },
  },
  'malformed-body': {
    status: 400,
    title: 'Malformed body',
    meaning:
      'The body could not be parsed as its Content-Type, or it has content that the service never accepts. Examples are broken JSON or XML, an incomplete form, bytes that are not UTF-8, too many levels or members, a name that is too long, and a character that is not allowed in texts. Nothing was stored.',
    example: { detail: 'The body is not valid JSON: unexpected character at position 9.' },
  },
  'invalid-body': {
    status: 400,
    title: 'Invalid body',
    meaning:
      'The body could be parsed, but members are missing or have invalid values. The member errors has one entry for each such member, with a JSON Pointer to the member. Nothing was stored.',
    example: {
      detail: 'The body has missing or invalid members.',
      fault: { pointer: '/name', detail: 'must have 1 to 200 characters' },
    },
  },
  'invalid-query': {
    status: 400,
    title: 'Invalid query',
    meaning:
      'A query parameter has an invalid value. The member errors has one entry for each invalid parameter. The pointer is the name of the parameter.',
    example: {
      detail: 'The query has invalid parameters.',
      fault: { pointer: '/limit', detail: 'must be an integer from 1 to 2^53 - 1' },
    },
  },
  'invalid-image': {
    status: 400,
    title: 'Invalid upload',
    meaning:
      'The form does not have exactly one file in the expected part, or the file is not a PNG, JPEG, GIF, WebP or AVIF image. The service detects the type from the content. It ignores the file name and the declared media type.',
    example: {
      detail: 'The content of the file is not a supported image. Supported types: PNG, JPEG, GIF, WebP and AVIF.',
    },
  },
  unauthorized: {
    status: 401,
    title: 'Authentication required or failed',
    meaning:
      'The request has no credential that the operation accepts, or none of its credentials is valid. WWW-Authenticate lists the accepted schemes and, if a credential was rejected, the reason.',
    example: { detail: 'The token has expired.' },
  },
  forbidden: {
    status: 403,
    title: 'Permission denied',
    meaning:
      'You are authenticated, but you are not allowed to do this. For example, only the creator of a planet can change it. The detail says why.',
    example: { detail: 'Only the creator of a planet can change it.' },
  },
  'insufficient-scope': {
    status: 403,
    title: 'Insufficient scope',
    meaning:
      'The credential is valid, but it does not have the scope that the operation requires. WWW-Authenticate names the scope. Get a token or an API key that has it.',
    example: { detail: 'This operation requires the scope write:planets, which the credential does not have.' },
  },
  'cross-site-request': {
    status: 403,
    title: 'Cross-site request',
    meaning:
      'Pages of other origins cannot change data with a cookie, because browsers send cookies with the requests of any page. An API key in a header works from any origin.',
    example: {
      detail:
        'Pages of other origins cannot change data with an API key in a cookie. Send the key in a header instead.',
    },
  },
  'account-suspended': {
    status: 403,
    title: 'Account suspended',
    meaning: 'The operator has suspended this account. Its credentials do not work until the suspension ends.',
    example: { detail: SUSPENDED_DETAIL },
  },
  'account-limit-reached': {
    status: 403,
    title: 'Account limit reached',
    meaning:
      'An account has limits for the number of planets and celestial bodies, their size in bytes, the number of images, their size in bytes, and the number of deliveries in its log. The member limit names the limit that the request would exceed, how much of it the account uses, and how much it can use. Nothing was stored. Delete something or make it smaller, then try again. The service removes deliveries from the log some time after they end.',
    example: {
      detail:
        'An account can have at most 1000 planets and celestial bodies. Yours has 1000, and this request would exceed the limit.',
      limit: { name: 'celestialBodies', used: 1000, allowed: 1000 },
    },
  },
  'universe-limit': {
    status: 403,
    title: 'Universe limit reached',
    meaning:
      'A universe has limits for the number of planets, users, inboxes, images, deliveries and runs of the laboratory, and for the size of its images in bytes. The member limit names the limit that the request would exceed, used is how much of it the universe uses, and allowed is how much it can use. Nothing was stored. Delete something, or reset the universe, then try again.',
    example: {
      detail: 'A universe can have at most 1000 users. This one has 1000, and this request would exceed the limit.',
      universeLimit: { limit: 'users', used: 1000, allowed: 1000 },
    },
  },
  'universes-off': {
    status: 403,
    title: 'No new universes',
    meaning: 'This deployment does not make universes.',
    example: { detail: 'This deployment does not make universes.' },
  },
  'signup-closed': {
    status: 403,
    title: 'Sign-up closed',
    meaning: 'This deployment does not accept new accounts.',
    example: { detail: 'This deployment does not accept new accounts.' },
  },
  'not-found': {
    status: 404,
    title: 'Not Found',
    meaning: 'Nothing exists at this path. Either the path is unknown, or the resource was deleted.',
    example: { detail: 'There is no planet with this id.' },
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method Not Allowed',
    meaning: 'The path exists, but it does not support this method. Allow lists the supported methods.',
    example: { detail: 'Method not allowed. Allowed methods: GET, HEAD, OPTIONS.' },
  },
  'not-acceptable': {
    status: 406,
    title: 'Not Acceptable',
    meaning: 'The service cannot send any of the media types in the Accept header.',
    example: {
      detail: 'None of the media types in Accept is available. Available: application/json, application/xml.',
    },
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    meaning:
      'The request conflicts with the stored data. There are four possible reasons. Something that can exist only once already exists, for example an account with the same e-mail address, in upper or lower case. A maximum number is reached. The current state does not allow the operation. Or other requests kept changing the resource for five seconds. Nothing was stored. The detail names the reason. If other requests changed the resource, send the request again.',
    example: {
      detail: 'An account with this e-mail address already exists.',
      fault: { pointer: '/email', detail: 'already belongs to an account' },
    },
  },
  'patch-conflict': {
    since: '2.0.0',
    status: 409,
    title: 'Patch conflict',
    meaning:
      'The patch does not fit the current state of the resource: an operation needs something that does not exist, or a test found another value. The detail says which operation failed, and errors has a JSON Pointer to the place in the resource. No operation of the patch was carried out.',
    example: {
      detail: 'The operation at /0 of the patch does not fit the current state. Nothing was stored.',
      fault: { pointer: '/name', detail: 'has another value' },
    },
  },
  'destination-unavailable': {
    since: '2.0.0',
    status: 409,
    title: 'Destination unavailable',
    meaning:
      'There is no planet with the id that the header Destination names, and a new planet cannot have this id. A new id is above all ids that were given so far, by at most 1,000, and is at most 10,000,000. The members from and to are the first and the last id that a new planet can have now. Nothing was stored.',
    example: {
      detail:
        'A new planet can have an id from 5403 to 6402 now. With the Destination /planets, the service chooses it.',
      idRange: { from: 5403, to: 6402 },
    },
  },
  'request-in-progress': {
    status: 409,
    title: 'Request in progress',
    meaning:
      'A request with the same Idempotency-Key has not ended yet. This request was not carried out. Send it again in a moment. If the first request succeeded, you get its response. If the first request failed, the new request is carried out.',
    example: {
      detail: 'A request with this Idempotency-Key is still in progress. Send this request again in a moment.',
    },
  },
  'universe-ended': {
    status: 410,
    title: 'Universe ended',
    meaning:
      'The universe at this address has ended, and everything in it is gone. A universe ends if nobody uses it for as many hours as its maker chose. It also ends at a time that its owner has set, at the age of seven days, or if its owner or the operator ends it. No other universe gets its address. For 30 days, every request to it gets this problem. After that, the address is an unknown path (404).',
    example: { detail: 'This universe has ended. Make a new one with POST /universes in the common world.' },
  },
  'precondition-failed': {
    status: 412,
    title: 'Precondition Failed',
    meaning:
      'The resource does not match If-Match or If-Unmodified-Since, because it has changed since you read it. Fetch it again, then decide what to do. Or a planet would be copied over another one although Overwrite is F.',
    example: { detail: 'The resource has changed since you read it. Fetch it again and retry.' },
  },
  'content-too-large': {
    status: 413,
    title: 'Content Too Large',
    meaning:
      'The body or the file, or what a compressed body decodes to, is larger than the operation accepts. The detail contains the limit in bytes.',
    example: { detail: 'The body can have at most 262144 bytes.' },
  },
  'uri-too-long': {
    status: 414,
    title: 'URI Too Long',
    meaning: 'The query of the URL has more than 8,192 bytes.',
    example: {
      detail: 'The query of the URL can have at most 8192 bytes. Send a longer one as the content of QUERY /planets.',
    },
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported Media Type',
    meaning:
      'The operation does not support the Content-Type or the Content-Encoding of the body. The detail says what it supports.',
    example: { detail: 'Unsupported media type: text/plain. Supported: application/json, application/xml.' },
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'Range Not Satisfiable',
    meaning:
      'The Range header requests bytes that the image does not have. Content-Range contains the size of the image.',
    example: {
      detail:
        'The header Range requests no bytes of the image, which has 67 bytes. Request bytes from 0 to 66, or remove the header.',
    },
  },
  'unprocessable-content': {
    status: 422,
    title: 'Unprocessable Content',
    meaning:
      'The request is well-formed, but what it asks for is not possible. Either the new password cannot be used: it has fewer than 6 or more than 256 characters, or it is the e-mail address. Or a patch would make the resource invalid: the member errors then has JSON Pointers into the patched resource. Nothing was stored.',
    example: {
      detail: 'This password cannot be used.',
      fault: { pointer: '/password', detail: 'must have 6 to 256 characters' },
    },
  },
  'lab-gate': {
    since: '2.0.0',
    status: 422,
    title: 'Gate not passed',
    meaning:
      'The run of the laboratory does not pass its gate. The members are lists of ids of cases. unexpected: cases that failed or were begun and not finished. missing: cases that were never called. stale: cases that the run expects to fail, but that passed, so they do not belong in expect any more. All three are empty if no case was judged: a client that sends nothing never passes.',
    example: {
      detail: 'The run does not pass: 1 unexpected, 1 missing, 0 stale.',
      gate: { unexpected: ['query/reserved'], missing: ['body/int32'], stale: [] },
    },
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'Idempotency-Key reused',
    meaning:
      'Another request of yours was sent with the same Idempotency-Key in the last 24 hours. Requests with the same key must have the same method, URL, media types and body, and a credential that is at least as strong as the first one. This request was not carried out.',
    example: {
      detail:
        'Another request was sent with this Idempotency-Key. A retry must be the same request. Send a new key with a new request.',
    },
  },
  'upgrade-required': {
    status: 426,
    title: 'Upgrade Required',
    meaning:
      'This path opens WebSockets only. The request is not a handshake (RFC 6455, section 4.1): it has no header Upgrade with the value websocket.',
    example: {
      detail:
        'This path opens WebSockets only. Use a WebSocket client, which sends GET with the header Upgrade: websocket.',
    },
  },
  'too-many-requests': {
    status: 429,
    title: 'Too Many Requests',
    meaning: 'A rate limit was reached. Retry-After contains the number of seconds until the next attempt can succeed.',
    example: { detail: 'Too many attempts. Try again in 60 seconds.' },
  },
  'internal-error': {
    status: 500,
    title: 'Internal Server Error',
    meaning:
      'An unexpected error occurred in the service. The member instance contains the request id. With it, the operator can find the error in the logs.',
    example: { detail: 'An unexpected error occurred in the service. The request id helps the operator to find it.' },
  },
  injected: {
    since: '2.0.0',
    status: 500,
    title: 'Injected fault',
    meaning:
      'The owner of this universe has set a rule by which this request fails, so that a client can be tested. The status is the one that the rule names, from 400 to 599. Nothing was read or changed.',
    example: { detail: INJECTED_DETAIL },
  },
  'service-unavailable': {
    status: 503,
    title: 'Service Unavailable',
    meaning:
      'The database, the store of images, the provider of an external token or another part that the request needs is temporarily unavailable, or the service is checking too many passwords at once. Retry-After contains the number of seconds to wait before you try again. If the request was a write, it may have succeeded, so read the resource first.',
    example: { detail: 'The database is temporarily unavailable. Try again shortly.' },
  },
} as const satisfies Record<string, ProblemSpec>

/** The code of a problem: the last segment of its `type` URL. */
export type ProblemCode = keyof typeof PROBLEMS

export interface ReachedRateLimit {
  /** The name of the limit, and the user or client address whose requests it counts. */
  key: string
  /** The maximum number of requests in the window. */
  limit: number
  windowSeconds: number
}

export interface ProblemOptions {
  /** One entry for each member of the input that is not valid. */
  faults?: readonly Fault[]
  /** The limit of the account that was reached. */
  limit?: ReachedLimit
  universeLimit?: ReachedUniverseLimit
  /** Why a run of the laboratory does not pass its gate. */
  gate?: GateLists
  /** The ids that a new planet can have. */
  idRange?: IdRange
  /** The rate limit that was reached. The response does not contain it. */
  rateLimit?: ReachedRateLimit
  /** Headers of the response, such as WWW-Authenticate or Allow. */
  headers?: Readonly<Record<string, string>>
}

/** An error for the caller. `http/errors/problem.ts` renders it. Callers see no other error except an OAuthError. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: ProblemCode
  readonly faults: readonly Fault[]
  readonly limit: ReachedLimit | undefined
  readonly universeLimit: ReachedUniverseLimit | undefined
  readonly gate: GateLists | undefined
  readonly idRange: IdRange | undefined
  readonly rateLimit: ReachedRateLimit | undefined
  readonly headers: Readonly<Record<string, string>>

  /** @param detail Sentences for the caller: what is wrong in this case, and what the caller can do */
  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail)
    this.code = code
    this.faults = options.faults ?? []
    this.limit = options.limit
    this.universeLimit = options.universeLimit
    this.gate = options.gate
    this.idRange = options.idRange
    this.rateLimit = options.rateLimit
    this.headers = options.headers ?? {}
  }
}

/** Contains the value that was read from the body, to send it to the `failureCallbackUrl` of a rejected planet. */
export class RefusedBody extends ProblemError {
  readonly sentBody: unknown

  constructor(code: ProblemCode, detail: string, faults: readonly Fault[], sentBody: unknown) {
    super(code, detail, { faults })
    this.sentBody = sentBody
  }
}

export function unknownPath(): ProblemError {
  return new ProblemError('not-found', 'This path does not exist.')
}

export function planetNotFound(): ProblemError {
  return new ProblemError('not-found', 'There is no planet with this id.')
}

/** What a caller reads if there is no universe at an address. */
export const NO_UNIVERSE = 'There is no universe at this address. POST /universes creates one.'

/** The error for a path of a universe that does not exist. */
export function noUniverse(): ProblemError {
  return new ProblemError('not-found', NO_UNIVERSE)
}

/** The error for a request whose Host cannot be part of a URL. */
export function unusableHost(): ProblemError {
  return new ProblemError(
    'bad-request',
    `The Host header is not a valid host name or address, or it is longer than ${HOST_MAX} characters.`,
  )
}

/** The error for a method that a path does not support. */
export function methodNotAllowed(allowed: readonly string[]): ProblemError {
  const methods = allowed.join(', ')
  return new ProblemError('method-not-allowed', `Method not allowed. Allowed methods: ${methods}.`, {
    headers: { Allow: methods },
  })
}
