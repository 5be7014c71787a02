import { html, raw } from 'hono/html'
import { FileBody, type Reply, reply } from '../pipeline/reply.ts'

type Html = ReturnType<typeof html>

export const HTML = 'text/html'

// The HTML pages of this service.

/** The Content-Security-Policy of an HTML page with text only: no scripts and no requests. */
export const PAGE_POLICY = formPolicy("'none'")

/** The icon: a planet with a ring. It is part of every page, so that browsers do not request /favicon.ico. */
const ICON = toDataUrl(
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><circle cx='16' cy='16' r='9' fill='#e0793a'/><ellipse cx='16' cy='16' rx='15' ry='4' fill='none' stroke='#8899cc' stroke-width='2' transform='rotate(-20 16 16)'/></svg>",
)

const STYLE = `
  :root { color-scheme: light dark; background: Canvas; color: CanvasText; }
  body { font: 1.05rem/1.6 system-ui, sans-serif; max-width: 44rem; margin: 0 auto; padding: 3rem 1rem; }
  h1 { line-height: 1.2; margin: 0 0 1rem; }
  h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem; }
  code, pre { font-family: ui-monospace, monospace; font-size: 0.95em; }
  pre { overflow-x: auto; padding: 0.75rem 1rem; border: 1px solid color-mix(in srgb, currentcolor 25%, transparent); border-radius: 0.5rem; }
  li { margin: 0.25rem 0; }
`

/** Renders a page for people, in the style of all text pages. */
export function renderPage(title: string, content: Html, style = ''): Promise<string> {
  return renderDocument(title, STYLE + style, html`<main>\n${content}\n</main>`)
}

/**
 * The Content-Security-Policy of a page with a form: like `PAGE_POLICY`, but the form may be submitted.
 *
 * @param targets CSP sources that the form may submit to, and that the response may redirect to
 */
export function formPolicy(targets: string): string {
  return `default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action ${targets}; frame-ancestors 'none'`
}

/** Additional styles for a page with a form. */
export const FORM_STYLE = `
  main { max-width: 28rem; margin: 0 auto; overflow-wrap: anywhere; }
  h1 { font-size: 1.75rem; }
  label { display: block; margin: 1rem 0 0.25rem; }
  input { font: inherit; width: 100%; box-sizing: border-box; padding: 0.5rem 0.75rem; border: 1px solid GrayText; border-radius: 0.5rem; }
  button { font: inherit; padding: 0.5rem 1.25rem; margin: 1.25rem 0.5rem 0 0; border: 1px solid #2f4bb0; border-radius: 0.5rem; background: #2f4bb0; color: #fff; cursor: pointer; }
  button.secondary { background: transparent; color: inherit; border-color: GrayText; }
  :is(input, button, a):focus-visible { outline: 3px solid #c8621f; outline-offset: 2px; }
  .fault { padding: 0.5rem 0.75rem; border-left: 4px solid #c62828; }
`

/** Renders an HTML document: the head that all pages of this service have, and a body. */
export async function renderDocument(title: string, style: string, body: Html): Promise<string> {
  const document = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<style>${raw(style)}</style>
</head>
<body>
${body}
</body>
</html>
`
  return document.toString()
}

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

/**
 * Encodes an SVG image as a data URL (RFC 2397), with only the characters that a URL may contain (RFC 3986, section 2).
 */
function toDataUrl(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}
