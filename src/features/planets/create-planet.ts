import type { Caller } from '../../auth/scheme.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import type { Reply } from '../../http/pipeline/reply.ts'
import type { PlanetExtras } from '../../schemas/celestial-body.ts'
import type { PlanetInput } from '../../schemas/planet.ts'
import { insertPlanet } from '../../stores/planets.ts'
import type { StoredPlanet } from '../../stores/stored-planet.ts'
import { enqueue } from '../callbacks/enqueue.ts'
import { receiverOf } from './callbacks.ts'
import { planetCreated } from './happenings.ts'
import { draftSatellites, propertiesOf } from './representation.ts'
import { requireRoomForPlanet } from './room.ts'

/** A planet to create. */
export interface NewPlanet {
  input: PlanetInput
  /** The members that only `/celestial-bodies` shows; null if the planet has none. */
  extras: PlanetExtras | null
}

/** The version of a new planet (db/tables.ts). */
const FIRST_VERSION = 1

/**
 * Stores a planet and queues the callbacks that report it.
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
  const draft = { properties: propertiesOf(input), satellites: draftSatellites(input.satellites, []), extras }
  requireRoomForPlanet(draft.properties, input.satellites)
  const happening = planetCreated(draft, caller, context)
  const announcement = { happening, receiver: await receiverOf(input, caller, context) }
  const { services, session, now } = context
  const { accountLimits } = services.config
  // The reply that is kept for retries. It has marks in place of the ids, which only the database knows.
  const keepReply = await context.prepareReply((futureId) =>
    answer({
      id: futureId(),
      version: FIRST_VERSION,
      properties: draft.properties,
      extras,
      creatorId: caller.id,
      creator: caller,
      lastUpdated: now,
      imageKey: null,
      listsSatellites: draft.satellites !== undefined,
      satellites: (draft.satellites ?? []).map(({ properties }) => ({ id: futureId(), properties })),
    }),
  )
  const { planet, messages } = await insertPlanet(
    session.db,
    caller,
    draft,
    announcement,
    accountLimits,
    now,
    keepReply,
  )
  enqueue(services, messages)
  return answer(planet)
}
