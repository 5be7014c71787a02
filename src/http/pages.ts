import type { RenderedPage } from '../design/rendered-page.ts'
import type { PageWorld } from '../design/universe-bar.ts'
import { basePathOf } from '../domain/base-url.ts'
import type { Reply } from '../domain/reply.ts'
import type { Services } from '../services.ts'
import { FileBody, reply } from './pipeline/reply.ts'

/** The media type of a page. */
export const HTML = 'text/html'

/** The Content-Type of a page. */
export const HTML_TYPE = `${HTML}; charset=utf-8`

/**
 * Creates the reply with a page.
 *
 * @param policy The Content-Security-Policy of the page
 */
export function replyPage(
  page: RenderedPage,
  policy: string,
  headers: Readonly<Record<string, string>> = {},
): Reply<200, FileBody> {
  return reply(200, pageBody(page), { ...headers, 'Content-Security-Policy': policy })
}

/** A page as the body of a reply. */
export function pageBody(page: RenderedPage): FileBody {
  return new FileBody(HTML_TYPE, page)
}

/** The facts that the HTML pages of a world need: base path, universe, and whether the operator takes reports. */
export function pageWorldOf(baseUrl: string, { universe, config }: Pick<Services, 'universe' | 'config'>): PageWorld {
  return {
    basePath: basePathOf(baseUrl),
    universe: universe?.state,
    takesReports: config.reportContact !== undefined,
  }
}
