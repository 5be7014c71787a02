import { openSession } from '../../db/client.ts'
import type { RequestContext } from '../../http/context.ts'
import { isImageUrl } from '../../lib/image-url.ts'
import type { PlanetInput } from '../../schemas/planet.ts'
import { removeObject } from '../../stores/images.ts'
import { type Replacement, type StoredPlanet, selectPlanet, updatePlanet } from '../../stores/planets.ts'
import { requireFound } from './access.ts'
import { draftSatellites, propertiesOf } from './representation.ts'
import { requireUnchanged, requireWritten } from './versions.ts'

const ATTEMPTS = 5

/**
 * Replaces what the client owns of a planet. What stays, its upload and the ids of its satellites, follows from the planet
 * as it is; where another writer changes it in between, it is read again. After some attempts the last writer wins.
 *
 * @param read The planet as it was before the body came
 * @throws ProblemError 404, 412
 */
export async function replacePlanet(
  read: StoredPlanet,
  input: PlanetInput,
  context: RequestContext,
): Promise<StoredPlanet> {
  const { services, session, now } = context
  const required = requireUnchanged(context, read)
  let before = read
  for (let attempt = 1; ; attempt++) {
    const replacement = drawUp(before, input, attempt < ATTEMPTS ? before.version : required)
    const outcome = await updatePlanet(session.db, before, replacement, now)
    if (outcome === 'changed' && required === undefined) {
      // A session of its own, because a later query of this one may be answered by a replica that lags behind.
      const { db } = openSession(services.database, 'first-primary')
      const [current] = await selectPlanet(db, before.id)
      before = requireFound(current)
      continue
    }
    const { planet, shownKey } = requireWritten(outcome)
    if (replacement.image === 'drop') await removeObject(services.bucket, shownKey)
    return planet
  }
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
