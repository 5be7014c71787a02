import type { Caller } from '../../auth/scheme.ts'
import { type Fault, ProblemError, type RefusedBody } from '../../domain/problems.ts'
import { findTargetFaults } from '../../http/body/callback-urls.ts'
import { limitFaults } from '../../http/body/input-safety.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { membersOf } from '../../lib/objects.ts'
import { declaredPart } from '../../schemas/declared-part.ts'
import { PLANET_EVENTS, writeEvent } from '../../schemas/events.ts'
import { HttpUrl } from '../../schemas/fields.ts'
import { insertDelivery } from '../../stores/callbacks/new-deliveries.ts'
import type { Receiver } from '../../stores/callbacks/outbox.ts'
import {
  makeTemplate,
  PLANET_ID_MARK,
  type PlanetTemplate,
  satelliteIdMark,
} from '../../stores/callbacks/planet-template.ts'
import type { PlanetDraft } from '../../stores/planets.ts'
import type { StoredPlanet } from '../../stores/stored-planet.ts'
import { enqueue } from '../callbacks/enqueue.ts'
import { presentPlanet } from './representation.ts'

/** The receiver of a planet's events; undefined if the planet has no `successCallbackUrl`. */
export function receiverOf(
  { successCallbackUrl }: { successCallbackUrl?: string | undefined },
  { id }: { id: number },
  { baseUrl }: RequestContext,
): Receiver | undefined {
  if (successCallbackUrl === undefined) return undefined
  return { userId: id, webhookId: null, url: successCallbackUrl, origin: baseUrl }
}

/**
 * The body of the event `planetCreated` for a planet that is not stored yet: the document that GET will return, with
 * marks in place of the new ids.
 */
export function templateOf(
  draft: PlanetDraft,
  creator: StoredPlanet['creator'],
  { baseUrl, now }: RequestContext,
): PlanetTemplate {
  // The schema accepts no marks, so the document is created with the id 1 everywhere. The marks replace it afterwards.
  const satellites = (draft.satellites ?? []).map(({ properties }) => ({ id: 1, properties }))
  const listsSatellites = draft.satellites !== undefined
  const row = { id: 1, creatorId: creator.id, version: 1, imageKey: null, properties: draft.properties, extras: null }
  const stored = { ...row, creator, satellites, listsSatellites, lastUpdated: now }
  const planet = declaredPart(PLANET_EVENTS.planetCreated.payload, presentPlanet(stored, baseUrl))
  return makeTemplate({
    ...planet,
    id: PLANET_ID_MARK,
    ...(planet.satellites && {
      satellites: planet.satellites.map(({ orbit, ...satellite }, position) => ({
        ...satellite,
        id: satelliteIdMark(position),
        ...(orbit && { orbit: { ...orbit, planet: { ...orbit.planet, id: PLANET_ID_MARK } } }),
      })),
    }),
  })
}

/** The faults of the callback URLs of a planet. */
export function findCallbackFaults(sentPlanet: unknown, context: RequestContext): Fault[] {
  const { successCallbackUrl, failureCallbackUrl } = membersOf(sentPlanet)
  return findTargetFaults(
    { '/successCallbackUrl': successCallbackUrl, '/failureCallbackUrl': failureCallbackUrl },
    context,
  )
}

/**
 * Reports a rejected planet to its `failureCallbackUrl`. The report contains the planet as it was sent, and its faults.
 * Does nothing if the planet has no such URL, if the URL is one of the faults, or if the callback log of the caller is
 * full.
 */
export async function reportRejection(
  { sentBody: sentPlanet, faults }: RefusedBody,
  caller: Caller,
  context: RequestContext,
): Promise<void> {
  const { services, session, baseUrl, now } = context
  const url = HttpUrl.safeParse(membersOf(sentPlanet).failureCallbackUrl).data
  // The pointer is empty because it is not used: all that matters is whether there is a fault.
  if (url === undefined || findTargetFaults({ '': url }, context).length > 0) return
  const body = writeEvent('planetCreationFailed', { ...membersOf(sentPlanet), errors: limitFaults(faults) })
  const event = { type: 'planetCreationFailed', planetId: null, body } as const
  const receiver = { userId: caller.id, webhookId: null, url, origin: baseUrl }
  try {
    const delivery = await insertDelivery(session.db, event, receiver, services.config.accountLimits, now)
    enqueue(services, [{ delivery }])
  } catch (error) {
    // The caller must get the faults of the planet, not an error about a full log.
    if (!(error instanceof ProblemError && error.code === 'account-limit-reached')) throw error
  }
}
