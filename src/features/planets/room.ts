import type { z } from 'zod'
import { ENTITY_MAX_BYTES, HEADROOM_BYTES } from '../../domain/limits.ts'
import { ProblemError } from '../../domain/problems.ts'
import { findTooLong } from '../../http/body/entity.ts'
import { ALL_FORMATS, FORMATS } from '../../http/pipeline/formats.ts'
import { Planet, type PlanetProperties } from '../../schemas/planet.ts'
import type { SatelliteInput } from '../../schemas/satellite.ts'
import { presentPlanet } from './representation.ts'

// Everything that is stored can be read, and sent back as it was read, in any format. The limit therefore applies to
// the document that the service writes, with ids, times, and references from satellites to their planet. The result
// depends only on what the client sends, so that it is the same if the planet is sent back.

/** Has at least as many digits as any id. */
export const LONGEST_ID = Number.MAX_SAFE_INTEGER
export const UNNAMED_CREATOR = { id: LONGEST_ID, name: null }
export const ANY_TIME = new Date(0)
/** Matches the URL of any upload. `HEADROOM_BYTES` includes room for one, whether the planet has an upload or not. */
const UPLOAD_URL = /^[\w:/.[\]-]{0,400}$/

/**
 * Rejects a planet that would be too large to send back as it is read.
 *
 * @throws ProblemError 413
 */
export function requireRoomForPlanet(
  properties: PlanetProperties,
  satellites: readonly SatelliteInput[] | undefined,
): void {
  const planet = presentPlanet(
    {
      id: LONGEST_ID,
      properties: withoutUpload(properties),
      satellites: (satellites ?? []).map(withLongestId),
      listsSatellites: satellites !== undefined,
      creator: UNNAMED_CREATOR,
      imageKey: null,
      lastUpdated: ANY_TIME,
    },
    '',
  )
  requireRoom(planet, Planet, 'planet')
}

function withoutUpload(properties: PlanetProperties): PlanetProperties {
  const { image, ...others } = properties
  return image != null && UPLOAD_URL.test(image) ? others : properties
}

/** A satellite whose id takes the most room. */
export function withLongestId(properties: SatelliteInput) {
  return { id: LONGEST_ID, properties }
}

/**
 * @param what The name of the document, for the error
 * @throws ProblemError 413 if the document is too long in any format
 */
export function requireRoom(document: unknown, schema: z.ZodType, what: string): void {
  const tooLong = findTooLong(document, schema, ALL_FORMATS, ENTITY_MAX_BYTES - HEADROOM_BYTES)
  if (!tooLong) return
  throw new ProblemError(
    'content-too-large',
    `The ${what} is too large. Written as ${FORMATS[tooLong].mediaType}, together with the members that the service adds, it can have at most ${ENTITY_MAX_BYTES} bytes, so that you can send it back as you read it.`,
  )
}
