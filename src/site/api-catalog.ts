import { doc } from '#doc'
import { FileBody, reply } from '../http/pipeline/reply.ts'
import { defineRoute } from '../http/pipeline/route.ts'

/** The path of the catalogue (RFC 9727, section 2), below the base URL of each world. */
const PATH = '/.well-known/api-catalog'

/** The format of the catalogue (RFC 9264, section 4.2), and its profile (RFC 9727, section 7.2). */
const MEDIA_TYPE = 'application/linkset+json'
const PROFILE = 'https://www.rfc-editor.org/info/rfc9727'

/**
 * Registry: what describes the service, by the relation of the link (RFC 8631). A tool that takes the first of several
 * gets the OpenAPI document as JSON, in the version that more tools know.
 */
const DESCRIPTIONS = [
  { rel: 'service-desc', path: '/openapi.json', type: 'application/json' },
  { rel: 'service-desc', path: '/openapi-3.2.json', type: 'application/json' },
  { rel: 'service-desc', path: '/asyncapi.json', type: 'application/json' },
  { rel: 'service-desc', path: '/arazzo.json', type: 'application/json' },
  { rel: 'service-doc', path: '/docs', type: 'text/html' },
  { rel: 'service-doc', path: '/docs/events', type: 'text/html' },
  { rel: 'status', path: '/readyz', type: 'application/json' },
] as const

/** The header by which tools find the description of the service, and the catalogue itself. */
export function serviceLinks(baseUrl: string): { Link: string } {
  const links = DESCRIPTIONS.map(({ rel, path, type }) => `<${baseUrl}${path}>; rel="${rel}"; type="${type}"`)
  const catalog = `<${baseUrl}${PATH}>; rel="api-catalog"; type="${MEDIA_TYPE}"`
  return { Link: [...links, catalog].join(', ') }
}

function linksetAt(baseUrl: string): object {
  const relations = Map.groupBy(DESCRIPTIONS, ({ rel }) => rel)
  const targets = [...relations].map(([rel, links]) => [
    rel,
    links.map(({ path, type }) => ({ href: baseUrl + path, type })),
  ])
  return { linkset: [{ anchor: `${baseUrl}/`, ...Object.fromEntries(targets) }] }
}

/** Leads tools to the description of the service (RFC 9727). */
export const apiCatalog = defineRoute({
  method: 'get',
  path: PATH,
  operationId: 'getApiCatalog',
  tag: 'Documents',
  summary: 'Get the API catalogue',
  description: doc(
    'Returns links to the documents that describe this service (RFC 9727), as a link set (RFC 9264). The header `Link` has the same links, also for HEAD.',
  ),
  since: '2.0.0',
  security: [],
  responses: { 200: { description: doc('The links, as a link set'), files: [MEDIA_TYPE], headers: ['Link'] } },
  async handle(_, { baseUrl }) {
    const body = new FileBody(`${MEDIA_TYPE}; profile="${PROFILE}"`, JSON.stringify(linksetAt(baseUrl)))
    return reply(200, body, serviceLinks(baseUrl))
  },
})
