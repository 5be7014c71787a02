import { ProblemError } from '../lib/errors.ts'

// Conditional requests (RFC 9110, section 13).

/** What a representation can be told by: a strong entity tag, and a date, of which whole seconds count. */
export interface Validators {
  etag: string
  lastModified: Date
}

/**
 * Whether a representation is to be sent to a reader, who may have it already: if not, 304 will do.
 *
 * @throws ProblemError 412 where the reader wants another one
 */
export function isWanted(headers: Headers, current: Validators): boolean {
  requireMatch(headers, current)
  const tags = headers.get('If-None-Match')
  if (tags !== null) return !matchesWeakly(tags, current)
  const since = parseDate(headers.get('If-Modified-Since'))
  return since === undefined || wholeSeconds(current.lastModified) > since
}

/**
 * Checks that what a writer is about to change is what it has seen.
 *
 * @returns Whether the writer has named it, and may change that and no other
 * @throws ProblemError 412
 */
export function requireSeen(headers: Headers, current: Validators): boolean {
  const isNamed = requireMatch(headers, current)
  const tags = headers.get('If-None-Match')
  if (tags !== null && matchesWeakly(tags, current)) throw preconditionFailed()
  return isNamed
}

export function preconditionFailed(): ProblemError {
  return new ProblemError('precondition-failed', 'What is there is not what you have seen. Read it again.')
}

/** @returns Whether the request names the one representation or date that it is about */
function requireMatch(headers: Headers, { etag, lastModified }: Validators): boolean {
  const tags = headers.get('If-Match')
  if (tags?.trim() === '*') return false
  if (tags !== null) {
    // A weak tag never matches here, and does not: its mark is part of it.
    if (!listTags(tags).includes(etag)) throw preconditionFailed()
    return true
  }
  const since = parseDate(headers.get('If-Unmodified-Since'))
  if (since === undefined) return false
  if (wholeSeconds(lastModified) > since) throw preconditionFailed()
  return true
}

function matchesWeakly(tags: string, { etag }: Validators): boolean {
  return tags.trim() === '*' || listTags(tags).some((tag) => tag.replace(/^W\//, '') === etag)
}

function listTags(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? []
}

// The three forms of RFC 9110, section 5.6.7. `Date.parse` takes much more for a date.
const HTTP_DATE =
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$|^[A-Z][a-z]+day, \d\d-[A-Z][a-z]{2}-\d\d [\d:]{8} GMT$|^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}$/

/** Milliseconds; undefined where there is no date, or none that can be read: such a condition is ignored. */
function parseDate(text: string | null): number | undefined {
  if (text === null || !HTTP_DATE.test(text)) return undefined
  const milliseconds = Date.parse(text)
  return Number.isNaN(milliseconds) ? undefined : milliseconds
}

function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000
}
