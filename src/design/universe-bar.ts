import { BROWSER_FILES } from './browser-files.ts'

/** Where a page is shown. */
export interface PagePlace {
  /** What root-relative URLs begin with: the path of the base URL; empty if it has none. */
  basePath: string
  /** The universe whose page it is; undefined in the common world. */
  universeId: string | undefined
  /** Whether the operator takes reports of abuse, so that there is a security.txt. */
  takesReports: boolean
}

/** How much of the id is enough to tell one's universes apart. The whole id is in the address. */
const SHOWN_ID_LENGTH = 6

/**
 * The bar at the top of every page of a universe, as HTML. browser/pages/universe.tsx fills in what is only known in the
 * browser: when the universe ends, and what its owner can do.
 *
 * @param id Has only letters and digits
 * @param hasScript Whether the policy of the page allows a script that calls the API
 */
export function writeUniverseBar(id: string, basePath: string, hasScript: boolean): string {
  const name = `<p class="universe-name">Universe <code title="${id}">${id.slice(0, SHOWN_ID_LENGTH)}…</code></p>`
  // Of a universe with a host of its own, nobody knows where the common world is.
  const back = basePath === '' ? '' : '<a href="/">Back to the common world</a>'
  return `<aside class="universe" aria-label="Universe"><div class="universe-bar">${name}<div class="universe-state" id="universe-state"></div>${back}</div><div class="universe-notes" id="universe-notes"></div>${hasScript ? writeScript(basePath) : ''}</aside>`
}

function writeScript(basePath: string): string {
  const file = BROWSER_FILES.scripts.universe
  if (!file) throw new Error('browser/pages has no script universe')
  return `<script type="module" src="${basePath}${file.url}"></script>`
}
