import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { entity } from '../../http/body.ts'
import { ALL_FORMATS } from '../../http/formats.ts'
import { pageResponse, replyList } from '../../http/pagination.ts'
import { reply } from '../../http/reply.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { PlanetPath } from '../../schemas/fields.ts'
import { PageQuery } from '../../schemas/page.ts'
import { Planet, PlanetInput, PlanetPage } from '../../schemas/planet.ts'
import { removeObject } from '../../stores/images.ts'
import { deletePlanet, listPlanets } from '../../stores/planets.ts'
import { selectPlanet } from '../../stores/stored-planet.ts'
import { requireCreator, requireFound } from './access.ts'
import { findCallbackFaults, tellRefusal } from './callbacks.ts'
import { createPlanet } from './create-planet.ts'
import { explode } from './explode-planet.ts'
import { imageFile } from './image-file.ts'
import { replacePlanet } from './replace-planet.ts'
import { presentPlanet } from './representation.ts'
import { uploadImage } from './upload-image.ts'
import { isPlanetWanted, requireUnchanged, requireWritten, validatorHeaders } from './versions.ts'

const DELETION_DEPRECATED = new Date('2026-01-01T00:00:00Z')

const list = defineRoute({
  method: 'get',
  path: '/planets',
  operationId: 'getAllData',
  tag: 'Planets',
  summary: 'Get all planets',
  description:
    'A page of planets in the order of their ids, beginning with the 5,402 real ones that the service ships with. `meta.next` and the header `Link` lead on.',
  security: [],
  query: PageQuery,
  responses: {
    200: pageResponse('/planets', PlanetPage, 'A page of planets, in the order of their ids', {
      limit: 1,
      total: 5402,
    }),
  },
  async handle({ query }, { session, baseUrl }) {
    const { rows, total } = await listPlanets(session.db, query)
    const planets = rows.map((planet) => presentPlanet(planet, baseUrl))
    return replyList('/planets', query, planets, total)
  },
})

const create = defineRoute({
  method: 'post',
  path: '/planets',
  operationId: 'createPlanet',
  tag: 'Planets',
  summary: 'Create a planet',
  description:
    'Stores a planet of yours. What only the service can say (`id`, `creator`, `lastUpdated`) may be sent and is ignored; an unknown property is refused. `successCallbackUrl` is then called with the planet, signed, as soon as it is stored; `failureCallbackUrl` if the planet is refused.',
  security: ALL_SCHEMES,
  scope: 'write:planets',
  body: entity(PlanetInput, ALL_FORMATS, { inspect: findCallbackFaults }),
  refused: tellRefusal,
  responses: {
    201: {
      description: 'The planet as it is stored',
      schema: Planet,
      headers: ['Location', 'ETag', 'Last-Modified'],
    },
  },
  problems: ['account-limit-reached'],
  async handle({ body, caller }, context) {
    const { baseUrl } = context
    const planet = await createPlanet(body, null, caller, context)
    const headers = { Location: `${baseUrl}/planets/${planet.id}`, ...validatorHeaders(planet, context) }
    return reply(201, presentPlanet(planet, baseUrl), headers)
  },
})

const read = defineRoute({
  method: 'get',
  path: '/planets/{planetId}',
  operationId: 'getPlanet',
  tag: 'Planets',
  summary: 'Get a planet',
  description:
    'One planet, whole. `ETag` and `Last-Modified` tell its version: send them back in `If-None-Match` or `If-Modified-Since`, and a planet that has not changed is answered with 304.',
  security: [],
  params: PlanetPath,
  responses: {
    200: { description: 'The planet', schema: Planet, headers: ['ETag', 'Last-Modified'] },
    304: { description: 'The caller has it as it is', headers: ['ETag', 'Last-Modified'] },
  },
  problems: ['precondition-failed'],
  async handle({ params }, context) {
    const [found] = await selectPlanet(context.session.db, params.planetId)
    const planet = requireFound(found)
    const headers = validatorHeaders(planet, context)
    if (!isPlanetWanted(context, planet)) return reply(304, undefined, headers)
    return reply(200, presentPlanet(planet, context.baseUrl), headers)
  },
})

const replace = defineRoute({
  method: 'put',
  path: '/planets/{planetId}',
  operationId: 'updatePlanet',
  tag: 'Planets',
  summary: 'Update a planet',
  description:
    'Replaces what its creator owns of a planet: what the body does not name is cleared. Satellites keep their ids where their names stay; an uploaded image stays unless `image` says otherwise. `If-Match` keeps you from overwriting what you have not seen. 409: others changed the planet before each of five attempts; send it again.',
  security: ALL_SCHEMES,
  scope: 'write:planets',
  params: PlanetPath,
  body: entity(PlanetInput, ALL_FORMATS, { inspect: findCallbackFaults }),
  load: (db, { planetId }) => selectPlanet(db, planetId),
  responses: { 200: { description: 'The planet as it is stored', schema: Planet } },
  problems: ['forbidden', 'account-limit-reached', 'conflict', 'precondition-failed'],
  async handle({ body, caller, loaded }, context) {
    const planet = await replacePlanet(requireCreator(loaded, caller), body, caller, context)
    return reply(200, presentPlanet(planet, context.baseUrl))
  },
})

const remove = defineRoute({
  method: 'delete',
  path: '/planets/{planetId}',
  operationId: 'deletePlanet',
  tag: 'Planets',
  summary: 'Delete a planet',
  description:
    'Deletes a planet of yours with its satellites and its image. Deprecated, because planets with life suffered from it; it works, and says with the header `Deprecation` that it should not be used.',
  deprecated: DELETION_DEPRECATED,
  hints: { 'x-scalar-stability': 'experimental' },
  security: ALL_SCHEMES,
  scope: 'write:planets',
  params: PlanetPath,
  load: (db, { planetId }) => selectPlanet(db, planetId),
  responses: { 204: { description: 'The planet is gone' } },
  problems: ['forbidden', 'precondition-failed'],
  async handle({ caller, loaded }, context) {
    const planet = requireCreator(loaded, caller)
    const expected = requireUnchanged(context, planet)
    const { shownKey } = requireWritten(await deletePlanet(context.session.db, planet.id, expected))
    await removeObject(context.services.bucket, shownKey)
    return reply(204)
  },
})

export const planetRoutes: readonly Route[] = [list, create, read, replace, remove, explode, uploadImage, imageFile]
