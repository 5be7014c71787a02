import type { Caller } from '../../auth/scheme.ts'
import type { Requirement } from '../../changes/change.ts'
import { commit } from '../../changes/commit.ts'
import type { Reply } from '../../domain/reply.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import type { PlanetExtras } from '../../schemas/celestial-body.ts'
import type { PlanetInput } from '../../schemas/planet.ts'
import { presentPlanet } from '../../schemas/present-planet.ts'
import type { NewImage } from '../../stores/images.ts'
import { FIRST_VERSION, insertPlanet, unused } from '../../stores/planets.ts'
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
  id?: number | undefined
  /** An upload that is stored (`storeImageFor`), and that no planet shows yet. */
  image?: NewImage | null
  /** What must hold when the planet is written. */
  requires?: readonly Requirement[]
}

/**
 * @throws ProblemError 403 if the account has no room for the planet; 413 if the planet is too large; LostRace if the
 * chosen id was given meanwhile
 */
export async function createPlanet<Answer extends Reply>(
  { input, extras, id: chosenId, image = null, requires = [] }: NewPlanet,
  caller: Caller,
  context: RequestContext,
  answer: (planet: StoredPlanet) => Answer,
): Promise<Answer> {
  const properties = propertiesOf(input)
  const drafts = draftSatellites(input.satellites)
  requireRoomForPlanet(properties, input.satellites)
  const calls = await callTo('planetCreated', input, caller, context)
  const ids = await context.takeIds({ planets: chosenId === undefined ? 1 : 0, bodies: countNew(drafts) })
  const planet: WritablePlanet = {
    id: chosenId ?? ids.next('planets'),
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
    requires: chosenId === undefined ? requires : [...requires, unused(chosenId)],
    statements: insertPlanet(planet),
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
  if (chosenId !== undefined) context.services.ids.skipTo('planets', chosenId)
  return created
}

export function replyCreated(planet: StoredPlanet, context: RequestContext) {
  const { baseUrl, imageBaseUrl } = context
  const headers = { Location: `${baseUrl}/planets/${planet.id}`, ...planetValidatorHeaders(planet, context) }
  return reply(201, presentPlanet(planet, imageBaseUrl), headers)
}
