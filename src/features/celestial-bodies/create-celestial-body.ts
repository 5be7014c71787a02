import { eventOriginOf } from '../../auth/event-origin.ts'
import type { Caller } from '../../auth/scheme.ts'
import type { Database } from '../../db/client.ts'
import { imageUrlPrefix } from '../../domain/image-url.ts'
import { type Fault, ProblemError, type RefusedBody } from '../../domain/problems.ts'
import { invalidBody } from '../../http/body/reader.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { openAtLatestState, writeWhatWasRead } from '../../http/pipeline/lost-races.ts'
import type { Reply } from '../../http/pipeline/reply.ts'
import { membersOf } from '../../lib/objects.ts'
import { type CelestialBodyInput, isNonPlanetType, type NonPlanetType } from '../../schemas/celestial-body.ts'
import { SATELLITES_MAX, type Satellite, type SatelliteInput } from '../../schemas/satellite.ts'
import { OWN_ID_MARK, satelliteIdMark } from '../../stores/callbacks/planet-template.ts'
import { type StoredPlanet, selectPlanet } from '../../stores/stored-planet.ts'
import { findCallbackFaults, reportRejection } from '../planets/callbacks.ts'
import { presentSatellite } from '../planets/representation.ts'
import { requireRoomForSatellite } from '../planets/room.ts'
import { type CelestialBodyDraft, insertCelestialBody } from './queries.ts'
import { draftCelestialBody, type ShownCelestialBody } from './representation.ts'
import { requireRoomForCelestialBody } from './room.ts'

const PLANET_POINTER = '/orbit/planet/id'

/** An id that the mark of a new body replaces. */
const ANY_ID = 1

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
 * Stores a satellite or a star.
 *
 * @param answer Creates the reply to the request
 * @returns The reply
 * @throws ProblemError 400 if the planet does not exist or has the maximum number of satellites; 403 if the planet
 * belongs to another user or the account has no room; 409 if the planet kept changing; 413 if the celestial body or
 * its planet would be too large
 */
export async function createCelestialBody<Answer extends Reply>(
  input: CelestialBodyInput,
  type: NonPlanetType,
  caller: Caller,
  context: RequestContext,
  answer: (body: ShownCelestialBody) => Answer,
): Promise<Answer> {
  const { services, session, now } = context
  const { accountLimits } = services.config
  const planetId = input.orbit?.planet?.id
  const draft = draftCelestialBody(input, type)
  requireRoomForCelestialBody(draft)
  const logged = {
    satellites: newSatellites(draft),
    origin: eventOriginOf(caller, context),
    imageUrlPrefix: imageUrlPrefix(context.imageBaseUrl),
  }
  const readPlanet = async (db: Database) =>
    planetId === undefined ? undefined : await findPlanet(planetId, draft, caller, db)
  const write = async (planet: StoredPlanet | undefined) => {
    const reference = planet ? { id: planet.id, name: planet.properties.name } : null
    // The reply that is kept for retries. It has marks in place of the ids, which only the database knows.
    const keepReply = await context.prepareReply((futureId) =>
      answer({
        id: futureId(),
        type,
        properties: draft.properties,
        extras: draft.extras,
        creator: caller,
        planet: reference,
        lastUpdated: now,
        listsSatellites: draft.satellites !== undefined,
        satellites: (draft.satellites ?? []).map(({ properties }) => ({ id: futureId(), properties })),
      }),
    )
    const body = await insertCelestialBody(session.db, caller, draft, planet, logged, accountLimits, now, keepReply)
    return body === 'changed' ? body : answer({ ...body, planet: reference })
  }
  // The session of the request has already made a query, so its next query may go to a replica. A replica may not have
  // a planet yet that was just created.
  const read = await readPlanet(openAtLatestState(context))
  return await writeWhatWasRead(
    { resource: `planet ${planetId}`, read, isConditional: false, write, reread: readPlanet },
    context,
  )
}

/**
 * The satellites about which the log gets events: the new body, unless it is a star, and the satellites that it lists.
 * Their ids are marks, because only the database knows the ids (`planet-template.ts`).
 */
function newSatellites({ type, properties, satellites = [] }: CelestialBodyDraft): Satellite[] {
  const bodyIfSatellite = type === 'star' ? [] : [markedSatellite(properties, OWN_ID_MARK)]
  const listedSatellites = satellites.map((draft, position) =>
    markedSatellite(draft.properties, satelliteIdMark(position)),
  )
  return [...bodyIfSatellite, ...listedSatellites]
}

/** A satellite with a mark instead of its id. */
function markedSatellite(properties: SatelliteInput, mark: string): Satellite {
  // The cast hides that the mark is a string. The database replaces it with the id, a number, when it stores the event.
  return { ...presentSatellite({ id: ANY_ID, properties }, {}), id: mark as unknown as number }
}

/**
 * The planet to which a new satellite will belong.
 *
 * @throws ProblemError 400 if it does not exist or has the maximum number of satellites; 403 if it belongs to another
 * user; 413 if it would become too large
 */
async function findPlanet(
  id: number,
  { properties }: CelestialBodyDraft,
  caller: Caller,
  db: Database,
): Promise<StoredPlanet> {
  const [planet] = await selectPlanet(db, id)
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
