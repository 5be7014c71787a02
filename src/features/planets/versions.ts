import { isWanted, preconditionFailed, requireSeen, type Validators } from '../../http/conditions.ts'
import type { Missed, StoredPlanet } from '../../stores/planets.ts'
import { planetNotFound } from './access.ts'

type Versioned = Pick<StoredPlanet, 'version' | 'lastUpdated'>

function validatorsOf({ version, lastUpdated }: Versioned): Validators {
  // The format is part of the tag, because a representation in another format would be another.
  return { etag: `"${version}-json"`, lastModified: lastUpdated }
}

/** The headers by which a reader can tell this version of a planet. */
export function validatorHeaders(planet: Versioned): { ETag: string; 'Last-Modified': string } {
  const { etag, lastModified } = validatorsOf(planet)
  return { ETag: etag, 'Last-Modified': lastModified.toUTCString() }
}

/**
 * Whether a planet is to be sent to a reader, who may have this version already.
 *
 * @throws ProblemError 412
 */
export function isPlanetWanted(headers: Headers, planet: Versioned): boolean {
  return isWanted(headers, validatorsOf(planet))
}

/**
 * Checks that what a writer is about to change is what it has seen.
 *
 * @returns The version that the write has to find, or undefined for any
 * @throws ProblemError 412
 */
export function requireUnchanged(headers: Headers, planet: Versioned): number | undefined {
  return requireSeen(headers, validatorsOf(planet)) ? planet.version : undefined
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
