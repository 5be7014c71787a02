import { ProblemError } from '../domain/problems.ts'
import { sha256 } from '../lib/sha256.ts'
import { parseHttpDate } from '../lib/time.ts'

// Conditional requests (RFC 9110, section 13).

/** What a representation can be told by: a strong entity tag, and a date, of which whole seconds count. */
export interface Validators {
  etag: string
  /** Absent where nobody knows. */
  lastModified?: Date
}

/** A strong entity tag for what has no version: a digest of it, and whatever else tells its representations apart. */
export async function tagContent(content: string, variant: string): Promise<string> {
  return `"${(await sha256(content)).toHex().slice(0, TAG_DIGITS)}-${variant}"`
}

const TAG_DIGITS = 32

/**
 * The headers that tell a reader what it has got.
 *
 * @param now `Last-Modified` is not later than this (RFC 9110, section 8.8.2.1). It can be left out if there is no date
 */
export function validatorHeaders({ etag, lastModified }: Validators, now?: Date): Record<string, string> {
  const shown = now && lastModified && lastModified > now ? now : lastModified
  return { ETag: etag, ...(shown && { 'Last-Modified': shown.toUTCString() }) }
}

/**
 * Whether a representation is to be sent to a reader, who may have it already: if not, 304 will do.
 *
 * @throws ProblemError 412 where the reader wants another one
 */
export function isWanted(headers: Headers, current: Validators): boolean {
  requireMatch(headers, current, [current.etag])
  const tags = headers.get('If-None-Match')
  if (tags !== null) return !matchesWeakly(tags, current.etag)
  const since = parseHttpDate(headers.get('If-Modified-Since'))
  return since === undefined || isNewer(current, since)
}

/**
 * Checks that what a writer is about to change is what it has seen.
 *
 * @param tags The tags of what is there in every format: a writer may have seen any of them
 * @returns Whether the writer has set a condition, and so may change this version and no other
 * @throws ProblemError 412
 */
export function requireSeen(headers: Headers, current: Validators, tags: readonly string[]): boolean {
  const isNamed = requireMatch(headers, current, tags)
  const unwanted = headers.get('If-None-Match')
  if (unwanted !== null && tags.some((etag) => matchesWeakly(unwanted, etag))) throw preconditionFailed()
  return isNamed || unwanted !== null
}

export function preconditionFailed(): ProblemError {
  return new ProblemError(
    'precondition-failed',
    'The resource has changed since you read it. Fetch it again and retry.',
  )
}

/** @returns Whether the request names the one representation or date that it is about */
function requireMatch(headers: Headers, current: Validators, known: readonly string[]): boolean {
  const tags = headers.get('If-Match')
  if (tags?.trim() === '*') return false
  if (tags !== null) {
    // A weak tag fails by itself: its W/ is part of the text compared.
    if (!listTags(tags).some((tag) => known.includes(tag))) throw preconditionFailed()
    return true
  }
  const since = parseHttpDate(headers.get('If-Unmodified-Since'))
  if (since === undefined) return false
  if (isNewer(current, since)) throw preconditionFailed()
  return true
}

function matchesWeakly(tags: string, etag: string): boolean {
  return tags.trim() === '*' || listTags(tags).some((tag) => tag.replace(/^W\//, '') === etag)
}

function listTags(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? []
}

/** By whole seconds. What has no date is always newer. */
function isNewer({ lastModified }: Validators, since: number): boolean {
  return !lastModified || Math.floor(lastModified.getTime() / 1000) * 1000 > since
}
