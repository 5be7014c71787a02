import { inArray, type SQL } from 'drizzle-orm'
import { cutRemovals, type RemovedPlanet } from '../changes/removals.ts'
import { build, type ResultOf } from '../db/port.ts'
import { images, planets } from '../db/tables.ts'
import { declaredPart } from '../schemas/declared-part.ts'
import { Planet } from '../schemas/planet.ts'
import { presentPlanet } from '../schemas/present-planet.ts'
import { cutPage } from './cut-page.ts'
import { joinContents, planetsOf, selectPlanetPage } from './pages.ts'
import { bytesOf } from './planets.ts'

// Planets that the service removes by itself, as events show them. The planets are read in pages of bounded size.

/** The queries for the first planets that match a condition, and for the images that they show. */
export function selectRemovable(where: SQL, limit: number) {
  const keys = build.select({ key: planets.imageKey }).from(planets).where(where).orderBy(planets.id).limit(limit)
  return [
    selectPlanetPage(where, { limit }),
    build.select({ key: images.key, url: images.url }).from(images).where(inArray(images.key, keys)),
  ] as const
}

type Page = ResultOf<ReturnType<typeof selectRemovable>[0]>
type ShownImages = ResultOf<ReturnType<typeof selectRemovable>[1]>

/** The first planets of a page as they last were, as many as can be removed at once. Their images have the URLs in the responses to their uploads. */
export function makeRemovals(page: Page, shownImages: ShownImages): RemovedPlanet[] {
  const urls = new Map(shownImages.map(({ key, url }) => [key, url]))
  const found = joinContents(cutPage(planetsOf(page), bytesOf)).map((planet) => ({
    id: planet.id,
    version: planet.version,
    body: declaredPart(
      Planet,
      presentPlanet(planet, (key) => urls.get(key) ?? key),
    ),
  }))
  return cutRemovals(found)
}
