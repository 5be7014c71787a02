import { CURRENT_API_VERSION } from '../../src/http/api-versions.ts'
import type { LinkSpec, ResponseSpec, Route } from '../../src/http/pipeline/route.ts'
import type { Edition } from './edition.ts'
import { refer } from './references.ts'
import type { Link, Reference } from './types.ts'

// Links say how the values of a response lead to further requests (OpenAPI 3.1, section 4.8.20).

/** The document of version 1.0.0 has none. */
export function linksOf({ links = {} }: ResponseSpec, { apiVersion }: Edition): Record<string, Link | Reference> {
  if (apiVersion !== CURRENT_API_VERSION) return {}
  const entries = Object.entries(links).map(([name, link]) => [
    name,
    link.isShared ? refer('links', name) : describeLink(link),
  ])
  return Object.fromEntries(entries)
}

/** The links that several responses share, by name. */
export function sharedLinks(routes: readonly Route[]): Record<string, Link> {
  const links = routes.flatMap(({ responses }) =>
    Object.values(responses).flatMap((response) => Object.entries(response.links ?? {})),
  )
  const entries = links
    .filter(([, { isShared }]) => isShared)
    .map(([name, link]) => [name, describeLink(link)] as const)
  return Object.fromEntries(entries)
}

function describeLink({ isShared: _, ...link }: LinkSpec): Link {
  return link
}
