import type { Caller } from '../../auth/scheme.ts'
import type { Database } from '../../db/client.ts'
import { type Fault, ProblemError, type RefusedBody } from '../../domain/problems.ts'
import { invalidBody } from '../../http/body/reader.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { openAtLatestState, writeWhatWasRead } from '../../http/pipeline/lost-races.ts'
import { membersOf } from '../../lib/objects.ts'
import { type CelestialBodyInput, isNonPlanetType, type NonPlanetType } from '../../schemas/celestial-body.ts'
import { SATELLITES_MAX } from '../../schemas/satellite.ts'
import { type CelestialBodyDraft, insertCelestialBody } from '../../stores/celestial-bodies.ts'
import type { StoredCelestialBody } from '../../stores/stored-celestial-body.ts'
import { type StoredPlanet, selectPlanet } from '../../stores/stored-planet.ts'
import { findCallbackFaults, reportRejection } from '../planets/callbacks.ts'
import { requireRoomForSatellite } from '../planets/room.ts'
import { draftCelestialBody } from './representation.ts'
import { requireRoomForCelestialBody } from './room.ts'

const PLANET_POINTER = '/orbit/planet/id'

/** The faults of a celestial body that its schema cannot express. */
export function findCelestialBodyFaults(sentBody: unknown, context: RequestContext): Fault[] {
  const { type, orbit } = membersOf(sentBody)
  const { id: planetId } = membersOf(membersOf(orbit).planet)
  const isSatellite = type !== 'star' && isNonPlanetType(type)
  const faults = findCallbackFaults(sentBody, context)
  if (planetId === undefined || isSatellite) return faults
  return [...faults, { pointer: PLANET_POINTER, detail: 'is only allowed for a moon, an asteroid or a comet' }]
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
 * @throws ProblemError 400 if the planet does not exist or has the maximum number of satellites; 403 if the planet
 * belongs to another user or the account has no room; 409; 413
 */
export async function createCelestialBody(
  input: CelestialBodyInput,
  type: NonPlanetType,
  caller: Caller,
  context: RequestContext,
): Promise<StoredCelestialBody> {
  const { services, session, now } = context
  const { accountLimits } = services.config
  const planetId = input.orbit?.planet?.id
  const draft = draftCelestialBody(input, type)
  requireRoomForCelestialBody(draft)
  const readPlanet = async (db: Database) =>
    planetId === undefined ? undefined : await findPlanet(planetId, draft, caller, db)
  const write = async (planet: StoredPlanet | undefined) => {
    const body = await insertCelestialBody(session.db, caller, draft, planet, accountLimits, now)
    const reference = planet ? { id: planet.id, name: planet.properties.name } : null
    return body === 'changed' ? body : { ...body, planet: reference }
  }
  const read = await readPlanet(openAtLatestState(context))
  return await writeWhatWasRead({ read, isConditional: false, write, reread: readPlanet }, context)
}

/**
 * The planet to which a new satellite will belong.
 *
 * @throws ProblemError 400, 403, 413
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
