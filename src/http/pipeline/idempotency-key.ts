import { API_KEY_PARAMETER } from '../../auth/api-key.ts'
import { IDEMPOTENCY_KEY_MAX } from '../../domain/limits.ts'
import { ProblemError } from '../../domain/problems.ts'
import { sha256, toBase64Url } from '../../lib/sha256.ts'
import { decodeUnreserved } from '../../lib/uri-path.ts'
import type { ReadBody } from '../body/reader.ts'
import type { HonoContext } from './context.ts'

// The header is that of draft-ietf-httpapi-idempotency-key-header-07.

export const IDEMPOTENCY_KEY = 'Idempotency-Key'

/** A string in quotation marks (RFC 9651, section 3.3.3). */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/
/** What importers write for a value that they do not know. */
const PLACEHOLDER = /^(?:<\w+>|string)$/
/** A key without quotation marks, as many clients send it. It cannot contain commas, semicolons or spaces. */
const BARE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x7e]+$/

/**
 * @returns Undefined if the header is absent, empty or a placeholder
 * @throws ProblemError 400
 */
export function readIdempotencyKey(headers: Headers): string | undefined {
  const header = headers.get(IDEMPOTENCY_KEY)?.trim()
  // Some importers write an empty header, or a placeholder such as `<string>`, into each request that may have the
  // header.
  if (!header || PLACEHOLDER.test(header)) return undefined
  // In quotation marks, a backslash escapes the next character.
  const quotedKey = QUOTED.exec(header)?.[1]?.replaceAll(/\\(.)/g, '$1')
  const bareKey = BARE.exec(header)?.[0]
  const key = quotedKey ?? bareKey ?? ''
  if (key.length > 0 && key.length <= IDEMPOTENCY_KEY_MAX) return key
  throw new ProblemError(
    'invalid-idempotency-key',
    `${IDEMPOTENCY_KEY} must have 1 to ${IDEMPOTENCY_KEY_MAX} ASCII characters, with or without quotation marks around them. Commas, semicolons and spaces need the quotation marks.`,
  )
}

/**
 * The SHA-256 of the parts of a request that a retry repeats: method, path, query, the headers that the operation
 * declares, media type, body and the format of the response. The credential is not part of it, because a client may get
 * a new token before it tries again.
 */
export async function fingerprintOf(c: HonoContext, content: ReadBody<unknown>['content']): Promise<string> {
  const { pathname, searchParams } = c.get('url')
  const query = new URLSearchParams(searchParams)
  // An API key in the query is a credential.
  query.delete(API_KEY_PARAMETER)
  // The boundary of a form differs in each attempt.
  const [mediaType] = (c.req.header('Content-Type') ?? '').toLowerCase().split(';')
  const body = toBase64Url(await sha256(content))
  const parts = [c.req.method, decodeUnreserved(pathname), query.toString(), mediaType, c.get('format'), body]
  // An absent header is left out, so that the fingerprint of other operations is what it was.
  const headers = c.req.valid('header')
  if (headers !== undefined) parts.push(JSON.stringify(headers))
  return toBase64Url(await sha256(JSON.stringify(parts)))
}
