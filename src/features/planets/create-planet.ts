import type { Caller } from '../../auth/scheme.ts'
import { commit } from '../../changes/commit.ts'
import type { Reply } from '../../domain/reply.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import type { PlanetExtras } from '../../schemas/celestial-body.ts'
import type { PlanetInput } from '../../schemas/planet.ts'
import { FIRST_VERSION, insertPlanet } from '../../stores/planets.ts'
import { countBodyBytes, type StoredPlanet, type WritablePlanet } from '../../stores/stored-planet.ts'
import { callTo } from './callbacks.ts'
import { planetCreated } from './happenings.ts'
import { countNew, draftSatellites, numberSatellites, propertiesOf } from './representation.ts'
import { requireRoomForPlanet } from './room.ts'

export interface NewPlanet {
  input: PlanetInput
  /** The members that only `/celestial-bodies` shows; null if the planet has none. */
  extras: PlanetExtras | null
}

/**
 * Stores a planet, and calls those who want to know about it.
 *
 * @param answer Creates the reply to the request
 * @returns The reply
 * @throws ProblemError 403 if the account has no room for the planet; 413 if the planet is too large
 */
export async function createPlanet<Answer extends Reply>(
  { input, extras }: NewPlanet,
  caller: Caller,
  context: RequestContext,
  answer: (planet: StoredPlanet) => Answer,
): Promise<Answer> {
  const properties = propertiesOf(input)
  const drafts = draftSatellites(input.satellites)
  requireRoomForPlanet(properties, input.satellites)
  const calls = await callTo('planetCreated', input, caller, context)
  const ids = await context.takeIds({ planets: 1, bodies: countNew(drafts) })
  const planet: WritablePlanet = {
    id: ids.next('planets'),
    version: FIRST_VERSION,
    properties,
    extras,
    creatorId: caller.id,
    creator: caller,
    lastUpdated: context.now,
    imageKey: null,
    listsSatellites: input.satellites !== undefined,
    satellites: numberSatellites(drafts, ids),
  }
  const reply = answer(planet)
  await commit(context, {
    ids,
    statements: insertPlanet(planet),
    charge: { userId: caller.id, bodies: 1, bodyBytes: countBodyBytes(planet) },
    happened: planetCreated(planet, context),
    announces: 'newPlanet',
    calls,
    reply,
  })
  return reply
}
