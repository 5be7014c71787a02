import type { RenderedPage } from '../design/rendered-page.ts'
import type { PageWorld } from '../design/universe-bar.ts'
import { basePathOf } from '../domain/base-url.ts'
import type { Reply } from '../domain/reply.ts'
import type { Services } from '../services.ts'
import { FileBody, reply } from './pipeline/reply.ts'

export const HTML = 'text/html'

export const HTML_TYPE = `${HTML}; charset=utf-8`

/** @param policy The Content-Security-Policy of the page */
export function replyPage(
  page: RenderedPage,
  policy: string,
  headers: Readonly<Record<string, string>> = {},
): Reply<200, FileBody> {
  return reply(200, pageBody(page), { ...headers, 'Content-Security-Policy': policy })
}

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
