import { ANY_STATE, openSession, type SessionStart } from '../../db/port.ts'
import { ProblemError } from '../../domain/problems.ts'
import type { HonoContext } from './context.ts'
import type { Route } from './route.ts'
import { isPublicRead } from './route-facts.ts'

// The database session of a request, and the bookmark with which a caller can continue an earlier one.

export function openRouteSession(c: HonoContext, route: Route): void {
  const start = isPublicRead(route) ? publicSessionStart(c) : 'first-primary'
  c.set('session', openSession(c.env.services, start))
}

function publicSessionStart(c: HonoContext): SessionStart {
  const bookmark = c.req.header('X-D1-Bookmark')
  return bookmark !== undefined && BOOKMARK.test(bookmark) ? bookmark : ANY_STATE
}

/** A bookmark of D1. */
const BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/

/** @throws ProblemError 400 if X-D1-Bookmark is neither a bookmark nor `ANY_STATE`, the default in OpenAPI */
export function requireUsableBookmark(c: HonoContext): void {
  const bookmark = c.req.header('X-D1-Bookmark')
  if (bookmark !== undefined && bookmark !== ANY_STATE && !BOOKMARK.test(bookmark)) {
    throw new ProblemError(
      'bad-request',
      'X-D1-Bookmark is not a bookmark from this service. Send the value that this header has in an earlier response.',
    )
  }
}
