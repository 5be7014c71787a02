import type { World } from '../domain/universe.ts'
import { type ApiVersion, CURRENT_API_VERSION } from '../http/api-versions.ts'
import { type HeaderName, PUBLISHED_HEADERS } from '../http/headers.ts'
import type { Route } from '../http/pipeline/route.ts'
import { isForPeople, isPage } from '../http/pipeline/route-facts.ts'

/** Which document about the service is meant. */
export interface Edition {
  world: World
  apiVersion: ApiVersion
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

/** The routes that a document describes. The published one leaves out HTML pages and the forms on them. */
export function routesIn({ detail }: Edition, routes: readonly Route[]): readonly Route[] {
  if (detail === 'complete') return routes
  return routes.filter((route) => !isForPeople(route)).map(withoutPages)
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
