import { ProblemError } from '../domain/problems.ts'
import { parseHttpDate } from '../lib/http-date.ts'
import { sha256 } from '../lib/sha256.ts'
import { nextSecondAfter, secondsOf } from '../lib/time.ts'
import type { Services } from '../services.ts'

// Conditional requests (RFC 9110, section 13).

declare const isMade: unique symbol

/**
 * The validators of a representation: a strong entity tag, and a date, which is compared in whole seconds. Only
 * `makeValidators` and `makeLastingValidators` make validators. So the author of each resource has to decide whether
 * its validators change when a universe is reset.
 */
export interface Validators {
  readonly etag: string
  /** Absent if unknown. */
  readonly lastModified?: Date
  readonly [isMade]: true
}

type Draft = Omit<Validators, typeof isMade>

/**
 * Creates the validators of stored data. After a reset of a universe, ids and versions repeat, but validators from
 * before the reset must not match. So the entity tag contains the tag of the era (the period since the last reset), and
 * the date is later than any date that was sent before the reset.
 */
export function makeValidators(
  { etag, lastModified }: Draft,
  { services: { era } }: { services: Pick<Services, 'era'> },
): Validators {
  if (!era) return makeLastingValidators(lastModified ? { etag, lastModified } : { etag })
  const earliest = nextSecondAfter(era.startedAt)
  const etagWithoutEndQuote = etag.slice(0, -1)
  const tag = `${etagWithoutEndQuote}-${era.tag}"`
  if (!lastModified) return makeLastingValidators({ etag: tag })
  return makeLastingValidators({ etag: tag, lastModified: lastModified > earliest ? lastModified : earliest })
}

/**
 * Creates the validators of something that stays the same after a reset: an image, whose key is never used again, or a
 * document that does not depend on stored data.
 */
export function makeLastingValidators(draft: Draft): Validators {
  // The cast adds `isMade` to the type, so that the compiler accepts no other object as validators. At run time, there
  // is no such member.
  return draft as Validators
}

/**
 * Creates a strong entity tag for content without a version: a digest of the content, followed by `variant`.
 *
 * @param variant Distinguishes the representations of the content, such as `json` and `xml`
 */
export async function tagContent(content: string | BufferSource, variant: string): Promise<string> {
  return `"${(await sha256(content)).toHex().slice(0, TAG_DIGITS)}-${variant}"`
}

/** How many hexadecimal digits of the digest an entity tag has. */
const TAG_DIGITS = 32

/** @param now `Last-Modified` is not later than this (RFC 9110, section 8.8.2.1). Can be omitted if there is no date */
export function validatorHeaders({ etag, lastModified }: Validators, now?: Date): Record<string, string> {
  const shownDate = now && lastModified && lastModified > now ? now : lastModified
  return { ETag: etag, ...(shownDate && { 'Last-Modified': shownDate.toUTCString() }) }
}

/**
 * Whether a representation must be sent to the client that reads it. If the client already has it, the response is 304.
 *
 * @throws ProblemError 412 if If-Match or If-Unmodified-Since does not match
 */
export function isRepresentationWanted(headers: Headers, current: Validators, now: Date): boolean {
  requireMatch(headers, current, [current.etag], now)
  const tags = headers.get('If-None-Match')
  if (tags !== null) return !matchesWeakly(tags, current.etag)
  const since = parseHttpDate(headers.get('If-Modified-Since'), now)
  return since === undefined || isNewer(current, since)
}

/**
 * Checks the conditions of a request that changes a resource: the client must have seen the current version. A request
 * without conditions passes.
 *
 * @param representations The validators of the current version as JSON and as XML, which have the same date. The client
 * may have seen either representation
 * @returns Whether a condition depends on the version (`If-Match: *` does not). If one does, the write must only change
 * this version
 * @throws ProblemError 412
 */
export function requireCurrentVersion(headers: Headers, representations: readonly Validators[], now: Date): boolean {
  const [current] = representations
  if (!current) throw new Error('a version has at least one representation')
  const tags = representations.map(({ etag }) => etag)
  const namesVersion = requireMatch(headers, current, tags, now)
  const unwantedTags = headers.get('If-None-Match')
  if (unwantedTags !== null && tags.some((etag) => matchesWeakly(unwantedTags, etag))) throw preconditionFailed()
  return namesVersion || unwantedTags !== null
}

/** The error if the conditions of a request do not match the current version. */
export function preconditionFailed(): ProblemError {
  return new ProblemError(
    'precondition-failed',
    'The resource has changed since you read it. Fetch it again and retry.',
  )
}

/**
 * @returns Whether the request names a tag or a date
 * @throws ProblemError 412
 */
function requireMatch(headers: Headers, current: Validators, currentTags: readonly string[], now: Date): boolean {
  const ifMatch = headers.get('If-Match')
  // Any version matches `*`.
  if (ifMatch?.trim() === '*') return false
  if (ifMatch !== null) {
    // A weak tag never matches, because its `W/` is part of the compared text.
    if (!listTags(ifMatch).some((tag) => currentTags.includes(tag))) throw preconditionFailed()
    return true
  }
  const since = parseHttpDate(headers.get('If-Unmodified-Since'), now)
  // Without a date to compare, the header must be ignored (RFC 9110, section 13.1.4).
  if (since === undefined || !current.lastModified) return false
  if (isNewer(current, since)) throw preconditionFailed()
  return true
}

/**
 * Whether the part that a client has, by `If-Range`, is a part of this representation (RFC 9110, section 13.1.5). If
 * not, it must get the whole representation.
 *
 * @param current Validators of something that never changes, so that its date is as strong as its tag (section 8.8.2.2)
 */
export function isSameRepresentation(headers: Headers, current: Required<Validators>, now: Date): boolean {
  const condition = headers.get('If-Range')
  if (condition === null || condition === current.etag) return true
  return parseHttpDate(condition, now) === wholeSecondsOf(current.lastModified)
}

/** Whether a list of tags, or `*`, contains a tag. Weak tags match too (RFC 9110, section 8.8.3.2). */
function matchesWeakly(tags: string, etag: string): boolean {
  return tags.trim() === '*' || listTags(tags).some((tag) => tag.replace(/^W\//, '') === etag)
}

/** The entity tags in the value of a header, with quotation marks, and with `W/` if they are weak. */
function listTags(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? []
}

/** Compares whole seconds. A resource without a date always counts as newer. */
function isNewer({ lastModified }: Validators, since: number): boolean {
  return !lastModified || wholeSecondsOf(lastModified) > since
}

/** A date as an HTTP-date shows it, in milliseconds since 1970. */
function wholeSecondsOf(date: Date): number {
  return secondsOf(date) * 1000
}
