import type { Caller } from '../../auth/scheme.ts'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import type { Database } from '../../db/client.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { writeWhatWasRead } from '../../http/pipeline/lost-races.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { PlanetPath } from '../../schemas/fields.ts'
import { Planet } from '../../schemas/planet.ts'
import { removeObject } from '../../stores/images.ts'
import { explodePlanet } from '../../stores/planets.ts'
import { type StoredPlanet, selectPlanet } from '../../stores/stored-planet.ts'
import { enqueue } from '../callbacks/enqueue.ts'
import { requireCreator } from './access.ts'
import { receiverOf } from './callbacks.ts'
import { planetExploded } from './happenings.ts'
import { presentPlanet } from './representation.ts'
import { requireExpectedVersion } from './versions.ts'

/** Deletes a planet like DELETE, but returns its last state and calls its receiver. */
export const explode = defineRoute({
  method: 'post',
  path: '/planets/{planetId}/explode',
  operationId: 'explodePlanet',
  tag: 'Planets',
  summary: 'Explode a planet',
  description:
    'Deletes one of your planets, with its satellites and its image, and calls its `successCallbackUrl` with the event planetExploded. The response is the last state of the planet.',
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:planets',
  params: PlanetPath,
  prefetch: (db, { planetId }) => selectPlanet(db, planetId),
  responses: { 200: { description: 'The last state of the planet, which was deleted', schema: Planet } },
  problems: ['forbidden', 'account-limit-reached', 'conflict', 'precondition-failed'],
  async handle({ caller, prefetched }, context) {
    const planet = await deleteAndAnnounce(requireCreator(prefetched, caller), caller, context)
    await removeObject(context.services.bucket, planet.imageKey)
    return reply(200, presentPlanet(planet, context.imageBaseUrl))
  },
})

/**
 * Deletes a planet and queues a callback with its last state.
 *
 * @param read The planet as it was read at the start of the request
 * @returns The last state of the planet
 * @throws ProblemError 403 if the account has no room for the delivery; 404 if the planet was deleted since it was
 * read; 409 if the planet kept changing; 412 if the condition names another version
 */
async function deleteAndAnnounce(read: StoredPlanet, caller: Caller, context: RequestContext): Promise<StoredPlanet> {
  const { services, session, now } = context
  const isConditional = requireExpectedVersion(context, read) !== undefined
  const reread = async (db: Database) => requireCreator(await selectPlanet(db, read.id), caller)
  const write = async (planet: StoredPlanet) => {
    const happening = planetExploded(planet, context)
    const receiver = await receiverOf(planet.properties, caller, context)
    const messages = await explodePlanet(session.db, planet, happening, receiver, services.config.accountLimits, now)
    return messages === 'changed' ? 'changed' : { planet, messages }
  }
  const { planet, messages } = await writeWhatWasRead(
    { resource: `planet ${read.id}`, read, isConditional, write, reread },
    context,
  )
  enqueue(services, messages)
  return planet
}
