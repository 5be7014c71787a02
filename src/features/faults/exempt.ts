import type { Route } from '../../http/pipeline/route.ts'
import { isForPeople } from '../../http/pipeline/route-facts.ts'

/** What an owner needs to stop faults, and what is no part of the API that clients are made for. */
const EXEMPT = /^\/(?:$|(?:universes?|lab|inboxes|healthz|readyz|openapi|asyncapi|arazzo|problems|docs)(?:[/.-]|$))/
const EXEMPT_FILES = ['/.well-known/security.txt', '/.well-known/api-catalog']

/** Whether no rule decides requests to a route. */
export function isExempt(route: Route): boolean {
  return EXEMPT.test(route.path) || EXEMPT_FILES.includes(route.path) || (!route.opensSocket && isForPeople(route))
}
