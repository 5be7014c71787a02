import type { Caller } from '../../auth/scheme.ts'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { openSession } from '../../db/client.ts'
import { writeEvent } from '../../events/catalogue.ts'
import { enqueue } from '../../events/message.ts'
import { preconditionFailed } from '../../http/conditions.ts'
import type { RequestContext } from '../../http/context.ts'
import { defineRoute, reply } from '../../http/route.ts'
import { PlanetPath } from '../../schemas/fields.ts'
import { Planet } from '../../schemas/planet.ts'
import { removeObject } from '../../stores/images.ts'
import { explodePlanet, type StoredPlanet, selectPlanet } from '../../stores/planets.ts'
import { requireCreator } from './access.ts'
import { receiverOf } from './callbacks.ts'
import { presentPlanet } from './representation.ts'
import { requireUnchanged } from './versions.ts'

const ATTEMPTS = 5

export const explode = defineRoute({
  method: 'post',
  path: '/planets/{planetId}/explode',
  operationId: 'explodePlanet',
  tag: 'Planets',
  summary: 'Let a planet explode',
  description:
    'Ends a planet of yours, with its satellites and its image, and tells its `successCallbackUrl` so (planetExploded). The answer is the planet as it last was.',
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:planets',
  params: PlanetPath,
  load: (db, { planetId }) => selectPlanet(db, planetId),
  responses: { 200: { description: 'The planet as it last was; it is gone', schema: Planet } },
  problems: ['forbidden', 'precondition-failed'],
  async handle({ caller, loaded }, context) {
    const planet = await blowUp(requireCreator(loaded, caller), caller, context)
    await removeObject(context.services.bucket, planet.imageKey)
    return reply(200, presentPlanet(planet, context.baseUrl))
  },
})

/**
 * Ends a planet as it is, and tells its receiver what it was. Where a writer changes it in between, it is read again.
 *
 * @throws ProblemError 404, 412
 */
async function blowUp(read: StoredPlanet, caller: Caller, context: RequestContext): Promise<StoredPlanet> {
  const { services, session, baseUrl, now } = context
  const required = requireUnchanged(context, read)
  let planet = read
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const body = writeEvent('planetExploded', presentPlanet(planet, baseUrl))
    const messages = await explodePlanet(session.db, planet, body, receiverOf(planet.properties, caller, context), now)
    if (messages) {
      enqueue(services, messages)
      return planet
    }
    if (required !== undefined) throw preconditionFailed()
    // In a session of its own, because a later query of this one may be answered by a replica that lags behind.
    const current = openSession(services.database, 'first-primary')
    planet = requireCreator(await selectPlanet(current.db, read.id), caller)
  }
  throw preconditionFailed()
}
