import { FileBody, type Reply, reply } from './pipeline/reply.ts'

/** The media type of a page. */
export const HTML = 'text/html'

/**
 * Creates the reply with a page.
 *
 * @param policy The Content-Security-Policy of the page
 */
export function replyPage(
  page: string,
  policy: string,
  headers: Readonly<Record<string, string>> = {},
): Reply<200, FileBody> {
  return reply(200, pageBody(page), { ...headers, 'Content-Security-Policy': policy })
}

/** A page as the body of a reply. */
export function pageBody(page: string): FileBody {
  return new FileBody(`${HTML}; charset=utf-8`, page)
}
