import { eventOriginOf } from '../../auth/event-origin.ts'
import type { Caller } from '../../auth/scheme.ts'
import { commit } from '../../changes/commit.ts'
import type { Database } from '../../db/port.ts'
import { type Fault, ProblemError, type RefusedBody } from '../../domain/problems.ts'
import type { Reply } from '../../domain/reply.ts'
import { invalidBody } from '../../http/body/reader.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { openAtLatestState, writeWhatWasRead } from '../../http/pipeline/lost-races.ts'
import { membersOf } from '../../lib/objects.ts'
import { type CelestialBodyInput, isNonPlanetType, type NonPlanetType } from '../../schemas/celestial-body.ts'
import { presentSatellite } from '../../schemas/present-planet.ts'
import { SATELLITES_MAX, type Satellite } from '../../schemas/satellite.ts'
import { countBodyBytes, selectPlanet, type WritablePlanet } from '../../stores/stored-planet.ts'
import { findCallbackFaults, reportRejection } from '../planets/callbacks.ts'
import { requireRoomForSatellite } from '../planets/room.ts'
import { createSatelliteOf, makeBody } from './create-satellite.ts'
import { insertCelestialBody, type NewCelestialBody } from './queries.ts'
import { type CelestialBodyDraft, draftCelestialBody, type ShownCelestialBody } from './representation.ts'
import { requireRoomForCelestialBody } from './room.ts'

const PLANET_POINTER = '/orbit/planet/id'

/**
 * The faults of a celestial body that its schema cannot express: callback URLs that the service must not call, and a
 * planet for a body that can belong to no planet.
 */
export function findCelestialBodyFaults(sentBody: unknown, context: RequestContext): Fault[] {
  const { type, orbit } = membersOf(sentBody)
  const { id: planetId } = membersOf(membersOf(orbit).planet)
  const isSatellite = type !== 'star' && isNonPlanetType(type)
  const callbackFaults = findCallbackFaults(sentBody, context)
  if (planetId === undefined || isSatellite) return callbackFaults
  return [...callbackFaults, { pointer: PLANET_POINTER, detail: 'is only allowed for a moon, an asteroid or a comet' }]
}

/** Reports a rejected planet to its `failureCallbackUrl`. Satellites and stars have no callbacks. */
export async function reportRejectedCelestialBody(
  error: RefusedBody,
  caller: Caller,
  context: RequestContext,
): Promise<void> {
  if (!isNonPlanetType(membersOf(error.sentBody).type)) await reportRejection(error, caller, context)
}

/**
 * @throws ProblemError 400 if the planet does not exist or has the maximum number of satellites; 403 if the planet
 * belongs to another user or the account has no room; 409 if the planet kept changing; 413 if the celestial body or its
 * planet would be too large
 */
export async function createCelestialBody<Answer extends Reply>(
  input: CelestialBodyInput,
  type: NonPlanetType,
  caller: Caller,
  context: RequestContext,
  answer: (body: ShownCelestialBody) => Answer,
): Promise<Answer> {
  const planetId = input.orbit?.planet?.id
  const draft = draftCelestialBody(input, type)
  requireRoomForCelestialBody(draft)
  if (planetId === undefined) return await createFreeBody(draft, caller, context, answer)
  const reread = (db: Database) => findPlanet(planetId, draft, caller, db)
  const write = (planet: WritablePlanet) => createSatelliteOf(planet, draft, caller, context, answer)
  // The session of the request has already made a query, so its next query may go to a replica. A replica may not have
  // a planet yet that was just created.
  const read = await reread(openAtLatestState(context))
  const resource = `planet ${planetId}`
  return await writeWhatWasRead({ resource, read, isConditional: false, write, reread }, context)
}

/** Stores a star, or a satellite without a planet. */
async function createFreeBody<Answer extends Reply>(
  draft: CelestialBodyDraft,
  caller: Caller,
  context: RequestContext,
  answer: (body: ShownCelestialBody) => Answer,
): Promise<Answer> {
  const { ids, body } = await makeBody(draft, caller, context)
  const reply = answer({ ...body, planet: null })
  const satellites = newSatellites(body)
  const details = eventOriginOf(caller, context)
  const happened =
    satellites.length > 0 ? ({ kind: 'satellites_created', body: satellites, details } as const) : undefined
  await commit(context, {
    ids,
    statements: insertCelestialBody(body),
    charge: { userId: caller.id, bodies: 1, bodyBytes: countBodyBytes(body) },
    happened,
    reply,
  })
  return reply
}

/** The satellites about which there are events: the new body, unless it is a star, and the satellites that it lists. */
function newSatellites(body: NewCelestialBody): Satellite[] {
  const shown = body.type === 'star' ? body.satellites : [body, ...body.satellites]
  return shown.map((satellite) => presentSatellite(satellite, {}))
}

/**
 * @throws ProblemError 400 if the planet does not exist or has the maximum number of satellites; 403 if it belongs to
 * another user; 413 if it would become too large
 */
async function findPlanet(
  id: number,
  { properties }: CelestialBodyDraft,
  caller: Caller,
  db: Database,
): Promise<WritablePlanet> {
  const [planet] = await db.read(selectPlanet(id))
  if (!planet) throw invalidBody([{ pointer: PLANET_POINTER, detail: 'must be the id of an existing planet' }])
  if (planet.creator.id !== caller.id) {
    throw new ProblemError('forbidden', 'Only the creator of a planet can add satellites to it.')
  }
  requireRoomForSatellite(planet, properties, () => {
    const detail = `names a planet that already has ${SATELLITES_MAX} satellites, which is the maximum`
    return invalidBody([{ pointer: PLANET_POINTER, detail }])
  })
  return planet
}
