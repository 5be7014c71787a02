import { doc } from '#doc'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { PlanetPath } from '../../schemas/fields.ts'
import { Planet } from '../../schemas/planet.ts'
import { presentPlanet } from '../../schemas/present-planet.ts'
import { DELETE_PLANET } from './links.ts'
import { type FoundPlanet, readPlanet } from './read-planet.ts'
import { isPlanetWanted, planetValidatorHeaders } from './versions.ts'

export const getPlanet = defineRoute({
  method: 'get',
  path: '/planets/{planetId}',
  operationId: 'getPlanet',
  tag: 'Planets',
  summary: 'Get a planet',
  description: doc(
    'Returns a planet with all its properties. `ETag` and `Last-Modified` identify its version. If you send them back in `If-None-Match` or `If-Modified-Since` and the planet has not changed, the response is 304.',
  ),
  security: [],
  params: PlanetPath,
  responses: {
    200: { description: doc('The planet'), schema: Planet, headers: ['ETag', 'Last-Modified'], links: DELETE_PLANET },
    304: { description: doc('The planet has not changed'), headers: ['ETag', 'Last-Modified'] },
  },
  problems: ['precondition-failed'],
  async handle({ params }, context) {
    return replyPlanet(await readPlanet(params.planetId, context), context)
  },
})

/** The inputs of a reply with a planet, besides the planet. */
type ReplyContext = Pick<RequestContext, 'headers' | 'format' | 'imageBaseUrl' | 'now' | 'services'>

/**
 * @returns The reply: 304 if the caller already has this version
 * @throws ProblemError 412 if the condition of the request does not hold
 */
export function replyPlanet({ planet, cacheHeaders }: FoundPlanet, context: ReplyContext) {
  const headers = { ...planetValidatorHeaders(planet, context), ...cacheHeaders }
  if (!isPlanetWanted(context, planet)) return reply(304, undefined, headers)
  return reply(200, presentPlanet(planet, context.imageBaseUrl), headers)
}
