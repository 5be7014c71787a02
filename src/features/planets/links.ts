import { doc } from '#doc'
import type { LinkSpec } from '../../http/pipeline/route.ts'

// The links between operations on planets, with the names of the public document.

type Links = Readonly<Record<string, LinkSpec>>

/** From a response with a planet to the planet. */
export const GET_PLANET: Links = {
  GetPlanet: {
    isShared: true,
    operationId: 'getPlanet',
    description: doc('The planet of this response, as anyone can read it'),
    parameters: { planetId: '$response.body#/id' },
  },
}

/** From a response with a planet to its replacement. What the service sets is ignored there, so the body can stay. */
export const UPDATE_PLANET: Links = {
  UpdatePlanet: {
    operationRef: '#/paths/~1planets~1%7BplanetId%7D/put',
    description: doc('Replaces the planet of this response. Change the body before you send it back.'),
    parameters: { planetId: '$response.body#/id' },
    requestBody: '$response.body',
  },
}

export const DELETE_PLANET: Links = {
  DeletePlanet: {
    operationId: 'deletePlanet',
    description: doc('Deletes this planet, if it is yours'),
    parameters: { planetId: '$request.path.planetId' },
  },
}

/** From a page of planets to its first planet, if it has one. */
export const GET_FIRST_PLANET: Links = {
  GetFirstPlanet: {
    operationId: 'getPlanet',
    description: doc('The first planet of this page. An empty page has none.'),
    parameters: { 'path.planetId': '$response.body#/data/0/id' },
  },
}

/** From a page of the list also to its first page. */
export const PAGE_LINKS: Links = {
  ...GET_FIRST_PLANET,
  FirstPage: {
    operationId: 'getAllData',
    description: doc('The beginning of the list, in pages of the same size'),
    parameters: { 'query.limit': '$request.query.limit', 'query.offset': '0' },
  },
}
