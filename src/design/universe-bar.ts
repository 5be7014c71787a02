import type { Seed, UniverseState } from '../domain/universe.ts'
import { BROWSER_FILES } from './browser-files.ts'

export interface PageWorld {
  /** The prefix of root-relative URLs: the path of the base URL; empty if it has none. */
  basePath: string
  /** The universe of the page; undefined in the common world. */
  universe: UniverseState | undefined
  /** Whether the operator takes reports of abuse, so that there is a security.txt. */
  takesReports: boolean
}

/**
 * How many characters of the id the bar shows. They are enough to tell universes apart. The address contains the whole
 * id.
 */
const SHOWN_ID_LENGTH = 6

/**
 * The bar at the top of every page of a universe, as HTML. browser/pages/universe.tsx fills in what is only known in
 * the browser: when the universe ends, and what its owner can do.
 *
 * @param universe The universe. Its id has only letters and digits, so it needs no escapes
 * @param hasScript Whether the policy of the page allows a script that calls the API
 */
export function writeUniverseBar({ id, isFixed }: UniverseState, basePath: string, hasScript: boolean): string {
  const shownId = `<code title="${id}">${id.slice(0, SHOWN_ID_LENGTH)}…</code>`
  // The script moves the focus to the name if the button with the focus disappears. So a person with a keyboard stays
  // in the bar.
  const name = `<p class="universe-name" tabindex="-1">Universe ${shownId}</p>`
  const state = `<div class="universe-state" id="universe-state"${isFixed ? ' data-fixed' : ''}></div>`
  // At the host of a universe, the address of the common world is unknown.
  const back = basePath === '' ? '' : '<a href="/">Back to the common world</a>'
  return `<aside class="universe" aria-label="Universe"><div class="universe-bar">${name}${state}${back}</div><div class="universe-notes" id="universe-notes"></div>${hasScript ? writeScript(basePath) : ''}</aside>`
}

function writeScript(basePath: string): string {
  const file = BROWSER_FILES.scripts.universe
  if (!file) throw new Error('browser/pages has no script universe')
  return `<script type="module" src="${basePath}${file.url}"></script>`
}

/**
 * The texts about planets in the footer. They do not call the planets real, because the owner can change the planets.
 */
const PLANETS_OF_SEED: Readonly<Record<Seed, string>> = {
  catalogue: 'This universe began with the planets of the <span translate="no">Open Exoplanet Catalogue</span>.',
  blank: 'This universe began without planets.',
}

/** The text about the planets of a universe in the footer, as HTML. */
export function writeUniversePlanets({ seed }: UniverseState): string {
  return PLANETS_OF_SEED[seed]
}
