import { planetNotFound } from '../auth/ownership.ts'
import { ProblemError } from '../lib/errors.ts'
import type { Missed } from '../stores/planets.ts'

// Conditional requests (RFC 9110, section 13) on what has a version.

/** What a condition is about: something that is raised by one, and dated, with every change. */
export interface Versioned {
  version: number
  lastUpdated: Date
}

/** The formats that a representation can have: each has an entity tag of its own. */
const FORMAT = 'json'

/** The validators of a representation: a strong entity tag and a date, in whole seconds. */
export function validatorsOf({ version, lastUpdated }: Versioned): { ETag: string; 'Last-Modified': string } {
  return { ETag: `"${version}-${FORMAT}"`, 'Last-Modified': lastUpdated.toUTCString() }
}

/** Whether a reader has this representation already, so that 304 will do. */
export function isNotModified(headers: Headers, current: Versioned): boolean {
  const tags = headers.get('If-None-Match')
  if (tags?.trim() === '*') return true
  if (tags !== null) return listTags(tags).some((tag) => tag.replace(WEAK, '') === validatorsOf(current).ETag)
  const since = parseDate(headers.get('If-Modified-Since'))
  return since !== undefined && wholeSeconds(current.lastUpdated) <= since
}

/**
 * Checks that what a writer is about to change is what it has seen, in either format.
 *
 * @returns The version that the write has to find, or undefined where the writer set no condition
 * @throws ProblemError 412
 */
export function requireUnchanged(headers: Headers, current: Versioned): number | undefined {
  const tags = headers.get('If-Match')
  if (tags?.trim() === '*') return undefined
  if (tags !== null) {
    if (!listTags(tags).some((tag) => tag.startsWith(`"${current.version}-`))) throw preconditionFailed()
    return current.version
  }
  const since = parseDate(headers.get('If-Unmodified-Since'))
  if (since === undefined) return undefined
  if (wholeSeconds(current.lastUpdated) > since) throw preconditionFailed()
  return current.version
}

/**
 * Reads the outcome of a write to a planet.
 *
 * @throws ProblemError 404 where the planet was gone, 412 where it was not in the version that the write had to find
 */
export function requireWritten<Outcome>(outcome: Outcome | Missed): Outcome {
  if (outcome === 'gone') throw planetNotFound()
  if (outcome === 'changed') throw preconditionFailed()
  return outcome
}

function preconditionFailed(): ProblemError {
  return new ProblemError('precondition-failed', 'It has changed since you read it. Read it again.')
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
