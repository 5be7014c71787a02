import type { PlanetStreamItem } from '../../src/schemas/live/stream-item.ts'
import { type CataloguePlanet, readApiPlanet } from '../../src/site/explorer/planets.ts'

// Applies events to the planets of the explorer.

/** A change of a planet. It is smaller than an event, which contains the whole planet. */
export interface Happening {
  event: PlanetStreamItem['event']
  /** Its current state, or its last state if it was deleted. */
  planet: CataloguePlanet
}

/** The maximum number of new planets in the explorer. The oldest are removed first. */
export const NEW_MAX = 1000

/** The number of new planets that are listed, and named in the picture. */
const NEWEST_MAX = 5

export function readHappening({ event, planet }: PlanetStreamItem): Happening {
  return { event, planet: readApiPlanet(planet, event === 'created') }
}

/** The planets after these changes. Changes of planets that are not in the explorer are ignored. */
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

/** Keeps at most NEW_MAX new planets. They are in order of creation. */
function dropOldest(planets: readonly CataloguePlanet[]): readonly CataloguePlanet[] {
  const surplus = new Set(planets.filter(({ isNew }) => isNew).slice(0, -NEW_MAX))
  return surplus.size === 0 ? planets : planets.filter((planet) => !surplus.has(planet))
}

/** The new planets that were created last, newest first. */
export function listNewest(planets: readonly CataloguePlanet[]): readonly CataloguePlanet[] {
  return planets
    .filter(({ isNew }) => isNew)
    .slice(-NEWEST_MAX)
    .reverse()
}
