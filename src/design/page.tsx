import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { BROWSER_FILES } from './browser-files.ts'
import { ICON, Mark } from './mark.tsx'
import { BAR_MARK, PLANETS_MARK, REPORTS_MARK, RenderedPage } from './rendered-page.ts'

const NAVIGATION = [
  { path: '/', label: 'Explorer' },
  { path: '/walk', label: 'Tour' },
  { path: '/docs', label: 'API reference' },
  { path: '/docs/events', label: 'Events' },
  { path: '/guides', label: 'Guides' },
  { path: '/lab', label: 'Laboratory' },
  { path: '/account', label: 'Account' },
] as const

/** The guide for those who test their own programs. */
export const TESTING = '/guides/testing'

export interface Page {
  title: string
  /** What the page is for, in a sentence or two: search engines and links in messages show it. */
  description: string
  /**
   * The width of the content: `text` for reading, `form` for a form and nothing else, `wide` for pictures and tables,
   * `full` for a page with its own layout.
   */
  width?: 'text' | 'form' | 'wide' | 'full'
  /** The path of the page, if it is in the navigation. */
  path?: (typeof NAVIGATION)[number]['path']
  /**
   * The name of the script in `browser/pages` that the page runs, without the extension. The policy of the page must
   * allow the script to call the API. In a universe, the script of the universe bar runs too (universe-bar.ts).
   */
  script?: string
  /** The stylesheet, if it is not that of all pages. */
  stylesheet?: string
  /** Further elements of the head, before the script. A script that does not call the API belongs here. */
  head?: Child
  /**
   * The prefix of links to pages of this service, if the page is shown at another host; null if the address of the
   * service is unknown, so that the page has no such links.
   */
  base?: string | null
  content: Child
}

/** Renders a page: the head, the header and the footer that all pages of this service have, and its content. */
export async function renderPage(page: Page): Promise<RenderedPage> {
  const html = await (<Document {...page} />).toString()
  return new RenderedPage(`<!doctype html>\n${html}\n`, page.script !== undefined)
}

function Document({
  title,
  description,
  width = 'text',
  path,
  script,
  stylesheet = BROWSER_FILES.stylesheet,
  head,
  base = '',
  content,
}: Page) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <meta name="description" content={description} />
        <link rel="icon" href={ICON} />
        <link rel="stylesheet" href={stylesheet} />
        {head}
        {script && <Script name={script} />}
      </head>
      <body>
        <a class="skip-link" href="#main">
          Skip to content
        </a>
        {base === null ? <HeaderWithoutLinks /> : <Header path={path} base={base} />}
        {raw(BAR_MARK)}
        <main id="main" class={`main-${width}`}>
          {content}
        </main>
        {base !== null && <Footer base={base} />}
      </body>
    </html>
  )
}

/** The script runs after the page is parsed. Its chunks load at the same time as the script. */
export function Script({ name }: { name: string }) {
  const file = BROWSER_FILES.scripts[name]
  if (!file) throw new Error(`browser/pages has no script ${name}`)
  return (
    <>
      {file.chunks.map((url) => (
        <link rel="modulepreload" href={url} />
      ))}
      <script type="module" src={file.url} />
    </>
  )
}

function Header({ path, base }: { path: string | undefined; base: string }) {
  return (
    <header class="site-header">
      <a class="brand" href={`${base}/`}>
        <Mark />
        <span>Galaxy</span>
      </a>
      <nav aria-label="Main">
        {NAVIGATION.map((item) => (
          <a href={base + item.path} aria-current={item.path === path ? 'page' : undefined}>
            {item.label}
          </a>
        ))}
      </nav>
    </header>
  )
}

function HeaderWithoutLinks() {
  return (
    <header class="site-header">
      <span class="brand">
        <Mark />
        Galaxy
      </span>
    </header>
  )
}

function Footer({ base }: { base: string }) {
  return (
    <footer class="site-footer">
      <p>
        Galaxy is the reference API for people who build API tools, and for people who learn HTTP. {raw(PLANETS_MARK)}
        The planets are real: they come from the <span translate="no">Open Exoplanet Catalogue</span>.
        {raw(PLANETS_MARK)}
      </p>
      <nav aria-label="More">
        <a href={`${base}/openapi.json`}>OpenAPI 3.1 (JSON)</a>
        <a href={`${base}/openapi.yaml`}>OpenAPI 3.1 (YAML)</a>
        <a href={`${base}/openapi-3.2.json`}>OpenAPI 3.2 (JSON)</a>
        <a href={`${base}/openapi-3.2.yaml`}>OpenAPI 3.2 (YAML)</a>
        <a href={`${base}/asyncapi.json`}>AsyncAPI</a>
        <a href={`${base}/arazzo.json`}>Arazzo</a>
        <a href={`${base}/problems`}>Problems</a>
        <a href={`${base}/llms.txt`}>For agents (llms.txt)</a>
        <a href={`${base}/lab`}>Laboratory</a>
        <a href={base + TESTING}>Testing</a>
        {raw(REPORTS_MARK)}
        <a href={`${base}/.well-known/security.txt`}>Report abuse</a>
        {raw(REPORTS_MARK)}
      </nav>
    </footer>
  )
}
