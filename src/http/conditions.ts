import { ProblemError } from '../lib/errors.ts'

// Conditional requests (RFC 9110, section 13).

/** What a representation can be told by: a strong entity tag, and a date, of which whole seconds count. */
export interface Validators {
  etag: string
  lastModified: Date
}

/** Whether a reader has this representation already, so that 304 will do. */
export function isNotModified(headers: Headers, { etag, lastModified }: Validators): boolean {
  const tags = headers.get('If-None-Match')
  if (tags?.trim() === '*') return true
  if (tags !== null) return listTags(tags).some((tag) => tag.replace(WEAK, '') === etag)
  const since = parseDate(headers.get('If-Modified-Since'))
  return since !== undefined && wholeSeconds(lastModified) <= since
}

/** Whether a request sets a condition that only the version it has seen fulfils, and not any version or none. */
export function namesVersion(headers: Headers): boolean {
  const tags = headers.get('If-Match')
  if (tags !== null) return tags.trim() !== '*'
  return parseDate(headers.get('If-Unmodified-Since')) !== undefined
}

/**
 * Whether what is there is not what the caller has seen.
 *
 * @param isCurrent Tells whether a tag is that of a representation of what is there, in whatever format
 */
export function isPreconditionFailed(
  headers: Headers,
  lastModified: Date,
  isCurrent: (tag: string) => boolean,
): boolean {
  const tags = headers.get('If-Match')
  if (tags?.trim() === '*') return false
  if (tags !== null) return !listTags(tags).some((tag) => !WEAK.test(tag) && isCurrent(tag))
  const since = parseDate(headers.get('If-Unmodified-Since'))
  return since !== undefined && wholeSeconds(lastModified) > since
}

export function preconditionFailed(): ProblemError {
  return new ProblemError('precondition-failed', 'What is there is not what you have seen. Read it again.')
}

// Readers compare weakly, writers strongly: to them a weak tag is no tag (RFC 9110, section 8.8.3.2).
const WEAK = /^W\//

function listTags(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? []
}

/** Milliseconds; undefined where there is no date, or none that can be read: such a condition is ignored. */
function parseDate(text: string | null): number | undefined {
  const milliseconds = Date.parse(text ?? '')
  return Number.isNaN(milliseconds) ? undefined : milliseconds
}

function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000
}
