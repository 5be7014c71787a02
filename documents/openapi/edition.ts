import type { World } from '../../src/domain/universe.ts'
import { type ApiVersion, CURRENT_API_VERSION } from '../../src/http/api-versions.ts'
import { type HeaderName, PUBLISHED_HEADERS } from '../../src/http/headers.ts'
import type { Route } from '../../src/http/pipeline/route.ts'
import { isForPeople, isIn31, isPage } from '../../src/http/pipeline/route-facts.ts'

/** Which document about the service is meant. */
export interface Edition {
  world: World
  apiVersion: ApiVersion
  /** The version of OpenAPI in which the document is written. */
  openApi: '3.1' | '3.2'
  /**
   * How much the document says. `published` is written for clients and their generators. `complete` also has the HTML
   * pages, every header, and closed schemas of responses: tests compare each response with it, and nobody is sent it.
   */
  detail: 'published' | 'complete'
}

/** Whether a document has something that the document of this API version was the first to have. */
export function hasAlready({ apiVersion }: Edition, { since }: { since?: ApiVersion }): boolean {
  return apiVersion === CURRENT_API_VERSION || since === undefined
}

/**
 * The routes that a document describes. The published one leaves out HTML pages and the forms on them, and what its
 * version of OpenAPI cannot describe.
 */
export function routesIn({ detail, openApi }: Edition, routes: readonly Route[]): readonly Route[] {
  if (detail === 'complete') return routes
  const published = routes.filter((route) => !isForPeople(route)).map(withoutPages)
  return openApi === '3.1' ? published.filter(isIn31) : published
}

/** A route without the pages that it sends beside documents. */
function withoutPages(route: Route): Route {
  const responses = Object.entries(route.responses).map(([status, { files, ...spec }]) => {
    const otherFiles = files?.filter((file) => !isPage(file)) ?? []
    return [status, { ...spec, ...(otherFiles.length > 0 && { files: otherFiles }) }] as const
  })
  return { ...route, responses: Object.fromEntries(responses) }
}

/** Those of the given headers that the published document declares, because a client acts on them. */
export function publishedOf(headers: readonly HeaderName[]): HeaderName[] {
  return headers.filter((name) => PUBLISHED_HEADERS['where declared'].includes(name))
}
