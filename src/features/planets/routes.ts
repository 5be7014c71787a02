import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { entity } from '../../http/body.ts'
import { paginate } from '../../http/pagination.ts'
import { defineRoute, type Route, reply } from '../../http/route.ts'
import { PlanetPath } from '../../schemas/fields.ts'
import { PageQuery, pageOf } from '../../schemas/page.ts'
import { Planet, PlanetInput } from '../../schemas/planet.ts'
import { removeObject } from '../../stores/images.ts'
import { deletePlanet, insertPlanet, listPlanets, selectPlanet } from '../../stores/planets.ts'
import { requireCreator, requireFound } from './access.ts'
import { replacePlanet } from './replace-planet.ts'
import { draftSatellites, presentPlanet, propertiesOf } from './representation.ts'
import { uploadImage } from './upload-image.ts'
import { isPlanetWanted, requireUnchanged, requireWritten, validatorHeaders } from './versions.ts'

const PlanetPage = pageOf(Planet).meta({ id: 'PlanetPage', xml: { name: 'planets' } })

const list = defineRoute({
  method: 'get',
  path: '/planets',
  operationId: 'getAllData',
  summary: 'Get all planets',
  security: [],
  query: PageQuery,
  responses: {
    200: {
      description: 'A page of planets, in the order of their ids',
      schema: PlanetPage,
      headers: ['Link', 'X-Pagination-Total', 'X-Pagination-Page', 'X-Pagination-Per-Page'],
    },
  },
  async handle({ query }, { session, baseUrl }) {
    const { rows, total } = await listPlanets(session.db, query)
    const planets = rows.map((planet) => presentPlanet(planet, baseUrl))
    const page = paginate('/planets', query, planets, total)
    return reply(200, page.body, page.headers)
  },
})

const create = defineRoute({
  method: 'post',
  path: '/planets',
  operationId: 'createPlanet',
  summary: 'Create a planet',
  security: ALL_SCHEMES,
  body: entity(PlanetInput),
  responses: {
    201: {
      description: 'The planet as it is stored',
      schema: Planet,
      headers: ['Location', 'ETag', 'Last-Modified'],
    },
  },
  async handle({ body, caller }, { session, baseUrl, now }) {
    const draft = { properties: propertiesOf(body), satellites: draftSatellites(body.satellites, []) }
    const planet = await insertPlanet(session.db, caller, draft, now)
    const headers = { Location: `${baseUrl}/planets/${planet.id}`, ...validatorHeaders(planet) }
    return reply(201, presentPlanet(planet, baseUrl), headers)
  },
})

const read = defineRoute({
  method: 'get',
  path: '/planets/{planetId}',
  operationId: 'getPlanet',
  summary: 'Get a planet',
  security: [],
  params: PlanetPath,
  responses: {
    200: { description: 'The planet', schema: Planet, headers: ['ETag', 'Last-Modified'] },
    304: { description: 'The caller has it as it is', headers: ['ETag', 'Last-Modified'] },
  },
  async handle({ params }, { session, baseUrl, headers }) {
    const [found] = await selectPlanet(session.db, params.planetId)
    const planet = requireFound(found)
    if (!isPlanetWanted(headers, planet)) return reply(304, undefined, validatorHeaders(planet))
    return reply(200, presentPlanet(planet, baseUrl), validatorHeaders(planet))
  },
})

const replace = defineRoute({
  method: 'put',
  path: '/planets/{planetId}',
  operationId: 'updatePlanet',
  summary: 'Update a planet',
  security: ALL_SCHEMES,
  params: PlanetPath,
  body: entity(PlanetInput),
  load: (db, { planetId }) => selectPlanet(db, planetId),
  responses: { 200: { description: 'The planet as it is stored', schema: Planet } },
  async handle({ body, caller, loaded }, context) {
    const planet = await replacePlanet(requireCreator(loaded, caller), body, context)
    return reply(200, presentPlanet(planet, context.baseUrl))
  },
})

const remove = defineRoute({
  method: 'delete',
  path: '/planets/{planetId}',
  operationId: 'deletePlanet',
  summary: 'Delete a planet',
  security: ALL_SCHEMES,
  params: PlanetPath,
  load: (db, { planetId }) => selectPlanet(db, planetId),
  responses: { 204: { description: 'The planet is gone' } },
  async handle({ caller, loaded }, { services, session, headers }) {
    const planet = requireCreator(loaded, caller)
    const expected = requireUnchanged(headers, planet)
    const { shownKey } = requireWritten(await deletePlanet(session.db, planet.id, expected))
    await removeObject(services.bucket, shownKey)
    return reply(204)
  },
})

export const planetRoutes: readonly Route[] = [list, create, read, replace, remove, uploadImage]
