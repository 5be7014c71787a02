import type { ReachedLimit } from './account-limits.ts'

/** A failure of one member of the input: where it is (RFC 6901 JSON Pointer) and what is wrong with it. */
export interface Fault {
  pointer: string
  detail: string
}

interface ProblemSpec {
  status: number
  title: string
  meaning: string
  /** What could be said of one occurrence. */
  example: { detail: string; fault?: Fault; limit?: ReachedLimit }
}

/**
 * THE table of problems: code -> status, title and what the page of its `type` URL says. The code is the last segment of
 * that URL. A title belongs to the code, not to the occurrence (RFC 9457, section 3.1.3).
 */
export const PROBLEMS = {
  'bad-request': {
    status: 400,
    title: 'Bad Request',
    meaning: 'A header of the request has a value that cannot be used. The detail names the header.',
    example: { detail: 'API-Version can be 2.0.0 or 1.0.0.' },
  },
  'malformed-body': {
    status: 400,
    title: 'The body cannot be read',
    meaning:
      'The body is not what its Content-Type says: broken JSON or XML, a form that is cut off, bytes that are not UTF-8, more levels, members or characters of a name than any body needs, or a character that no text here may contain. Nothing was stored.',
    example: { detail: 'The body is not valid JSON: unexpected character at position 9.' },
  },
  'invalid-body': {
    status: 400,
    title: 'The body is not valid',
    meaning:
      'The body can be read, but members are missing or hold what they may not. The member errors has one entry for each, with a JSON Pointer to it. Nothing was stored.',
    example: {
      detail: 'The body has members that are missing or not valid.',
      fault: { pointer: '/name', detail: 'must have 1 to 200 characters' },
    },
  },
  'invalid-query': {
    status: 400,
    title: 'The query is not valid',
    meaning:
      'A query parameter holds what it may not. The member errors has one entry for each; the pointer is its name.',
    example: {
      detail: 'The query has parameters that are not valid.',
      fault: { pointer: '/limit', detail: 'must be an integer from 1 to 2^53 - 1' },
    },
  },
  'invalid-image': {
    status: 400,
    title: 'The upload is not valid',
    meaning:
      'The form has no single file in its part, or the file is no PNG, JPEG, GIF, WebP or AVIF. What counts is its bytes, not its name or label.',
    example: { detail: 'The file is no image that this takes: PNG, JPEG, GIF, WebP or AVIF, told by its bytes.' },
  },
  unauthorized: {
    status: 401,
    title: 'Authentication required or failed',
    meaning:
      'No credential was sent that this accepts, or none of those sent is valid. WWW-Authenticate says which schemes are accepted and, for one that was refused, why.',
    example: { detail: 'The token has expired.' },
  },
  forbidden: {
    status: 403,
    title: 'Permission denied',
    meaning:
      'The caller is known, but may not do this: only its creator may change a planet, and only a user who knows the password may change it. To delete an account, the request has to prove that the user is there: the detail says how.',
    example: { detail: 'Only its creator may change a planet.' },
  },
  'insufficient-scope': {
    status: 403,
    title: 'The scope does not suffice',
    meaning:
      'The credential is valid, but was not given what this needs. WWW-Authenticate names the scope; get a token or a key that has it.',
    example: { detail: 'This needs the scope write:planets, which the credential does not have.' },
  },
  'cross-site-request': {
    status: 403,
    title: 'A page of another origin',
    meaning:
      'The credential is a cookie, which a browser sends along whoever wrote the page; so with it pages of other origins may not change anything. A key in a header may be used from anywhere.',
    example: {
      detail:
        'A page of another origin may not change anything with the cookie of a browser. Send the key in a header.',
    },
  },
  'account-suspended': {
    status: 403,
    title: 'The account is suspended',
    meaning: 'The operator has suspended this account. Its credentials have no effect until that ends.',
    example: { detail: 'This account is suspended.' },
  },
  'account-limit-reached': {
    status: 403,
    title: 'The account is full',
    meaning:
      'An account may only store so much: planets and celestial bodies, their bytes, images, their bytes, and deliveries in its log. The member limit names the limit that the request would exceed, with what the account uses and what it may use. Nothing was stored. Delete something, or make it smaller, and try again; deliveries leave the log by themselves some time after their end.',
    example: {
      detail: 'An account may have 1000 planets and celestial bodies. Yours has 1000, and there is no room for this.',
      limit: { name: 'celestialBodies', used: 1000, allowed: 1000 },
    },
  },
  'signup-closed': {
    status: 403,
    title: 'Sign-up is closed',
    meaning: 'This deployment takes no new accounts.',
    example: { detail: 'This deployment takes no new accounts.' },
  },
  'not-found': {
    status: 404,
    title: 'Not Found',
    meaning: 'There is nothing at this path: it is unknown, or what was there is gone.',
    example: { detail: 'There is no planet with this id.' },
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method Not Allowed',
    meaning: 'The path exists, but not with this method. Allow lists those that it has.',
    example: { detail: 'This path has the methods GET, HEAD, OPTIONS.' },
  },
  'not-acceptable': {
    status: 406,
    title: 'Not Acceptable',
    meaning: 'The service can send none of the media types in the Accept header.',
    example: {
      detail: 'None of the accepted media types can be sent. This sends application/json or application/xml.',
    },
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    meaning:
      'The request contradicts what is stored: the e-mail address of a sign-up belongs to an account already, in whatever case it is written, or the account has a subscription to the same URL, or there are as many API keys, clients or subscriptions as an account may have, or a delivery cannot be made again as things stand, or others have changed the same thing before each of five attempts. Nothing was stored. The detail says which; after the last, send the request again.',
    example: {
      detail: 'There is an account with this e-mail address.',
      fault: { pointer: '/email', detail: 'belongs to an account' },
    },
  },
  'precondition-failed': {
    status: 412,
    title: 'Precondition Failed',
    meaning:
      'What is there is not what If-Match or If-Unmodified-Since says: somebody has changed it since it was read. Read it again, then decide.',
    example: { detail: 'What is there is not what you have seen. Read it again.' },
  },
  'content-too-large': {
    status: 413,
    title: 'Content Too Large',
    meaning: 'The body or the file is larger than this takes. The detail says the limit in bytes.',
    example: { detail: 'The body may have 262144 bytes at most.' },
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported Media Type',
    meaning:
      'The Content-Type or the Content-Encoding of the body is none that this takes. The detail names those it does.',
    example: { detail: 'This does not take a body of type text/plain. Send application/json or application/xml.' },
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'Range Not Satisfiable',
    meaning: 'The Range header asks for bytes that the image does not have. Content-Range says how many there are.',
    example: { detail: 'The image has 67 bytes.' },
  },
  'unprocessable-content': {
    status: 422,
    title: 'Unprocessable Content',
    meaning:
      'The request is well formed but cannot be used: a new password has fewer than 6 or more than 256 characters, or is the e-mail address.',
    example: {
      detail: 'This password cannot be used.',
      fault: { pointer: '/password', detail: 'must have 6 to 256 characters' },
    },
  },
  'too-many-requests': {
    status: 429,
    title: 'Too Many Requests',
    meaning: 'A rate limit is reached. Retry-After says in how many seconds the next attempt can succeed.',
    example: { detail: 'Too many attempts. The next can be made in 60 seconds.' },
  },
  'internal-error': {
    status: 500,
    title: 'Internal Server Error',
    meaning:
      'Something went wrong on our side. The instance has the request id, by which the operator finds it in the logs.',
    example: { detail: 'This is our fault. The request id helps us to find it.' },
  },
  'service-unavailable': {
    status: 503,
    title: 'Service Unavailable',
    meaning:
      'The database, or the provider of a foreign token, cannot answer at the moment, or too many passwords are being checked. Retry-After says in how many seconds to try again. What a write was to change may have changed: read it first.',
    example: { detail: 'The database cannot answer at the moment. Try again shortly.' },
  },
} as const satisfies Record<string, ProblemSpec>

export type ProblemCode = keyof typeof PROBLEMS

interface ProblemOptions {
  /** One entry for each failure of the input. */
  faults?: readonly Fault[]
  /** The limit of the account that is reached. */
  limit?: ReachedLimit
  /** Response headers that belong to this answer, such as WWW-Authenticate or Allow. */
  headers?: Readonly<Record<string, string>>
}

/** The one error class of the service: everything that the caller can be told. `http/problem.ts` renders it. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: ProblemCode
  readonly faults: readonly Fault[]
  readonly limit: ReachedLimit | undefined
  readonly headers: Readonly<Record<string, string>>

  /** @param detail What went wrong this time and what the caller can do, in a sentence. */
  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail)
    this.code = code
    this.faults = options.faults ?? []
    this.limit = options.limit
    this.headers = options.headers ?? {}
  }
}

/** A body that was refused, with what was sent, as far as it could be read: somebody may want to be told. */
export class RefusedBody extends ProblemError {
  readonly sent: unknown

  constructor(code: ProblemCode, detail: string, faults: readonly Fault[], sent: unknown) {
    super(code, detail, { faults })
    this.sent = sent
  }
}

export function unknownPath(): ProblemError {
  return new ProblemError('not-found', 'There is nothing at this path.')
}
