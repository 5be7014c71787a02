import { pathOf } from '../../src/site/planet/paths.ts'

// The address of the world that this page belongs to. A world may have a path, and then several worlds share an origin.
// So the code of pages never uses the origin as the address of the service, and writes no root-relative link without
// this path.

/** Every script is in `{base}/assets/` (scripts/lib/browser-files.ts). */
const BASE = new URL('..', import.meta.url)

/** The prefix of root-relative URLs: the path of the base URL; empty if the world has a host of its own. */
export const BASE_PATH = BASE.pathname.replace(/\/$/, '')

/** The absolute URL of a path of the API. */
export function urlOf(path: string): string {
  return new URL(BASE_PATH + path, BASE).href
}

/** The root-relative URL of a page, for links. */
export function linkTo(path: string): string {
  return BASE_PATH + path
}

/** The root-relative URL of the page about a planet. */
export function linkToPlanet(planet: { id: number }): string {
  return linkTo(pathOf(planet))
}
