import { doc } from '#doc'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { EXAMPLE_ORIGIN } from '../../domain/example-origin.ts'
import { entity } from '../../http/body/entity.ts'
import { ALL_FORMATS } from '../../http/pipeline/formats.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { PlanetPath } from '../../schemas/fields.ts'
import { Planet, PlanetInput } from '../../schemas/planet.ts'
import { removeObject } from '../../stores/images.ts'
import { selectPlanet } from '../../stores/stored-planet.ts'
import { requireCreator } from './access.ts'
import { findCallbackFaults, reportRejection } from './callbacks.ts'
import { readCatalogue } from './catalogue.ts'
import { copyPlanet } from './copy-planet.ts'
import { createPlanet, replyCreated } from './create-planet.ts'
import { deletePlanet } from './delete-planet.ts'
import { explode } from './explode-planet.ts'
import { getPlanet } from './get-planet.ts'
import { imageFile } from './image-file.ts'
import { GET_PLANET, UPDATE_PLANET } from './links.ts'
import { planetListRoutes } from './list-routes.ts'
import { patchPlanet } from './patch-planet.ts'
import { replaceBy, replacePlanet } from './replace-planet.ts'
import { uploadImage } from './upload-image.ts'

const DELETION_DEPRECATED = new Date('2026-01-01T00:00:00Z')

const create = defineRoute({
  method: 'post',
  path: '/planets',
  operationId: 'createPlanet',
  tag: 'Planets',
  summary: 'Create a planet',
  description: doc(
    'Creates a planet. You can send the properties that only the service sets (`id`, `creator`, `lastUpdated`), but they are ignored. Unknown properties are rejected. After the planet is stored, the service sends it to `successCallbackUrl` in a signed call. If the planet is rejected, the service calls `failureCallbackUrl` instead.',
  ),
  security: ALL_SCHEMES,
  scope: 'write:planets',
  body: entity(PlanetInput, ALL_FORMATS, { inspect: findCallbackFaults }),
  onBodyRefused: reportRejection,
  responses: {
    201: {
      description: doc('The stored planet'),
      schema: Planet,
      headers: ['Location', 'ETag', 'Last-Modified'],
      exampleHeaders: { Location: `${EXAMPLE_ORIGIN}/planets/1` },
      links: { ...GET_PLANET, ...UPDATE_PLANET },
    },
  },
  problems: ['account-limit-reached', 'conflict'],
  async handle({ body, caller }, context) {
    return await createPlanet({ input: body, extras: null }, caller, context, (planet) => replyCreated(planet, context))
  },
})

const replace = defineRoute({
  method: 'put',
  path: '/planets/{planetId}',
  operationId: 'updatePlanet',
  tag: 'Planets',
  summary: 'Update a planet',
  description: doc(
    'Replaces everything in a planet that its creator can set. Properties that you do not send are removed. A satellite keeps its id if its name stays the same. An uploaded image stays unless you set `image`. Send `If-Match` to avoid overwriting a version that you have not read. Writers at the same moment take turns. The response is 409 only if other requests kept changing the planet for five seconds. In this case, send the request again.',
  ),
  security: ALL_SCHEMES,
  scope: 'write:planets',
  params: PlanetPath,
  body: entity(PlanetInput, ALL_FORMATS, { inspect: findCallbackFaults }),
  prefetch: ({ planetId }) => selectPlanet(planetId),
  responses: { 200: { description: doc('The stored planet'), schema: Planet, links: GET_PLANET } },
  problems: ['forbidden', 'account-limit-reached', 'conflict', 'precondition-failed'],
  async handle({ body, caller, prefetched }, context) {
    const read = requireCreator(prefetched, caller)
    return await replacePlanet(read, (current) => replaceBy(body, current), caller, context)
  },
})

const remove = defineRoute({
  method: 'delete',
  path: '/planets/{planetId}',
  operationId: 'deletePlanet',
  tag: 'Planets',
  summary: 'Delete a planet',
  description: doc(
    'Deletes one of your planets, with its satellites and its image. This operation is deprecated because planets with life suffered from it. It still works, but its responses have the header `Deprecation`.',
  ),
  deprecated: DELETION_DEPRECATED,
  // As in the public document (`@scalar/galaxy`).
  hints: { 'x-scalar-stability': 'experimental' },
  security: ALL_SCHEMES,
  scope: 'write:planets',
  params: PlanetPath,
  prefetch: ({ planetId }) => selectPlanet(planetId),
  responses: { 204: { description: doc('The planet was deleted') } },
  problems: ['forbidden', 'precondition-failed'],
  async handle({ caller, prefetched }, context) {
    const planet = requireCreator(prefetched, caller)
    await removeObject(context.services.bucket, await deletePlanet(planet, caller, context))
    return reply(204)
  },
})

export const planetRoutes: readonly Route[] = [
  ...planetListRoutes,
  create,
  getPlanet,
  replace,
  patchPlanet,
  copyPlanet,
  remove,
  explode,
  uploadImage,
  imageFile,
  readCatalogue,
]
