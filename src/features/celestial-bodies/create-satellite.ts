import type { Caller } from '../../auth/scheme.ts'
import { commit } from '../../changes/commit.ts'
import type { Reply } from '../../domain/reply.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { unchanged, updatePlanetOnly } from '../../stores/planets.ts'
import { bytesOfJson, countBodyBytes, type WritablePlanet } from '../../stores/stored-planet.ts'
import { planetUpdated } from '../planets/happenings.ts'
import { draftSatellites, numberSatellites } from '../planets/representation.ts'
import { timeAfter } from '../planets/versions.ts'
import { insertCelestialBody } from './queries.ts'
import type { CelestialBodyDraft, ShownCelestialBody } from './representation.ts'

/**
 * Stores a satellite as the last one in the list of a planet.
 *
 * @param planet As it was read; if it has changed since, nothing is stored (LostRace)
 */
export async function createSatelliteOf<Answer extends Reply>(
  planet: WritablePlanet,
  draft: CelestialBodyDraft,
  caller: Caller,
  context: RequestContext,
  answer: (body: ShownCelestialBody) => Answer,
): Promise<Answer> {
  const { ids, body } = await makeBody(draft, caller, context)
  const satellite = { ...body, planetId: planet.id, position: planet.satellites.length }
  const bodyBytes = countBodyBytes(body)
  const planetAfter = {
    ...planet,
    version: planet.version + 1,
    lastUpdated: timeAfter(planet, context.now),
    listsSatellites: true,
    satellites: [
      ...planet.satellites,
      { id: body.id, properties: body.properties, hiddenBytes: bodyBytes - bytesOfJson(body.properties) },
    ],
  }
  const reply = answer({ ...body, planet: { id: planet.id, name: planet.properties.name } })
  await commit(context, {
    ids,
    requires: [unchanged(planet)],
    statements: [...insertCelestialBody(satellite), updatePlanetOnly(planetAfter)],
    // The planet charges the account, by a trigger.
    charge: { userId: caller.id, bodyBytes, isOnlyChecked: true },
    happened: planetUpdated(planet, planetAfter, context),
    reply,
  })
  return reply
}

/** The body to store, and the ids that it uses. */
export async function makeBody(
  { type, properties, extras, satellites }: CelestialBodyDraft,
  { id: creatorId, name, renamedAt }: Caller,
  context: RequestContext,
) {
  const drafts = draftSatellites(satellites)
  const ids = await context.takeIds({ bodies: 1 + drafts.length })
  const body = {
    id: ids.next('bodies'),
    planetId: null,
    position: 0,
    creatorId,
    creator: { id: creatorId, name, renamedAt },
    lastUpdated: context.now,
    type,
    properties,
    extras,
    listsSatellites: satellites !== undefined,
    satellites: numberSatellites(drafts, ids),
  }
  return { ids, body }
}
