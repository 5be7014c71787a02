import { type PagePlace, writeUniverseBar, writeUniversePlanets } from './universe-bar.ts'

/**
 * The attributes of our pages whose value is a URL. A text cannot be mistaken for one of them: hono/jsx escapes the
 * quotes of everything that it writes into a page.
 */
const ROOT_RELATIVE_URL = / (href|src|action|data-url|data-redirect)="\/(?!\/)/g

/** Marks the place of the bar of a universe. No text of a page can contain the mark, because hono/jsx escapes `<`. */
export const BAR_MARK = '<!--universe-->'

/** Surround the link for reports of abuse. No text of a page can contain these marks either. */
export const REPORTS_MARK = '<!--reports-->'
const REPORTS = new RegExp(`${REPORTS_MARK}(.*?)${REPORTS_MARK}`)

/** What surrounds what a page says of the planets of the common world. */
export const PLANETS_MARK = '<!--planets-->'
const PLANETS = new RegExp(`${PLANETS_MARK}(.*?)${PLANETS_MARK}`)

/**
 * A page, before the path of its world is known. Its URLs are written as root-relative. When the page is sent, they get
 * the path of the world, and a page of a universe gets its bar and its words. There is no other way to send a page, so
 * none lacks these.
 */
export class RenderedPage {
  readonly #html: string
  readonly #hasScript: boolean

  /** @param hasScript Whether the policy of the page allows a script that calls the API */
  constructor(html: string, hasScript: boolean) {
    this.#html = html
    this.#hasScript = hasScript
  }

  /** The HTML of the page in a world. */
  at({ basePath, universe, takesReports }: PagePlace): string {
    const bar = universe ? writeUniverseBar(universe, basePath, this.#hasScript) : ''
    const html = this.#html
      .replace(REPORTS, (_, link) => (takesReports ? link : ''))
      .replace(PLANETS, (_, words) => (universe ? writeUniversePlanets(universe) : words))
    const located = basePath === '' ? html : html.replaceAll(ROOT_RELATIVE_URL, (_, name) => ` ${name}="${basePath}/`)
    return located.replace(BAR_MARK, () => bar)
  }
}
