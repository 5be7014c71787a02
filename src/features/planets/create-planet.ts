import type { Caller } from '../../auth/scheme.ts'
import { enqueue } from '../../events/message.ts'
import type { RequestContext } from '../../http/context.ts'
import type { PlanetExtras } from '../../schemas/celestial-body.ts'
import type { PlanetInput } from '../../schemas/planet.ts'
import { insertPlanet, type StoredPlanet } from '../../stores/planets.ts'
import { receiverOf, templateOf } from './callbacks.ts'
import { draftSatellites, propertiesOf } from './representation.ts'

/** Stores a planet and lets others be told of it. */
export async function createPlanet(
  input: PlanetInput,
  extras: PlanetExtras | null,
  caller: Caller,
  context: RequestContext,
): Promise<StoredPlanet> {
  const draft = { properties: propertiesOf(input), satellites: draftSatellites(input.satellites, []), extras }
  const announcement = { body: templateOf(draft, caller, context), receiver: receiverOf(input, caller, context) }
  const { planet, messages } = await insertPlanet(context.session.db, caller, draft, announcement, context.now)
  enqueue(context.services, messages)
  return planet
}
