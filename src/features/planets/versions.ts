import {
  isRepresentationWanted,
  makeValidators,
  requireCurrentVersion,
  type Validators,
  validatorHeaders,
} from '../../http/conditions.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { ALL_FORMATS, type FormatName } from '../../http/pipeline/formats.ts'
import type { StoredPlanet } from '../../stores/stored-planet.ts'

type Versioned = Pick<StoredPlanet, 'version' | 'lastUpdated'> & { creator: Pick<StoredPlanet['creator'], 'renamedAt'> }
type ConditionalRequest = Pick<RequestContext, 'headers' | 'format' | 'now' | 'services'>

/**
 * The entity tag of a planet. JSON, XML and every other format are different representations, so the tag contains the
 * format (RFC 9110, section 8.8.3). The tag also contains the time when the creator was renamed, because a planet shows
 * the name of its creator.
 */
function tagOf({ version, creator: { renamedAt } }: Versioned, format: FormatName): string {
  const renaming = renamedAt ? `.${renamedAt.getTime().toString(TAG_RADIX)}` : ''
  return `"${version}${renaming}-${format}"`
}

/** Makes the time in the tag short. */
const TAG_RADIX = 36

/** The entity tag and the time of the last change of a planet, in one format. */
function validatorsOf(planet: Versioned, format: FormatName, context: Pick<RequestContext, 'services'>): Validators {
  return makeValidators({ etag: tagOf(planet, format), lastModified: lastModifiedOf(planet) }, context)
}

/** When a representation last changed. The name of the creator is part of it. */
export function lastModifiedOf({ lastUpdated, creator: { renamedAt } }: Omit<Versioned, 'version'>): Date {
  return renamedAt && renamedAt > lastUpdated ? renamedAt : lastUpdated
}

export function planetValidatorHeaders(
  planet: Versioned,
  context: Pick<RequestContext, 'format' | 'now' | 'services'>,
): Record<string, string> {
  return validatorHeaders(validatorsOf(planet, context.format, context), context.now)
}

/**
 * Whether a planet must be sent to a reader. It need not be sent if the reader already has this version.
 *
 * @throws ProblemError 412 if the condition of the request does not hold
 */
export function isPlanetWanted(context: ConditionalRequest, planet: Versioned): boolean {
  return isRepresentationWanted(context.headers, validatorsOf(planet, context.format, context), context.now)
}

/**
 * Checks the conditions of a request that changes a planet, such as `If-Match`.
 *
 * @returns Whether the request has such a condition: then only this version may be changed
 * @throws ProblemError 412 if the conditions do not match the current version
 */
export function requireExpectedVersion(
  context: Pick<RequestContext, 'headers' | 'now' | 'services'>,
  planet: Versioned,
): boolean {
  const current = ALL_FORMATS.map((name) => validatorsOf(planet, name, context))
  return requireCurrentVersion(context.headers, current, context.now)
}

/** The time of a write to a planet. It never goes back, even if a request that began later has written first. */
export function timeAfter({ lastUpdated }: Pick<StoredPlanet, 'lastUpdated'>, now: Date): Date {
  return lastUpdated > now ? lastUpdated : now
}
