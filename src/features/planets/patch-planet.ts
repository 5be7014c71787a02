import { doc } from '#doc'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { requireSafeInput } from '../../http/body/input-safety.ts'
import { type ApplyPatch, patch } from '../../http/body/patch.ts'
import { requireValid, unprocessable } from '../../http/body/reader.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { declaredPart } from '../../schemas/declared-part.ts'
import { PlanetPath } from '../../schemas/fields.ts'
import { PlanetMergePatch } from '../../schemas/patches.ts'
import { Planet, PlanetInput } from '../../schemas/planet.ts'
import { presentPlanet } from '../../schemas/present-planet.ts'
import { selectPlanet, type WritablePlanet } from '../../stores/stored-planet.ts'
import { requireCreator } from './access.ts'
import { findCallbackFaults } from './callbacks.ts'
import { GET_PLANET } from './links.ts'
import { isUploadOf, type Replacement, replacePlanet } from './replace-planet.ts'

export const patchPlanet = defineRoute({
  method: 'patch',
  path: '/planets/{planetId}',
  operationId: 'patchPlanet',
  tag: 'Planets',
  summary: 'Change parts of a planet',
  description: doc(
    'Changes what the patch names, and keeps the rest. The patch is a merge patch (RFC 7396), in which null removes a member, or a JSON Patch (RFC 6902) with at most 1,000 operations. It is applied to the planet as GET returns it in JSON, and the result is stored as by PUT, except that an uploaded image goes if the patch removes `image`. Either all operations are carried out or none. If other requests change the planet at the same moment, the patch is applied to the new state. Send `If-Match` if it may only change the version that you have read. Send `Idempotency-Key` if a retry must not apply the patch a second time.',
  ),
  since: '2.0.0',
  keepsReply: true,
  security: ALL_SCHEMES,
  scope: 'write:planets',
  params: PlanetPath,
  body: patch(PlanetMergePatch),
  prefetch: ({ planetId }) => selectPlanet(planetId),
  responses: { 200: { description: doc('The planet as it is now'), schema: Planet, links: GET_PLANET } },
  problems: [
    'forbidden',
    'account-limit-reached',
    'conflict',
    'patch-conflict',
    'precondition-failed',
    'unprocessable-content',
  ],
  async handle({ body: apply, caller, prefetched }, context) {
    const read = requireCreator(prefetched, caller)
    return await replacePlanet(read, (current) => replaceByPatch(apply, current, context), caller, context)
  },
})

/**
 * What a planet becomes by a patch. Its upload is kept only if the result still has its URL.
 *
 * @throws ProblemError 422 with pointers into the planet; any error of the patch
 */
function replaceByPatch(apply: ApplyPatch, current: WritablePlanet, context: RequestContext): Replacement {
  const shown = declaredPart(Planet, presentPlanet(current, context.imageBaseUrl))
  const result = apply(shown)
  requireSafeInput(result, [], unprocessable)
  const input = requireValid(PlanetInput, result, findCallbackFaults(result, context), unprocessable)
  return { input, image: isUploadOf(current, input.image) ? 'own' : null }
}
