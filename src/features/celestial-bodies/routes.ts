import { doc } from '#doc'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import type { Database } from '../../db/port.ts'
import { EXAMPLE_ORIGIN } from '../../domain/example-origin.ts'
import { ProblemError } from '../../domain/problems.ts'
import { entity } from '../../http/body/entity.ts'
import { isRepresentationWanted, makeValidators, tagContent, validatorHeaders } from '../../http/conditions.ts'
import { pageResponse, replyList } from '../../http/pagination.ts'
import { ALL_FORMATS } from '../../http/pipeline/formats.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import {
  CelestialBody,
  CelestialBodyInput,
  CelestialBodyPage,
  CelestialBodyPath,
  CelestialBodyQuery,
  isPlanetType,
} from '../../schemas/celestial-body.ts'
import { selectCelestialBody } from '../../stores/stored-celestial-body.ts'
import { selectPlanet } from '../../stores/stored-planet.ts'
import { createPlanet } from '../planets/create-planet.ts'
import { requireSearchesLeft } from '../planets/search-limit.ts'
import { lastModifiedOf } from '../planets/versions.ts'
import { createCelestialBody, findCelestialBodyFaults, reportRejectedCelestialBody } from './create-celestial-body.ts'
import { isPlanetId, listCelestialBodies, listCelestialBodiesOfType } from './queries.ts'
import {
  presentCelestialBodies,
  presentCelestialBody,
  presentPlanetAsCelestialBody,
  splitPlanet,
} from './representation.ts'

const PATH = '/celestial-bodies'

const create = defineRoute({
  method: 'post',
  path: PATH,
  operationId: 'createCelestialBody',
  tag: 'Celestial Bodies',
  summary: 'Create a celestial body',
  description: doc(
    'Creates a planet, a satellite or a star, depending on `type`:\n\n- With one of the five planet types, or without `type`, it creates a planet, which is also available at /planets.\n- `moon`, `asteroid` and `comet` create a satellite. It belongs to the planet in `orbit.planet.id`, which must be one of yours. Without `orbit.planet.id`, it belongs to no planet.\n- `star` creates a star.\n\nEvery celestial body can have all properties of planets and satellites.',
  ),
  security: ALL_SCHEMES,
  scope: 'write:planets',
  body: entity(CelestialBodyInput, ['json'], { inspect: findCelestialBodyFaults, responseFormats: ALL_FORMATS }),
  onBodyRefused: reportRejectedCelestialBody,
  responses: {
    201: {
      description: doc('The new celestial body'),
      schema: CelestialBody,
      headers: ['Location'],
      exampleHeaders: { Location: `${EXAMPLE_ORIGIN}${PATH}/1000000001` },
      links: {
        GetCelestialBody: {
          operationId: 'getCelestialBody',
          description: doc('The celestial body, as anyone can read it'),
          parameters: { celestialBodyId: '$response.body#/id' },
        },
      },
    },
  },
  problems: ['forbidden', 'account-limit-reached', 'conflict'],
  async handle({ body, caller }, context) {
    const { baseUrl, imageBaseUrl } = context
    const { type } = body
    if (isPlanetType(type)) {
      return await createPlanet(splitPlanet(body, type), caller, context, (planet) =>
        reply(201, presentPlanetAsCelestialBody(planet, imageBaseUrl), { Location: `${baseUrl}/planets/${planet.id}` }),
      )
    }
    return await createCelestialBody(body, type, caller, context, (stored) =>
      reply(201, presentCelestialBody(stored), { Location: `${baseUrl}${PATH}/${stored.id}` }),
    )
  },
})

const list = defineRoute({
  method: 'get',
  path: PATH,
  operationId: 'listCelestialBodies',
  tag: 'Celestial Bodies',
  summary: 'Get all celestial bodies',
  description: doc(
    'Returns a page of all celestial bodies in order of id: planets first, then satellites and stars. Use `type` to get only bodies of one type.',
  ),
  since: '2.0.0',
  security: [],
  query: CelestialBodyQuery,
  responses: {
    200: pageResponse(PATH, CelestialBodyPage, doc('A page of celestial bodies'), {
      exampleLimit: 1,
      exampleTotal: 5424,
    }),
  },
  problems: ['too-many-requests'],
  async handle({ query }, context) {
    const { session, imageBaseUrl } = context
    const { type } = query
    // Only the bodies of the page are read if there is no filter.
    if (type) await requireSearchesLeft(context)
    const listPage = type
      ? await listCelestialBodiesOfType(session.db, type, query)
      : await listCelestialBodies(session.db, query)
    return replyList(PATH, query, presentCelestialBodies(listPage, imageBaseUrl), listPage.total, { type })
  },
})

const read = defineRoute({
  method: 'get',
  path: `${PATH}/{celestialBodyId}`,
  operationId: 'getCelestialBody',
  tag: 'Celestial Bodies',
  summary: 'Get a celestial body',
  description: doc(
    'Returns a planet, a satellite or a star. Ids up to 1,000,000,000 belong to planets, which have the same ids at /planets. Higher ids belong to satellites and stars. Satellites have the same ids in the `satellites` of their planets.',
  ),
  since: '2.0.0',
  security: [],
  params: CelestialBodyPath,
  responses: {
    200: { description: doc('The celestial body'), schema: CelestialBody, headers: ['ETag', 'Last-Modified'] },
    304: { description: doc('The celestial body has not changed'), headers: ['ETag', 'Last-Modified'] },
  },
  problems: ['precondition-failed'],
  async handle({ params }, context) {
    const { session, imageBaseUrl, headers, format, now } = context
    const { body, lastModified } = await findCelestialBody(params.celestialBodyId, session.db, imageBaseUrl)
    const etag = await tagContent(JSON.stringify(body), format)
    const validators = makeValidators({ etag, lastModified }, context)
    if (!isRepresentationWanted(headers, validators, now))
      return reply(304, undefined, validatorHeaders(validators, now))
    return reply(200, body, validatorHeaders(validators, now))
  },
})

/** Finds a planet, a satellite or a star by its id. @throws ProblemError 404 */
async function findCelestialBody(
  id: number,
  db: Database,
  imageBaseUrl: string,
): Promise<{ body: CelestialBody; lastModified: Date }> {
  if (isPlanetId(id)) {
    const [planet] = await db.read(selectPlanet(id))
    if (planet)
      return { body: presentPlanetAsCelestialBody(planet, imageBaseUrl), lastModified: lastModifiedOf(planet) }
  } else {
    const [body] = await db.read(selectCelestialBody(id))
    if (body) return { body: presentCelestialBody(body), lastModified: lastModifiedOf(body) }
  }
  throw new ProblemError('not-found', 'There is no celestial body with this id.')
}

export const celestialBodyRoutes: readonly Route[] = [create, list, read]
