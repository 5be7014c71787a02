import { doc } from '#doc'
import type { Caller } from '../../auth/scheme.ts'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { commit } from '../../changes/commit.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { PlanetPath } from '../../schemas/fields.ts'
import { Planet } from '../../schemas/planet.ts'
import { presentPlanet } from '../../schemas/present-planet.ts'
import { removeObject } from '../../stores/images.ts'
import { deletePlanet, unchanged } from '../../stores/planets.ts'
import { selectPlanet, type WritablePlanet } from '../../stores/stored-planet.ts'
import { requireCreator } from './access.ts'
import { callTo } from './callbacks.ts'
import { planetExploded } from './happenings.ts'
import { requireExpectedVersion } from './versions.ts'
import { writePlanet } from './write-planet.ts'

/** Deletes a planet like DELETE, but returns its last state and calls its receiver. */
export const explode = defineRoute({
  method: 'post',
  path: '/planets/{planetId}/explode',
  operationId: 'explodePlanet',
  tag: 'Planets',
  summary: 'Explode a planet',
  description: doc(
    'Deletes one of your planets, with its satellites and its image, and calls its `successCallbackUrl` with the event planetExploded. The response is the last state of the planet.',
  ),
  since: '2.0.0',
  security: ALL_SCHEMES,
  scope: 'write:planets',
  params: PlanetPath,
  prefetch: ({ planetId }) => selectPlanet(planetId),
  responses: { 200: { description: doc('The last state of the planet, which was deleted'), schema: Planet } },
  problems: ['forbidden', 'account-limit-reached', 'conflict', 'precondition-failed'],
  async handle({ caller, prefetched }, context) {
    const planet = await deleteAndAnnounce(requireCreator(prefetched, caller), caller, context)
    await removeObject(context.services.bucket, planet.imageKey)
    return reply(200, presentPlanet(planet, context.imageBaseUrl))
  },
})

/**
 * @returns The last state of the planet
 * @throws ProblemError 403 if the account has no room for the delivery; 404 if the planet was deleted since it was
 * read; 409 if the planet kept changing; 412 if the condition names another version
 */
async function deleteAndAnnounce(
  read: WritablePlanet,
  caller: Caller,
  context: RequestContext,
): Promise<WritablePlanet> {
  const isConditional = requireExpectedVersion(context, read)
  return await writePlanet(read, { isConditional, caller, context }, async (planet) => {
    await commit(context, {
      requires: [unchanged(planet)],
      // The deletion of the planet charges the delivery, by a trigger.
      charge: { userId: caller.id, isOnlyChecked: true },
      happened: planetExploded(planet, context),
      calls: await callTo('planetExploded', planet.properties, caller, context),
      statements: [deletePlanet(planet.id)],
    })
    return planet
  })
}
