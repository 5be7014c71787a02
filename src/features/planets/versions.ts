import { isNotModified, isPreconditionFailed, namesVersion, preconditionFailed } from '../../http/conditions.ts'
import type { Missed, StoredPlanet } from '../../stores/planets.ts'
import { planetNotFound } from './access.ts'

type Versioned = Pick<StoredPlanet, 'version' | 'lastUpdated'>

/** Part of the tag, because a representation in another format is another and has a tag of its own. */
const FORMAT = 'json'

function entityTag({ version }: Versioned): string {
  return `"${version}-${FORMAT}"`
}

/** The headers by which a reader can tell this version of a planet. */
export function validatorsOf(planet: Versioned): { ETag: string; 'Last-Modified': string } {
  return { ETag: entityTag(planet), 'Last-Modified': planet.lastUpdated.toUTCString() }
}

/** Whether a reader has this version of a planet already. */
export function isKnown(headers: Headers, planet: Versioned): boolean {
  return isNotModified(headers, { etag: entityTag(planet), lastModified: planet.lastUpdated })
}

/**
 * Checks that what a writer is about to change is what it has seen.
 *
 * @returns The version that the write has to find, or undefined for any
 * @throws ProblemError 412
 */
export function requireUnchanged(headers: Headers, planet: Versioned): number | undefined {
  const isCurrent = (tag: string) => tag.startsWith(`"${planet.version}-`)
  if (isPreconditionFailed(headers, planet.lastUpdated, isCurrent)) throw preconditionFailed()
  return namesVersion(headers) ? planet.version : undefined
}

/** Whether a write to a planet did not happen. */
export function isMissed(outcome: unknown): outcome is Missed {
  return outcome === 'gone' || outcome === 'changed'
}

/**
 * Reads the outcome of a write to a planet.
 *
 * @throws ProblemError 404 where the planet was gone, 412 where it was not in the version that the write had to find
 */
export function requireWritten<Outcome>(outcome: Outcome | Missed): Outcome {
  if (!isMissed(outcome)) return outcome
  throw outcome === 'gone' ? planetNotFound() : preconditionFailed()
}
