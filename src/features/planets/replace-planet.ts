import type { Caller } from '../../auth/scheme.ts'
import type { Requirement } from '../../changes/change.ts'
import { commit } from '../../changes/commit.ts'
import { isImageUrl } from '../../domain/image-url.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import type { PlanetInput } from '../../schemas/planet.ts'
import { presentPlanet } from '../../schemas/present-planet.ts'
import { type NewImage, removeObject } from '../../stores/images.ts'
import { unchanged, updatePlanet } from '../../stores/planets.ts'
import { countBodyBytes, type StoredPlanet, type WritablePlanet } from '../../stores/stored-planet.ts'
import { planetUpdated } from './happenings.ts'
import { countNew, draftSatellites, numberSatellites, propertiesOf } from './representation.ts'
import { requireRoomForPlanet } from './room.ts'
import { requireExpectedVersion, timeAfter } from './versions.ts'
import { writePlanet } from './write-planet.ts'

/** What a planet becomes. */
export interface Replacement {
  input: PlanetInput
  /**
   * The upload that the planet shows from now on: its own, or one that is stored (`storeImageFor`) and that no planet
   * shows yet; null if it shows none.
   */
  image: 'own' | NewImage | null
  /** What else must hold when the planet is written. */
  requires?: readonly Requirement[]
}

/**
 * Replaces the properties of a planet of the caller. If another writer was faster, it tries again.
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
  return await writePlanet(read, { isConditional, caller, context }, (current) =>
    replaceOnce(current, replacementFor(current), context),
  )
}

/**
 * Replaces the properties of a planet, as its creator. Satellites whose name stays keep their ids. An upload that the
 * planet does not show any more is removed.
 *
 * @returns The reply with the planet as it is now
 * @throws ProblemError 403 if the account has no room; 413 if the planet would be too large; LostRace if another writer
 * was faster
 */
export async function replaceOnce(
  current: WritablePlanet,
  { input, image, requires = [] }: Replacement,
  context: RequestContext,
) {
  const properties = propertiesOf(input)
  requireRoomForPlanet(properties, input.satellites)
  const drafts = draftSatellites(input.satellites, current.satellites)
  const ids = await context.takeIds({ bodies: countNew(drafts) })
  const newImage = image === 'own' ? null : image
  const imageKey = image === 'own' ? current.imageKey : (image?.key ?? null)
  const planet = {
    ...current,
    version: current.version + 1,
    lastUpdated: timeAfter(current, context.now),
    // The URL of an upload is not stored. It is built from the key, with the origin of each request.
    properties: imageKey === null ? properties : withoutImage(properties),
    imageKey,
    listsSatellites: input.satellites !== undefined,
    satellites: numberSatellites(drafts, ids),
  }
  const replaced = reply(200, presentPlanet(planet, context.imageBaseUrl))
  await commit(context, {
    ids,
    requires: [unchanged(current), ...requires],
    statements: updatePlanet(current, planet),
    charge: {
      userId: current.creator.id,
      bodyBytes: growth(current, planet),
      ...(newImage && { image: { bytes: newImage.bytes.byteLength, replaces: current.imageKey } }),
      isOnlyChecked: true,
    },
    happened: planetUpdated(current, planet, context),
    reply: replaced,
  })
  if (image !== 'own') await removeObject(context.services.bucket, current.imageKey)
  return replaced
}

/** What a planet becomes by a PUT. Its upload is kept if the request has no image, or the URL of the upload itself. */
export function replaceBy(input: PlanetInput, current: StoredPlanet): Replacement {
  const keepsImage = input.image === undefined || isUploadOf(current, input.image)
  return { input, image: keepsImage ? 'own' : null }
}

/** By how many bytes a planet grows. */
function growth(before: WritablePlanet, after: WritablePlanet): number {
  return countBodyBytes(after) - countBodyBytes(before)
}

export function withoutImage({
  image: _image,
  ...properties
}: WritablePlanet['properties']): WritablePlanet['properties'] {
  return properties
}

/** Whether an image in a request is the upload that a planet shows, so that the upload is kept. */
export function isUploadOf({ imageKey }: StoredPlanet, image: string | null | undefined): boolean {
  return image != null && imageKey !== null && isImageUrl(image, imageKey)
}
