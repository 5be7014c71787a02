import type { PlanetStreamItem } from '../../src/schemas/live/stream-item.ts'
import { type CataloguePlanet, readLivePlanet } from '../../src/site/explorer/planets.ts'

// What events do to the planets of the explorer.

/** What has happened to a planet. It is smaller than an event, which has the whole planet. */
export interface Happening {
  event: PlanetStreamItem['event']
  /** As it is now; a planet that is gone, as it last was. */
  planet: CataloguePlanet
}

/** How many new planets the explorer has at most. The oldest of them go first. */
export const NEW_MAX = 1000

/** How many of the new planets are listed, and named in the picture. */
const NEWEST_MAX = 5

export function readHappening({ event, planet }: PlanetStreamItem): Happening {
  return { event, planet: readLivePlanet(planet, event === 'created') }
}

/** The planets after something has happened to some of them. What happens to others is not shown. */
export function applyHappenings(
  planets: readonly CataloguePlanet[],
  happenings: readonly Happening[],
): readonly CataloguePlanet[] {
  const byId = new Map(planets.map((planet) => [planet.id, planet]))
  for (const { event, planet } of happenings) {
    const known = byId.get(planet.id)
    if (event === 'created') byId.set(planet.id, planet)
    else if (event !== 'updated') byId.delete(planet.id)
    else if (known) byId.set(planet.id, { ...planet, isNew: known.isNew })
  }
  return dropOldest([...byId.values()])
}

function dropOldest(planets: readonly CataloguePlanet[]): readonly CataloguePlanet[] {
  let surplus = planets.filter(({ isNew }) => isNew).length - NEW_MAX
  return surplus <= 0 ? planets : planets.filter(({ isNew }) => !isNew || surplus-- <= 0)
}

/** The new planets that were created last, newest first. */
export function listNewest(planets: readonly CataloguePlanet[]): readonly CataloguePlanet[] {
  return planets
    .filter(({ isNew }) => isNew)
    .slice(-NEWEST_MAX)
    .reverse()
}
