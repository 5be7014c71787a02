import type { Caller } from '../../auth/scheme.ts'
import { commit } from '../../changes/commit.ts'
import { isImageUrl } from '../../domain/image-url.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import type { PlanetInput } from '../../schemas/planet.ts'
import { removeObject } from '../../stores/images.ts'
import { unchanged, updatePlanet } from '../../stores/planets.ts'
import { countBodyBytes, type StoredPlanet, type WritablePlanet } from '../../stores/stored-planet.ts'
import { planetUpdated } from './happenings.ts'
import { countNew, draftSatellites, numberSatellites, propertiesOf } from './representation.ts'
import { requireRoomForPlanet } from './room.ts'
import { requireExpectedVersion, timeAfter } from './versions.ts'
import { writePlanet } from './write-planet.ts'

/**
 * Replaces the properties of a planet of the caller. An uploaded image and the ids of satellites can be kept from the
 * stored planet.
 *
 * @param read The planet as it was before the body arrived
 * @throws ProblemError 403 if the account has no room; 404 if the planet was deleted since it was read; 409 if
 * the planet kept changing; 412 if the condition names another version; 413 if the planet would be too large
 */
export async function replacePlanet(
  read: WritablePlanet,
  input: PlanetInput,
  caller: Caller,
  context: RequestContext,
): Promise<StoredPlanet> {
  const isConditional = requireExpectedVersion(context, read)
  const properties = propertiesOf(input)
  requireRoomForPlanet(properties, input.satellites)
  return await writePlanet(read, { isConditional, caller, context }, async (current) => {
    const keepsImage = keepsUpload(current, input.image)
    const drafts = draftSatellites(input.satellites, current.satellites)
    const ids = await context.takeIds({ bodies: countNew(drafts) })
    const planet = {
      ...current,
      version: current.version + 1,
      lastUpdated: timeAfter(current, context.now),
      // The URL of an upload is not stored. It is built from the key, with the origin of each request.
      properties: keepsImage ? withoutImage(properties) : properties,
      imageKey: keepsImage ? current.imageKey : null,
      listsSatellites: input.satellites !== undefined,
      satellites: numberSatellites(drafts, ids),
    }
    await commit(context, {
      ids,
      requires: [unchanged(current)],
      statements: updatePlanet(current, planet),
      charge: { userId: caller.id, bodyBytes: growth(current, planet), isOnlyChecked: true },
      happened: planetUpdated(current, planet, context),
    })
    if (!keepsImage) await removeObject(context.services.bucket, current.imageKey)
    return planet
  })
}

/** By how many bytes a planet grows. */
function growth(before: WritablePlanet, after: WritablePlanet): number {
  return countBodyBytes(after) - countBodyBytes(before)
}

function withoutImage({ image: _image, ...properties }: WritablePlanet['properties']): WritablePlanet['properties'] {
  return properties
}

/** An upload is kept if the request has no image, or the URL of the upload itself. */
function keepsUpload({ imageKey }: StoredPlanet, image: string | null | undefined): boolean {
  if (image === undefined) return true
  return image !== null && imageKey !== null && isImageUrl(image, imageKey)
}
