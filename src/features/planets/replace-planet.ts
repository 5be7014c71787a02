import type { Caller } from '../../auth/scheme.ts'
import { commit } from '../../changes/commit.ts'
import { isImageUrl } from '../../domain/image-url.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import type { PlanetInput } from '../../schemas/planet.ts'
import { presentPlanet } from '../../schemas/present-planet.ts'
import { removeObject } from '../../stores/images.ts'
import { unchanged, updatePlanet } from '../../stores/planets.ts'
import { countBodyBytes, type StoredPlanet, type WritablePlanet } from '../../stores/stored-planet.ts'
import { planetUpdated } from './happenings.ts'
import { countNew, draftSatellites, numberSatellites, propertiesOf } from './representation.ts'
import { requireRoomForPlanet } from './room.ts'
import { requireExpectedVersion, timeAfter } from './versions.ts'
import { writePlanet } from './write-planet.ts'

export interface Replacement {
  input: PlanetInput
  /** Whether the planet goes on to show its upload, if it has one. */
  keepsImage: boolean
}

/**
 * Replaces the properties of a planet of the caller. Satellites whose name stays keep their ids.
 *
 * @param read The planet as it was before the body arrived
 * @param replacementFor Says what the planet becomes. It is called again with the new state if another writer was faster
 * @returns The reply with the planet as it is now
 * @throws ProblemError 403 if the account has no room; 404 if the planet was deleted since it was read; 409 if
 * the planet kept changing; 412 if the condition names another version; 413 if the planet would be too large; any error
 * of `replacementFor`
 */
export async function replacePlanet(
  read: WritablePlanet,
  replacementFor: (current: WritablePlanet) => Replacement,
  caller: Caller,
  context: RequestContext,
) {
  const isConditional = requireExpectedVersion(context, read)
  return await writePlanet(read, { isConditional, caller, context }, async (current) => {
    const { input, keepsImage } = replacementFor(current)
    const properties = propertiesOf(input)
    requireRoomForPlanet(properties, input.satellites)
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
    const replaced = reply(200, presentPlanet(planet, context.imageBaseUrl))
    await commit(context, {
      ids,
      requires: [unchanged(current)],
      statements: updatePlanet(current, planet),
      charge: { userId: caller.id, bodyBytes: growth(current, planet), isOnlyChecked: true },
      happened: planetUpdated(current, planet, context),
      reply: replaced,
    })
    if (!keepsImage) await removeObject(context.services.bucket, current.imageKey)
    return replaced
  })
}

/** What a planet becomes by a PUT. Its upload is kept if the request has no image, or the URL of the upload itself. */
export function replaceBy(input: PlanetInput, current: StoredPlanet): Replacement {
  return { input, keepsImage: input.image === undefined || isUploadOf(current, input.image) }
}

/** By how many bytes a planet grows. */
function growth(before: WritablePlanet, after: WritablePlanet): number {
  return countBodyBytes(after) - countBodyBytes(before)
}

function withoutImage({ image: _image, ...properties }: WritablePlanet['properties']): WritablePlanet['properties'] {
  return properties
}

/** Whether an image in a request is the upload that a planet shows, so that the upload is kept. */
export function isUploadOf({ imageKey }: StoredPlanet, image: string | null | undefined): boolean {
  return image != null && imageKey !== null && isImageUrl(image, imageKey)
}
