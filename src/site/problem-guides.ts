import type { ProblemCode } from '../domain/problems.ts'
import type { Method } from '../http/pipeline/route.ts'

/** The texts on the page of a problem, except its meaning (domain/problems.ts). */
export interface ProblemGuide {
  /** The usual causes, as sentences. Names of headers, members and values are between backticks. */
  causes: readonly string[]
  /** What the caller can do, in the same form. */
  remedies: readonly string[]
  standard: Standard
  /** A request that gets this problem; absent for `universe-ended`, because an ended universe has no pages, and for `injected`. */
  provocation?: Provocation
}

/** A section of an RFC, which defines the status or the error. */
interface Standard {
  rfc: number
  section: string
}

/**
 * A request without a body that gets a problem. If `isReal` is set, the request itself is wrong. Otherwise, the header
 * `Prefer` requests the example of the problem.
 */
export interface Provocation {
  method: Method
  path: string
  isReal?: true
}

/** A section of HTTP Semantics. */
const http = (section: string): Standard => ({ rfc: 9110, section })

/**
 * Registry: the text of the page of each problem. The build writes it into a file, so the Worker imports only the
 * types.
 */
export const PROBLEM_GUIDES: Readonly<Record<ProblemCode, ProblemGuide>> = {
  'bad-request': {
    causes: [
      '`API-Version` names a version that does not exist.',
      '`Prefer` asks for a status that the operation does not document, or for a delay that is not a number.',
      '`X-D1-Bookmark` or `Host` has a value that cannot be read.',
    ],
    remedies: [
      'Read `detail`: it names the header and the values that are possible.',
      'Correct the header or leave it out.',
    ],
    standard: http('15.5.1'),
    provocation: { method: 'get', path: '/planets' },
  },
  'invalid-idempotency-key': {
    causes: [
      '`Idempotency-Key` has more than 255 characters, or characters outside of ASCII.',
      'The header was sent twice, so that its values are joined by a comma.',
    ],
    remedies: ['Send a new UUID as the key of each new request, and the same key with each retry of it.'],
    standard: http('15.5.1'),
    provocation: { method: 'post', path: '/planets' },
  },
  'malformed-body': {
    causes: [
      'A comma or a quotation mark of the body is missing, or there is one too many.',
      'The `Content-Type` does not match the body: for example, XML is sent as `application/json`.',
      'The body was cut off, or is not UTF-8.',
    ],
    remedies: [
      'Check the body with a parser of its format. `detail` says where reading stopped.',
      'Let a library write the body instead of joining texts.',
    ],
    standard: http('15.5.1'),
    provocation: { method: 'post', path: '/planets' },
  },
  'invalid-body': {
    causes: [
      'A required member is missing.',
      'A member has the wrong type, such as a number sent as a text.',
      'A text is too long, or a number is too large or too small.',
    ],
    remedies: [
      'Read `errors`: each entry points to one member and says what it must be.',
      'Correct all of them, then send the request again.',
    ],
    standard: http('15.5.1'),
    provocation: { method: 'post', path: '/planets' },
  },
  'invalid-query': {
    causes: ['`limit` or `offset` is not a number, or is out of range.', 'A parameter is sent twice.'],
    remedies: [
      'Read `errors`: each entry names one parameter and says what it must be.',
      'Leave a parameter out to get its default.',
    ],
    standard: http('15.5.1'),
    provocation: { method: 'get', path: '/planets' },
  },
  'invalid-image': {
    causes: [
      'The form has no part named `image`, or it has several files.',
      'The file is of another type, such as SVG, HEIC or PDF. Its name does not matter.',
      'The file is empty or damaged.',
    ],
    remedies: ['Send one file in the part `image`.', 'Convert the picture to PNG, JPEG, GIF, WebP or AVIF.'],
    standard: http('15.5.1'),
    provocation: { method: 'post', path: '/planets/4/image' },
  },
  unauthorized: {
    causes: [
      'The request has no credential.',
      'The token has expired: tokens are valid for one hour.',
      'The password was changed, or the key was revoked. This also ends all credentials that were created with it.',
    ],
    remedies: [
      'Read `WWW-Authenticate`: it says what is accepted and what was wrong.',
      'Get a new token from `POST /auth/token`, then send the request again.',
    ],
    standard: http('15.5.2'),
    provocation: { method: 'get', path: '/me' },
  },
  forbidden: {
    causes: [
      'The planet belongs to somebody else.',
      'The operation needs a proof that you are present, such as your password.',
    ],
    remedies: [
      'Read `detail`: it says what is missing.',
      'Use the account that created the resource, or create your own.',
    ],
    standard: http('15.5.4'),
    provocation: { method: 'put', path: '/planets/4' },
  },
  'insufficient-scope': {
    causes: [
      'The API key was created with fewer scopes than the operation needs.',
      'The OAuth client did not request the scope, or the user was not asked for it.',
    ],
    remedies: [
      'Read `WWW-Authenticate`: it names the missing scope.',
      'Create a key with this scope, or request it in the next authorization.',
    ],
    standard: { rfc: 6750, section: '3.1' },
    provocation: { method: 'post', path: '/planets' },
  },
  'cross-site-request': {
    causes: [
      'A page of another origin sends a request that changes data, and the browser adds the cookie with your API key.',
    ],
    remedies: [
      'Send the API key in the header `X-API-Key` or the token in `Authorization`. Both work from every origin.',
    ],
    standard: http('15.5.4'),
    provocation: { method: 'post', path: '/planets' },
  },
  'account-suspended': {
    causes: ['The operator of this deployment has suspended the account.'],
    remedies: ['Ask the operator to end the suspension. Nothing that you send changes this.'],
    standard: http('15.5.4'),
    provocation: { method: 'get', path: '/me' },
  },
  'account-limit-reached': {
    causes: ['A test creates planets and never deletes them.', 'Several people or programs use the same account.'],
    remedies: [
      'Read `limit`: it names the limit and how much is used.',
      'Delete what you no longer need, then try again.',
    ],
    standard: http('15.5.4'),
    provocation: { method: 'post', path: '/planets' },
  },
  'universe-limit': {
    causes: ['A test creates things and never deletes them.', 'Several programs use the same universe.'],
    remedies: [
      'Read `limit`, `used` and `allowed`. `GET /universe` shows all limits, and how much of them is used.',
      'Delete what you no longer need, or reset the universe with `POST /universe/reset`.',
      'Make a universe for each program. They are free.',
    ],
    standard: http('15.5.4'),
    provocation: { method: 'post', path: '/planets' },
  },
  'universes-off': {
    causes: ['The operator of this deployment does not offer universes.'],
    remedies: ['Ask the operator, or run Galaxy yourself.'],
    standard: http('15.5.4'),
    provocation: { method: 'post', path: '/universes' },
  },
  'signup-closed': {
    causes: ['The operator of this deployment creates the accounts.'],
    remedies: ['Ask the operator for an account, or run Galaxy yourself.'],
    standard: http('15.5.4'),
    provocation: { method: 'post', path: '/user/signup' },
  },
  'not-found': {
    causes: [
      'The path has a typing error.',
      'The id does not exist. A deleted planet does not come back, and its id is not used again.',
      'The path expects a number as the id, but has something else.',
    ],
    remedies: ['Compare the path with the API reference.', 'List the resources to find the id.'],
    standard: http('15.5.5'),
    provocation: { method: 'get', path: '/planets/4' },
  },
  'method-not-allowed': {
    causes: ['The path is right, but the method belongs to another path: for example, a list cannot be deleted.'],
    remedies: ['Read `Allow`: it lists the methods of this path.'],
    standard: http('15.5.6'),
    provocation: { method: 'delete', path: '/planets', isReal: true },
  },
  'not-acceptable': {
    causes: [
      '`Accept` allows only types that the operation does not have, such as `text/csv`.',
      'A type is excluded with `q=0`.',
    ],
    remedies: ['Send `Accept: application/json` or `application/xml`, or leave it out.'],
    standard: http('15.5.7'),
    provocation: { method: 'get', path: '/planets' },
  },
  conflict: {
    causes: [
      'An account with this e-mail address exists already.',
      'A collection has as many items as it can have.',
      'Several programs change the same planet at the same time.',
    ],
    remedies: [
      'Read `detail`: it names the conflict.',
      'If other requests changed the resource, read it and send the request again.',
    ],
    standard: http('15.5.10'),
    provocation: { method: 'post', path: '/user/signup' },
  },
  'patch-conflict': {
    causes: [
      'A `test` of a JSON Patch found another value, because somebody has changed the planet.',
      'An operation names a member or an item that does not exist, such as `/tags/7` of a planet with two tags.',
      'An operation adds a member to something that does not exist. JSON Patch does not make the objects on the way.',
    ],
    remedies: [
      'Read `errors`: the pointer is the place in the planet.',
      'Read the planet again, and make the patch from its current state.',
    ],
    standard: { rfc: 5789, section: '2.2' },
    provocation: { method: 'patch', path: '/planets/4' },
  },
  'request-in-progress': {
    causes: [
      'The client tried again before the first request had ended.',
      'The first request was interrupted less than a minute ago.',
    ],
    remedies: ['Wait a second, then send the same request with the same `Idempotency-Key` again.'],
    standard: http('15.5.10'),
    provocation: { method: 'post', path: '/planets' },
  },
  'universe-ended': {
    causes: [
      'Nobody has used the universe for as many hours as its maker chose.',
      'The universe was seven days old, or the time had come that its owner had set as its end.',
      'The owner or the operator has ended the universe.',
    ],
    remedies: [
      'Make a new universe with `POST /universes`, and use its address.',
      'Read `Sunset` in the responses of a universe: it says when the universe will end. Its owner can change that with `PATCH /universe`.',
    ],
    standard: http('15.5.11'),
  },
  'precondition-failed': {
    causes: [
      'Somebody changed the resource after you read it.',
      'The `ETag` in `If-Match` is of another resource, or its quotation marks are missing.',
    ],
    remedies: ['Read the resource again, apply your change to the new version, and send it with the new `ETag`.'],
    standard: http('15.5.13'),
    provocation: { method: 'put', path: '/planets/4' },
  },
  'content-too-large': {
    causes: [
      'The picture has more bytes than an upload may have.',
      'A document contains data that does not belong in it, such as a picture as text.',
    ],
    remedies: ['Read `detail`: it contains the limit in bytes.', 'Make the picture smaller, or send less.'],
    standard: http('15.5.14'),
    provocation: { method: 'post', path: '/planets/4/image' },
  },
  'uri-too-long': {
    causes: ['The query for `GET /planets/search` has more than 8,192 bytes after percent-encoding.'],
    remedies: ['Send the query as the content of `QUERY /planets`.', 'Leave out what repeats: doubles mean nothing.'],
    standard: http('15.5.15'),
    provocation: { method: 'get', path: '/planets/search' },
  },
  'unsupported-media-type': {
    causes: [
      'The tool adds a `Content-Type` of its own: `curl -d`, for example, sends `application/x-www-form-urlencoded`.',
      'A form with a file is sent as another type than `multipart/form-data`.',
      'The body is compressed.',
    ],
    remedies: [
      'Read `detail`: it says which types the operation supports.',
      'With a document, send `Content-Type: application/json` or `application/xml`.',
      'With a file, let your tool set the `Content-Type`, because it contains the boundary.',
    ],
    standard: http('15.5.16'),
    provocation: { method: 'post', path: '/planets' },
  },
  'range-not-satisfiable': {
    causes: ['`Range` begins after the last byte of the image. The first byte is 0.'],
    remedies: ['Read `Content-Range`: it contains the size.', 'Leave `Range` out to get the whole image.'],
    standard: http('15.5.17'),
    provocation: { method: 'get', path: '/images/6f1b3f0e-8f5c-4f0e-9d0a-3c1f0b6f2a11.png' },
  },
  'unprocessable-content': {
    causes: [
      'The password has fewer than 6 characters.',
      'The password is the e-mail address.',
      'A patch removes the name of a planet, or gives a member an invalid value.',
    ],
    remedies: [
      'Choose another password.',
      'Read `errors`: the pointers lead into the planet as the patch would leave it.',
    ],
    standard: http('15.5.21'),
    provocation: { method: 'post', path: '/user/signup' },
  },
  'lab-gate': {
    causes: [
      'The client sends another value than the case asks for, or does not call the case at all.',
      'A case in `expect` passes, because the client was repaired.',
      'All cases are in `skip`, so nothing was judged.',
    ],
    remedies: [
      'Open `/lab/runs/{runId}/report`: it shows what was sent, what was expected, and the byte where they part.',
      'Name the cases that should fail in `expect`, and those that the client cannot call in `skip`, each with its reason.',
      'Remove the cases in `stale` from `expect`.',
    ],
    standard: http('15.5.21'),
    provocation: { method: 'get', path: '/lab/runs/k3v7q2m5x4b6n7p2r5t6w3y4/gate' },
  },
  'idempotency-key-reused': {
    causes: [
      'A program uses the same key for several requests.',
      'The retry differs from the first request, for example in its body or in `Accept`.',
      'The credential of the retry has fewer scopes than that of the first request, or ends earlier.',
    ],
    remedies: [
      'Make a new key for each new request, for example a UUID.',
      'Keep the body of a request until it succeeds, and send the same bytes again.',
      'Send the retry with a credential of the same kind, for example with a new token.',
    ],
    standard: http('15.5.21'),
    provocation: { method: 'post', path: '/planets' },
  },
  'upgrade-required': {
    causes: [
      'The path of a WebSocket was opened in a browser, or with a client for plain HTTP.',
      'A proxy removed the header `Upgrade`.',
    ],
    remedies: [
      'Open the URL with a WebSocket client: `ws:` or `wss:` instead of `http:` or `https:`.',
      'To listen with a client for plain HTTP, use `GET /planets/events`.',
    ],
    standard: http('15.5.22'),
    provocation: { method: 'get', path: '/ws/v1/system/events', isReal: true },
  },
  'too-many-requests': {
    causes: [
      'Several wrong passwords were sent from your address.',
      'Your program gets a new token for each request. One token is enough for an hour.',
      'Your program writes in a loop.',
    ],
    remedies: ['Wait as many seconds as `Retry-After` says.', 'Keep the token, and use it until it expires.'],
    standard: { rfc: 6585, section: '4' },
    provocation: { method: 'post', path: '/auth/token' },
  },
  'internal-error': {
    causes: ['The service has a fault. Your request is not the reason.'],
    remedies: [
      'Send the request again.',
      'If it fails again, give the operator the request id. It is in `instance` and in `X-Request-ID`.',
    ],
    standard: http('15.6.1'),
    provocation: { method: 'get', path: '/planets' },
  },
  injected: {
    causes: ['A rule of the universe matches the request, and its step or its limit refuses it.'],
    remedies: [
      'Read `Galaxy-Fault`: it names the rule.',
      'The owner of the universe can read the rules at `/universe/faults`, and removes them with `DELETE`.',
    ],
    standard: http('15.6'),
  },
  'service-unavailable': {
    causes: [
      'The database has too much to do, or cannot be reached.',
      'Many people sign up or sign in at this moment.',
    ],
    remedies: [
      'Wait as many seconds as `Retry-After` says, then send the request again.',
      'If the request was a write, read the resource first, because the write may have succeeded.',
    ],
    standard: http('15.6.4'),
    provocation: { method: 'get', path: '/planets' },
  },
}
