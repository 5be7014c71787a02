import type { Caller } from '../../auth/scheme.ts'
import { openSession } from '../../db/client.ts'
import { findTooLong, invalidBody } from '../../http/body.ts'
import type { RequestContext } from '../../http/context.ts'
import { ENTITY_MAX_BYTES } from '../../lib/entity-size.ts'
import { type Fault, ProblemError, type RefusedBody } from '../../lib/errors.ts'
import { type CelestialBodyInput, isOtherType, type OtherType } from '../../schemas/celestial-body.ts'
import { Planet } from '../../schemas/planet.ts'
import { SATELLITES_MAX, type SatelliteInput } from '../../schemas/satellite.ts'
import { type BodyDraft, insertBody, type StoredBody } from '../../stores/bodies.ts'
import { type StoredPlanet, selectPlanet } from '../../stores/planets.ts'
import { draftBody } from './body-representation.ts'
import { findCallbackFaults, tellRefusal } from './callbacks.ts'
import { presentPlanet } from './representation.ts'

const ATTEMPTS = 5
const PLANET_POINTER = '/orbit/planet/id'

/** What is wrong with a celestial body that its schema cannot tell. */
export function findBodyFaults(sent: unknown, context: RequestContext): Fault[] {
  const { type, orbit } = Object(sent)
  const planetId = Object(Object(orbit).planet).id
  const isAttachable = type !== 'star' && isOtherType(type)
  const misplaced = planetId === undefined || isAttachable ? [] : [{ pointer: PLANET_POINTER, detail: NOT_ATTACHABLE }]
  return [...findCallbackFaults(sent, context), ...misplaced]
}

const NOT_ATTACHABLE = 'may only be given for a moon, an asteroid or a comet'

/** Tells who wants to know that a planet was refused, or what could have been one; of other bodies nobody is told. */
export async function tellBodyRefusal(error: RefusedBody, caller: Caller, context: RequestContext): Promise<void> {
  if (!isOtherType(Object(error.sent).type)) await tellRefusal(error, caller, context)
}

/**
 * Stores a satellite or a star. Where its planet goes, or gets its last satellite, in between, that is found out anew.
 *
 * @throws ProblemError 400 where there is no such planet, or it has as many satellites as there may be; 403 where it is
 * somebody else's
 */
export async function createBody(
  input: CelestialBodyInput,
  type: OtherType,
  caller: Caller,
  context: RequestContext,
): Promise<StoredBody> {
  const planetId = input.orbit?.planet?.id
  const draft = draftBody(input, type)
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const planet = planetId === undefined ? undefined : await findPlanet(planetId, draft, caller, context)
    const stored = await insertBody(context.session.db, caller, draft, planet, context.now)
    if (stored) return stored
  }
  throw new Error('a planet has room for a satellite, and then has none, again and again')
}

/**
 * The planet that a satellite is to belong to. In a session of its own each time, so that no replica that lags behind
 * answers.
 *
 * @throws ProblemError 400, 403, 413
 */
async function findPlanet(
  id: number,
  { properties }: BodyDraft,
  caller: Caller,
  { services, baseUrl }: RequestContext,
): Promise<StoredPlanet> {
  const { db } = openSession(services.database, 'first-primary')
  const [planet] = await selectPlanet(db, id)
  if (!planet) throw invalidBody([{ pointer: PLANET_POINTER, detail: 'is the id of no planet' }])
  if (planet.creator.id !== caller.id) {
    throw new ProblemError('forbidden', 'Only its creator may give a planet a satellite.')
  }
  if (planet.satellites.length >= SATELLITES_MAX) {
    const detail = `is of a planet that has ${SATELLITES_MAX} satellites, which is all it may have`
    throw invalidBody([{ pointer: PLANET_POINTER, detail }])
  }
  requireRoom(planet, properties, baseUrl)
  return planet
}

/** A planet can be sent back as it was read: with the new satellite it must not be larger than a body may be. */
function requireRoom(planet: StoredPlanet, properties: SatelliteInput, baseUrl: string): void {
  const satellites = [...planet.satellites, { id: Number.MAX_SAFE_INTEGER, properties }]
  const grown = presentPlanet({ ...planet, satellites, listsSatellites: true }, baseUrl)
  if (!findTooLong(grown, Planet)) return
  throw new ProblemError(
    'content-too-large',
    `With this satellite its planet would have more than ${ENTITY_MAX_BYTES} bytes.`,
  )
}
