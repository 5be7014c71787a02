import type { Caller } from '../../auth/scheme.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import type { PlanetExtras } from '../../schemas/celestial-body.ts'
import type { PlanetInput } from '../../schemas/planet.ts'
import { insertPlanet } from '../../stores/planets.ts'
import type { StoredPlanet } from '../../stores/stored-planet.ts'
import { enqueue } from '../callbacks/enqueue.ts'
import { receiverOf, templateOf } from './callbacks.ts'
import { draftSatellites, propertiesOf } from './representation.ts'
import { requireRoomForPlanet } from './room.ts'

/** A planet to create. */
export interface NewPlanet {
  input: PlanetInput
  /** The members that it has only as a celestial body; null if it has none. */
  extras: PlanetExtras | null
}

/**
 * Stores a planet and queues the callbacks that report it.
 *
 * @throws ProblemError 403 if the account has no room for the planet; 413 if the planet is too large
 */
export async function createPlanet(
  { input, extras }: NewPlanet,
  caller: Caller,
  context: RequestContext,
): Promise<StoredPlanet> {
  const draft = { properties: propertiesOf(input), satellites: draftSatellites(input.satellites, []), extras }
  requireRoomForPlanet(draft.properties, input.satellites)
  const announcement = { body: templateOf(draft, caller, context), receiver: receiverOf(input, caller, context) }
  const { services, session, now } = context
  const { accountLimits } = services.config
  const { planet, messages } = await insertPlanet(session.db, caller, draft, announcement, accountLimits, now)
  enqueue(services, messages)
  return planet
}
