import { type PageWorld, writeUniverseBar, writeUniversePlanets } from './universe-bar.ts'

/**
 * The attributes of our pages whose value is a URL. A text cannot be mistaken for one of them: hono/jsx escapes the
 * quotes of everything that it writes into a page.
 */
const ROOT_RELATIVE_URL = / (href|src|action|data-url|data-redirect|data-bundle)="\/(?!\/)/g

/** Marks the place of the bar of a universe. No text of a page can contain the mark, because hono/jsx escapes `<`. */
export const BAR_MARK = '<!--universe-->'

/** Stands before and after the link for reports of abuse. No text of a page can contain this mark either. */
export const REPORTS_MARK = '<!--reports-->'
const REPORTS = new RegExp(`${REPORTS_MARK}(.*?)${REPORTS_MARK}`)

/** Stands before and after the text of a page about the planets of the common world. */
export const PLANETS_MARK = '<!--planets-->'
const PLANETS = new RegExp(`${PLANETS_MARK}(.*?)${PLANETS_MARK}`)

/**
 * A page, before the path of its world is known. The URLs in the page are root-relative. When the page is sent, `at`
 * puts the path of the world in front of them. In a universe, `at` also adds the universe bar and the text about the
 * planets of the universe. There is no other way to send a page.
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
  at({ basePath, universe, takesReports }: PageWorld): string {
    const bar = universe ? writeUniverseBar(universe, basePath, this.#hasScript) : ''
    const html = this.#html
      .replace(REPORTS, (_, link) => (takesReports ? link : ''))
      .replace(PLANETS, (_, words) => (universe ? writeUniversePlanets(universe) : words))
    const located = basePath === '' ? html : html.replaceAll(ROOT_RELATIVE_URL, (_, name) => ` ${name}="${basePath}/`)
    // The bar comes last, because its URLs need no prefix.
    return located.replace(BAR_MARK, () => bar)
  }
}
