import type { CataloguePlanet, PlanetKind } from '../../src/site/explorer/planets.ts'
import { foldCase } from './fold-case.ts'

export interface Filters {
  /** Any of these. Empty: any kind. */
  kinds: readonly PlanetKind[]
  /** A part of the name; ASCII letters match without case, as in the API. Empty: any name. */
  name: string
  /** A part of the name of the host star, in any case. Empty: any. */
  host: string
  /** A tag. Empty: any method. */
  method: string
  /** The first and the last year of discovery. Undefined: any year. */
  from: number | undefined
  to: number | undefined
  /** Minimum habitability index. 0: any, known or not. */
  habitabilityMin: number
}

export const NO_FILTERS: Filters = {
  kinds: [],
  name: '',
  host: '',
  method: '',
  from: undefined,
  to: undefined,
  habitabilityMin: 0,
}

/** The planets that pass the filters: for each planet 1 if it is shown, and the number of those shown. */
export interface Selection {
  isShown: Uint8Array
  count: number
}

export function select(planets: readonly CataloguePlanet[], filters: Filters): Selection {
  const isShown = new Uint8Array(planets.length).fill(1)
  for (const test of makeTests(filters)) {
    for (let index = 0; index < isShown.length; index++) {
      const planet = planets[index]
      if (isShown[index] === 1 && planet && !test(planet)) isShown[index] = 0
    }
  }
  return { isShown, count: isShown.reduce((sum, shown) => sum + shown, 0) }
}

type Test = (planet: CataloguePlanet) => boolean

/** One test for each filter that is in use. */
function makeTests({ kinds, name, host, method, from, to, habitabilityMin }: Filters): Test[] {
  const tests: Test[] = []
  if (kinds.length > 0) tests.push(({ kind }) => kinds.includes(kind))
  if (method !== '') tests.push((planet) => planet.method === method)
  // A year that is not known is in no range.
  if (from !== undefined) tests.push(({ figures: { year } }) => year !== null && year >= from)
  if (to !== undefined) tests.push(({ figures: { year } }) => year !== null && year <= to)
  if (habitabilityMin > 0) tests.push(({ figures }) => (figures.habitability ?? -1) >= habitabilityMin)
  if (name !== '') tests.push(makeSearch(name, (planet) => planet.name))
  if (host !== '') tests.push(makeSearch(host, (planet) => planet.host))
  return tests
}

function makeSearch(part: string, textOf: (planet: CataloguePlanet) => string): Test {
  const wanted = foldCase(searchedText(part))
  return (planet) => foldCase(textOf(planet)).includes(wanted)
}

/** What is searched for a text that somebody types. A space at an end is the start of the next word. */
export function searchedText(text: string): string {
  return text.trim()
}
