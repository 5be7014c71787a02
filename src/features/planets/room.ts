import type * as z from 'zod'
import { ENTITY_MAX_BYTES, HEADROOM_BYTES } from '../../domain/limits.ts'
import { ProblemError } from '../../domain/problems.ts'
import { findTooLongFormat } from '../../http/body/entity.ts'
import { ALL_FORMATS, FORMATS } from '../../http/pipeline/formats.ts'
import { Planet, type PlanetProperties } from '../../schemas/planet.ts'
import { presentPlanet } from '../../schemas/present-planet.ts'
import { SATELLITES_MAX, type SatelliteInput } from '../../schemas/satellite.ts'
import type { StoredPlanet } from '../../stores/stored-planet.ts'

// A client can read everything that is stored, and send it back as it was read, in JSON and in every other format. So
// the limit applies to the document that the service writes, with ids, times, and references from satellites to their
// planet. The result depends only on what the client sends, so that it is the same if the planet is sent back.

/** Has at least as many digits as any id. */
export const LONGEST_ID = Number.MAX_SAFE_INTEGER
/** The creator without a name, because `HEADROOM_BYTES` includes room for a name. */
export const UNNAMED_CREATOR = { id: LONGEST_ID, name: null }
/** A time for `lastUpdated`. Any will do, because every time is written with the same number of characters. */
export const ANY_TIME = new Date(0)
/**
 * Matches the URL of any upload. It also matches URLs of other images, but only short ones without characters that a
 * format would escape. So `HEADROOM_BYTES` includes room for every URL that matches.
 */
const UPLOAD_URL = /^[\w:/.[\]-]{0,400}$/

/**
 * Rejects a planet whose representation would be too large. A client that reads it must be able to send it back.
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
  requireRoomForDocument(planet, Planet, 'planet')
}

/**
 * Rejects a new satellite for which its planet has no room.
 *
 * @param refuseFull Makes the error for a planet with the maximum number of satellites: 409 if the path names the
 * planet, 400 with a pointer if the body does
 * @throws ProblemError the error of `refuseFull`; 413 if the planet would be too large
 */
export function requireRoomForSatellite(
  { properties, satellites }: StoredPlanet,
  satellite: SatelliteInput,
  refuseFull: () => ProblemError,
): void {
  if (satellites.length >= SATELLITES_MAX) throw refuseFull()
  requireRoomForPlanet(properties, [...satellites.map((existing) => existing.properties), satellite])
}

/** Leaves out the image if its URL may be that of an upload, because `HEADROOM_BYTES` has room for such a URL. */
function withoutUpload(properties: PlanetProperties): PlanetProperties {
  const { image, ...otherProperties } = properties
  return image != null && UPLOAD_URL.test(image) ? otherProperties : properties
}

export function withLongestId(properties: SatelliteInput) {
  return { id: LONGEST_ID, properties }
}

/**
 * Rejects a document that is too long in any format.
 *
 * @param documentName The name of the document, for the error
 * @throws ProblemError 413
 */
export function requireRoomForDocument(document: unknown, schema: z.ZodType, documentName: string): void {
  const tooLongFormat = findTooLongFormat(document, schema, ALL_FORMATS, ENTITY_MAX_BYTES - HEADROOM_BYTES)
  if (!tooLongFormat) return
  throw new ProblemError(
    'content-too-large',
    `The ${documentName} is too large. As ${FORMATS[tooLongFormat].mediaType}, and with the members that the service adds, it can have at most ${ENTITY_MAX_BYTES} bytes. If it were larger, you could read it but not send it back.`,
  )
}
