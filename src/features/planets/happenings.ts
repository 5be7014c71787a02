import { eventOriginOf } from '../../auth/event-origin.ts'
import type { Happened } from '../../changes/change.ts'
import { findOldValues } from '../../events/changes.ts'
import type { Origin, UploadedImage } from '../../events/happening.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { declaredPart } from '../../schemas/declared-part.ts'
import { Planet } from '../../schemas/planet.ts'
import { presentPlanet } from '../../schemas/present-planet.ts'
import { presentUser } from '../../schemas/user.ts'
import type { StoredPlanet } from '../../stores/stored-planet.ts'

// What happens to planets, for events and callbacks (events/happening.ts).

export function planetCreated(planet: StoredPlanet, context: RequestContext): Happened {
  return { kind: 'planet_created', ...about(planet, context) }
}

/** A planet that its creator deletes, in its last state. */
export function planetDeleted(planet: StoredPlanet, context: RequestContext): Happened {
  return { kind: 'planet_deleted', ...about(planet, context) }
}

/** A planet that explodes, in its last state. */
export function planetExploded(planet: StoredPlanet, context: RequestContext): Happened {
  return { kind: 'planet_exploded', ...about(planet, context) }
}

/**
 * A changed planet.
 *
 * @param before The planet before the change
 * @param image The image that was uploaded, if that is the change
 */
export function planetUpdated(
  before: StoredPlanet,
  planet: StoredPlanet,
  context: RequestContext,
  image?: UploadedImage,
): Happened {
  const { body, details, planetId } = about(planet, context)
  const old = findOldValues(declaredPlanet(before, context), body)
  const upload = image && { image, uploader: presentUser(planet.creator) }
  return { kind: 'planet_updated', body, details: { ...details, old, ...upload }, planetId }
}

/** The planet as GET returns it, and the request of its creator. */
function about(planet: StoredPlanet, context: RequestContext): { body: Planet; details: Origin; planetId: number } {
  const details = eventOriginOf(planet.creator, context)
  return { body: declaredPlanet(planet, context), details, planetId: planet.id }
}

function declaredPlanet(planet: StoredPlanet, { imageBaseUrl }: RequestContext): Planet {
  return declaredPart(Planet, presentPlanet(planet, imageBaseUrl))
}
