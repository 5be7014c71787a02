import { pathOf } from '../../src/site/planet/paths.ts'

// Where the service is whose page this is. A world may lie below a path, and then all worlds share an origin. So no code
// of a page takes the origin for the address of the service, and no link of a page begins with a slash of its own.

/** Every script is in `{base}/assets/` (scripts/lib/browser-files.ts). */
const BASE = new URL('..', import.meta.url)

/** What root-relative URLs begin with: the path of the base URL; empty if the service has a host of its own. */
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
