import { doc } from '#doc'
import { EXAMPLE_ORIGIN } from '../../domain/example-origin.ts'
import { ProblemError } from '../../domain/problems.ts'
import { pageResponse } from '../../http/pagination.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { keysOf, pointerTo } from '../../lib/objects.ts'
import { isPercentEncoded } from '../../lib/text.ts'
import { PageQuery } from '../../schemas/page.ts'
import { PlanetPage } from '../../schemas/planet.ts'
import { PlanetParameters, PlanetQuery } from '../../schemas/planet-query.ts'
import { GET_FIRST_PLANET, PAGE_LINKS } from './links.ts'
import { asParameters, asQueryString, equivalentUrl, replyPlanets } from './list-planets.ts'
import { queryContent, readQueryString } from './query-readers.ts'

// The list of planets, in three dresses: parameters, a query string of JSON, and the content of QUERY.

const EXAMPLE = { exampleLimit: 1, exampleTotal: 5402 }
const page = pageResponse('/planets', PlanetPage, doc('A page of planets'), EXAMPLE)
const RESPONSES = {
  200: { ...page, headers: [...page.headers, 'ETag'], links: PAGE_LINKS },
  304: { description: doc('The page has not changed'), component: 'PlanetPageNotModified', headers: ['ETag'] },
} as const

/** What the other requests than `GET /planets` return. */
const FOUND = { ...RESPONSES, 200: { ...RESPONSES[200], links: GET_FIRST_PLANET } } as const

const FILTER =
  'A planet matches if its name contains `name`, its type is one of `type`, and its habitability index is at least `minHabitabilityIndex`.'

const list = defineRoute({
  method: 'get',
  path: '/planets',
  operationId: 'getAllData',
  tag: 'Planets',
  summary: 'Get all planets',
  description: doc(
    `Returns a page of planets, in order of id unless you set \`sort\`. The first 5,402 are real planets that come with the service. ${FILTER} \`meta.next\` and the header \`Link\` lead to the next page. \`meta.nextCursor\` leads there too, as \`cursor\`, and skips or repeats nothing if others create or delete planets meanwhile.`,
  ),
  security: [],
  query: PlanetParameters,
  responses: RESPONSES,
  problems: ['precondition-failed', 'too-many-requests'],
  inVersion1: {
    description: doc(
      'Returns a page of planets in order of id. The first 5,402 are real planets that come with the service. `meta.next` and the header `Link` lead to the next page.',
    ),
    query: PageQuery,
    responses: {
      200: {
        ...pageResponse('/planets', PlanetPage, doc('A page of planets in order of id'), EXAMPLE),
        links: PAGE_LINKS,
      },
    },
    problems: [],
  },
  async handle({ query }, context) {
    refuseBrokenText(context.search)
    return await replyPlanets(query, context, asParameters)
  },
})

const search = defineRoute({
  method: 'get',
  path: '/planets/search',
  operationId: 'searchPlanets',
  tag: 'Planets',
  summary: 'Search planets',
  description: doc(
    `Returns a page of the planets that match a query. The whole query string of the URL is one percent-encoded JSON object. ${FILTER}`,
  ),
  since: '2.0.0',
  isOnlyIn32: true,
  security: [],
  queryString: PlanetQuery,
  responses: FOUND,
  problems: ['precondition-failed', 'too-many-requests'],
  handle: async (_, context) => await replyPlanets(readQueryString(context.search), context, asQueryString),
})

const query = defineRoute({
  method: 'query',
  path: '/planets',
  operationId: 'queryPlanets',
  tag: 'Planets',
  summary: 'Query planets',
  description: doc(
    `Returns a page of the planets that match the query in the content (RFC 10008). It reads only, so it can be repeated safely. ${FILTER} \`Location\` is the equivalent GET.`,
  ),
  since: '2.0.0',
  security: [],
  body: queryContent,
  responses: {
    200: {
      ...FOUND[200],
      headers: [...FOUND[200].headers, 'Location'],
      exampleHeaders: {
        ...page.exampleHeaders,
        Location: `${EXAMPLE_ORIGIN}/planets?name=kepler&limit=1&offset=0`,
      },
    },
    304: RESPONSES[304],
  },
  problems: ['bad-request', 'precondition-failed', 'too-many-requests'],
  async handle({ body }, context) {
    refuseFilterInUrl(context.query)
    const answer = await replyPlanets(body, context, asParameters)
    if (answer.status === 304) return answer
    return { ...answer, headers: { ...answer.headers, Location: equivalentUrl(body, context) } }
  },
})

/**
 * Text that is no percent-encoded UTF-8 would be read as another text, which finds other planets.
 *
 * @param search The query of the URL, with its question mark
 * @throws ProblemError 400
 */
function refuseBrokenText(search: string): void {
  const known: readonly string[] = keysOf(PlanetParameters.shape)
  const pairs = search.slice(1).split('&')
  const broken = pairs.filter((pair) => !isPercentEncoded(pair)).map((pair) => pair.split('=', 1)[0] ?? '')
  const faults = [...new Set(broken)]
    .filter((name) => known.includes(name))
    .map((name) => ({ pointer: pointerTo([name]), detail: 'must be percent-encoded UTF-8' }))
  if (faults.length > 0) throw new ProblemError('invalid-query', 'The query has invalid parameters.', { faults })
}

/**
 * A filter in the URL would be overlooked, because the content has the query.
 *
 * @throws ProblemError 400
 */
function refuseFilterInUrl(parameters: URLSearchParams): void {
  const given = keysOf(PlanetParameters.shape).filter((name) => parameters.has(name))
  if (given.length === 0) return
  const faults = given.map((name) => ({ pointer: pointerTo([name]), detail: 'must be in the content' }))
  throw new ProblemError('bad-request', 'The query of QUERY is its content, and not in the URL.', { faults })
}

export const planetListRoutes: readonly Route[] = [list, search, query]
