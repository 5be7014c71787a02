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
import { draftSatellites, propertiesOf } from './representation.ts'
import { requireRoomForPlanet } from './room.ts'
import { requireUnchanged, requireWritten } from './versions.ts'

/**
 * Replaces what the client owns of a planet. What stays, its upload and the ids of its satellites, follows from the planet
 * as it is.
 *
 * @param read The planet as it was before the body came
 * @throws ProblemError 403, 404, 409, 412, 413
 */
export async function replacePlanet(
  read: StoredPlanet,
  input: PlanetInput,
  caller: Caller,
  context: RequestContext,
): Promise<StoredPlanet> {
  const { services, session, now } = context
  const required = requireUnchanged(context, read)
  const isConditional = required !== undefined
  requireRoomForPlanet(propertiesOf(input), input.satellites)
  const write = async (before: StoredPlanet) => {
    const replacement = drawUp(before, input, dependsOnPlanet(input) ? before.version : required)
    const outcome = await updatePlanet(session.db, before, replacement, services.config.accountLimits, now)
    return typeof outcome === 'string' ? outcome : { ...outcome, drops: replacement.image === 'drop' }
  }
  const reread = async (db: Database) => requireCreator(await selectPlanet(db, read.id), caller)
  const outcome = await writeWhatWasRead({ read, isConditional, write, reread }, context)
  const { planet, shownKey, drops } = requireWritten(outcome)
  if (drops) await removeObject(services.bucket, shownKey)
  return planet
}

/** Whether what is to be written follows from the planet as it is: otherwise there is no race that could be lost. */
function dependsOnPlanet({ satellites, image }: PlanetInput): boolean {
  return (satellites !== undefined && satellites.length > 0) || typeof image === 'string'
}

function drawUp(before: StoredPlanet, input: PlanetInput, expected: number | undefined): Replacement {
  const properties = propertiesOf(input)
  const image = keepsUpload(before, input.image) ? 'keep' : 'drop'
  // The upload's URL is made from its key, for whatever name the service is then called by.
  if (image === 'keep') delete properties.image
  return { properties, satellites: draftSatellites(input.satellites, before.satellites), image, expected }
}

/** An upload stays unless the request says otherwise: an image that is absent, or the upload's own URL, does not. */
function keepsUpload({ imageKey }: StoredPlanet, image: string | null | undefined): boolean {
  if (image === undefined) return true
  return image !== null && imageKey !== null && isImageUrl(image, imageKey)
}
