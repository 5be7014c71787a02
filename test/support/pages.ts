// What tests read from the HTML of a page.

/** The attributes and texts of a page have these characters escaped. */
const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

export function unescapeHtml(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name) => CHARACTERS[name] ?? '')
}

/** The links of a page, or of a part of it. */
export function linksOf(html: string): string[] {
  return [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, link = '']) => unescapeHtml(link))
}

/** The content of the page, without the header and the footer that all pages have. */
export function contentOf(page: string): string {
  return /<main[^>]*>(.*)<\/main>/s.exec(page)?.[1] ?? ''
}

/** The texts that a page marks as code, in blocks and in lines. */
export function codesOf(page: string): string[] {
  return [...page.matchAll(/<code[^>]*>(.*?)<\/code>/gs)].map(([, text = '']) => unescapeHtml(text))
}

/** The texts of the blocks of code on a page. */
export function codeBlocksOf(page: string): string[] {
  return [...page.matchAll(/<pre[^>]*><code>(.*?)<\/code><\/pre>/gs)].map(([, text = '']) => unescapeHtml(text))
}

/** The directives of a page's Content-Security-Policy. */
export function policyOf({ headers }: Response): Record<string, string> {
  const directives = (headers.get('Content-Security-Policy') ?? '').split(';').map((directive) => directive.trim())
  return Object.fromEntries(directives.map((directive) => directive.split(/ (.*)/).slice(0, 2)))
}

/** A request that a page shows as a command of curl. */
export function requestOf(command: string): { url: string; init: { method: string; headers: Record<string, string> } } {
  const headers = [...command.matchAll(/-H '([\w-]+): ([^']+)'/g)].map(([, name = '', value = '']) => [name, value])
  const method = /-X ([A-Z]+)/.exec(command)?.[1] ?? 'GET'
  const url = /\bhttps?:\/\/\S+/.exec(command)?.[0] ?? ''
  return { url, init: { method, headers: Object.fromEntries(headers) } }
}
