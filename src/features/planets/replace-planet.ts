import type { Caller } from '../../auth/scheme.ts'
import type { Database } from '../../db/client.ts'
import { isImageUrl } from '../../domain/image-url.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { writeWhatWasRead } from '../../http/pipeline/lost-races.ts'
import type { PlanetInput } from '../../schemas/planet.ts'
import { removeObject } from '../../stores/images.ts'
import { type Replacement, updatePlanet } from '../../stores/planets.ts'
import { type StoredPlanet, selectPlanet } from '../../stores/stored-planet.ts'
import { requireCreator } from './access.ts'
import { loggedChange, planetReplaced } from './happenings.ts'
import { draftSatellites, propertiesOf } from './representation.ts'
import { requireRoomForPlanet } from './room.ts'
import { requireExpectedVersion, requireWritten } from './versions.ts'

/**
 * Replaces the properties of a planet of the caller. An uploaded image and the ids of satellites can be kept from the
 * stored planet.
 *
 * @param read The planet as it was before the body arrived
 * @throws ProblemError 403 if the account has no room; 404 if the planet was deleted since it was read; 409 if
 * the planet kept changing; 412 if the condition names another version; 413 if the planet would be too large
 */
export async function replacePlanet(
  read: StoredPlanet,
  input: PlanetInput,
  caller: Caller,
  context: RequestContext,
): Promise<StoredPlanet> {
  const { services, session, now } = context
  const expectedVersion = requireExpectedVersion(context, read)
  const isConditional = expectedVersion !== undefined
  requireRoomForPlanet(propertiesOf(input), input.satellites)
  const write = async (current: StoredPlanet) => {
    const versionToReplace = dependsOnStored(input) ? current.version : expectedVersion
    const replacement = draftReplacement(current, input, versionToReplace)
    const happening = planetReplaced(current, replacement, context)
    // `happening` contains the old values of `current`. If `versionToReplace` is undefined, the write may replace a
    // newer version, so SQL reads the replaced planet for the log. `logged` is what this SQL needs from the request.
    const logged = loggedChange(caller, context)
    const { accountLimits } = services.config
    const outcome = await updatePlanet(session.db, current, replacement, happening, logged, accountLimits, now)
    // A text means that nothing was written: `gone` or `changed`.
    return typeof outcome === 'string' ? outcome : { ...outcome, dropsImage: replacement.image === 'drop' }
  }
  const reread = async (db: Database) => requireCreator(await selectPlanet(db, read.id), caller)
  const outcome = await writeWhatWasRead({ resource: `planet ${read.id}`, read, isConditional, write, reread }, context)
  const { planet, shownKey, dropsImage } = requireWritten(outcome)
  if (dropsImage) await removeObject(services.bucket, shownKey)
  return planet
}

/**
 * Whether the replacement depends on the stored planet: satellites get the ids of the stored ones, and `image` is
 * compared with the URL of the upload. If so, the write must find the version that was read. An absent `image` is not
 * compared: the planet keeps its upload, whichever that is.
 */
function dependsOnStored({ satellites, image }: PlanetInput): boolean {
  return (satellites !== undefined && satellites.length > 0) || typeof image === 'string'
}

/**
 * The content that the write stores.
 *
 * @param expected The version that the write must find; undefined for any version
 */
function draftReplacement(current: StoredPlanet, input: PlanetInput, expected: number | undefined): Replacement {
  const properties = propertiesOf(input)
  const image = keepsUpload(current, input.image) ? 'keep' : 'drop'
  // The URL of an upload is not stored. It is built from the key, with the origin of each request.
  if (image === 'keep') delete properties.image
  return { properties, satellites: draftSatellites(input.satellites, current.satellites), image, expected }
}

/** An upload is kept if the request has no image, or the URL of the upload itself. */
function keepsUpload({ imageKey }: StoredPlanet, image: string | null | undefined): boolean {
  if (image === undefined) return true
  return image !== null && imageKey !== null && isImageUrl(image, imageKey)
}
