import { basePathOf } from '../domain/base-url.ts'
import type { HonoContext } from './pipeline/context.ts'

/**
 * The redirect from a page with slashes at its end to the page, with its query. People add the slash, and so do some
 * tools.
 *
 * The target is a path below the base path. It never begins with two slashes, which would name another host (RFC 3986,
 * section 4.2), because its decoded form is the path of a page.
 *
 * @param pagePaths A pattern for the decoded paths of the pages
 * @returns Undefined if the request is for no page with slashes at its end
 */
export function redirectToPage(c: HonoContext, pagePaths: RegExp): Response | undefined {
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  if (!isRead || !c.req.path.endsWith('/') || !pagePaths.test(withoutSlash(c.req.path))) return undefined
  const { pathname, search } = c.get('url')
  const location = basePathOf(c.get('baseUrl')) + withoutSlash(pathname) + search
  return new Response(null, { status: 308, headers: { Location: location } })
}

/** A path without the slashes at its end. The time for a pattern would grow with the square of other slashes. */
function withoutSlash(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}
