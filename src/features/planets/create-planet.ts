import type { Caller } from '../../auth/scheme.ts'
import type { Requirement } from '../../changes/change.ts'
import { commit } from '../../changes/commit.ts'
import type { Reply } from '../../domain/reply.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import type { PlanetExtras } from '../../schemas/celestial-body.ts'
import type { PlanetInput } from '../../schemas/planet.ts'
import { presentPlanet } from '../../schemas/present-planet.ts'
import type { ChosenId } from '../../stores/chosen-ids.ts'
import type { NewImage } from '../../stores/images.ts'
import { FIRST_VERSION, insertPlanet } from '../../stores/planets.ts'
import { countBodyBytes, type StoredPlanet, type WritablePlanet } from '../../stores/stored-planet.ts'
import { callTo } from './callbacks.ts'
import { planetCreated } from './happenings.ts'
import { countNew, draftSatellites, numberSatellites, propertiesOf } from './representation.ts'
import { requireRoomForPlanet } from './room.ts'
import { planetValidatorHeaders } from './versions.ts'

export interface NewPlanet {
  input: PlanetInput
  /** The members that only `/celestial-bodies` shows; null if the planet has none. */
  extras: PlanetExtras | null
  /** The id that the caller has chosen; absent if the service chooses it. */
  chosen?: ChosenId | undefined
  /** An upload that is stored (`storeImageFor`), and that no planet shows yet. */
  image?: NewImage | null
  /** What must hold when the planet is written. */
  requires?: readonly Requirement[]
}

/**
 * @throws ProblemError 403 if the account has no room for the planet; 413 if the planet is too large; LostRace if the
 * chosen id cannot be chosen any more
 */
export async function createPlanet<Answer extends Reply>(
  { input, extras, chosen, image = null, requires = [] }: NewPlanet,
  caller: Caller,
  context: RequestContext,
  answer: (planet: StoredPlanet) => Answer,
): Promise<Answer> {
  const properties = propertiesOf(input)
  const drafts = draftSatellites(input.satellites)
  requireRoomForPlanet(properties, input.satellites)
  const calls = await callTo('planetCreated', input, caller, context)
  const newBodies = { bodies: countNew(drafts) }
  // With a chosen id, none are taken in advance, because they would be lost to the next chosen one.
  const ids = await context.takeIds<'planets' | 'bodies'>(chosen ? newBodies : { planets: 1, ...newBodies })
  const planet: WritablePlanet = {
    id: chosen?.id ?? ids.next('planets'),
    version: FIRST_VERSION,
    properties,
    extras,
    creatorId: caller.id,
    creator: caller,
    lastUpdated: context.now,
    imageKey: image?.key ?? null,
    listsSatellites: input.satellites !== undefined,
    satellites: numberSatellites(drafts, ids),
  }
  const created = answer(planet)
  await commit(context, {
    ids,
    requires: chosen ? [...requires, chosen.requires] : requires,
    statements: [...(chosen?.counts ?? []), ...insertPlanet(planet)],
    charge: {
      userId: caller.id,
      bodies: 1,
      bodyBytes: countBodyBytes(planet),
      ...(image && { image: { bytes: image.bytes.byteLength, replaces: null } }),
    },
    happened: planetCreated(planet, context),
    announces: 'newPlanet',
    calls,
    reply: created,
  })
  if (chosen?.isSkippedTo) context.services.ids.skipTo('planets', chosen.id)
  return created
}

export function replyCreated(planet: StoredPlanet, context: RequestContext) {
  const { baseUrl, imageBaseUrl } = context
  const headers = { Location: `${baseUrl}/planets/${planet.id}`, ...planetValidatorHeaders(planet, context) }
  return reply(201, presentPlanet(planet, imageBaseUrl), headers)
}
