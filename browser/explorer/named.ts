import type { CataloguePlanet } from '../../src/site/explorer/planets.ts'
import type { ChartContent } from './chart.ts'
import { listNewest } from './happenings.ts'

/** The maximum length of a name beside a point, in characters. Any user may have chosen the name. */
const NAME_MAX = 24

/** The planets of the Solar System, and the newest ones. */
export function listNamed(planets: readonly CataloguePlanet[]): ChartContent['named'] {
  const newest = listNewest(planets)
  return planets.flatMap((planet, index) => {
    const isNamed = planet.isOfSolarSystem || newest.includes(planet)
    return isNamed ? [{ index, text: shortenName(planet.name) }] : []
  })
}

function shortenName(name: string): string {
  return name.length > NAME_MAX ? `${name.slice(0, NAME_MAX - 1).trimEnd()}…` : name
}
