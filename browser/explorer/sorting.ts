import { sortKeyOf } from '../../src/site/explorer/columns.ts'
import type { CataloguePlanet } from '../../src/site/explorer/planets.ts'
import { foldCase } from './fold-case.ts'
import type { State } from './url-state.ts'

/** For texts other than names. Names are sorted as in the API: by code points, ASCII letters in lower case. */
const COLLATOR = new Intl.Collator('en', { numeric: true })

/** Sorts planets, and caches the order, because filters do not change it. */
export class Sorter {
  #planets: readonly CataloguePlanet[] = []
  #sort: State['sort']
  #order: number[] = []

  /** @returns The indexes of the planets in this order. Planets without the value are last, in both directions */
  sort(planets: readonly CataloguePlanet[], sort: State['sort']): readonly number[] {
    if (planets !== this.#planets || sort !== this.#sort) {
      this.#order = sortIndexes(planets, sort)
      this.#planets = planets
      this.#sort = sort
    }
    return this.#order
  }
}

function sortIndexes(planets: readonly CataloguePlanet[], sort: State['sort']): number[] {
  const indexes = Array.from(planets.keys())
  if (!sort) return indexes
  const keys = planets.map((planet) => sortKeyOf(planet, sort.column))
  const sign = sort.isDescending ? -1 : 1
  const compareTexts = sort.column === 'name' ? compareFolded : COLLATOR.compare
  return indexes.sort((a, b) => compareKeys(keys[a] ?? null, keys[b] ?? null, sign, compareTexts))
}

function compareKeys(
  a: string | number | null,
  b: string | number | null,
  sign: number,
  compareTexts: (a: string, b: string) => number,
): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : compareTexts(String(a), String(b)))
}

function compareFolded(a: string, b: string): number {
  const [x, y] = [foldCase(a), foldCase(b)]
  return x === y ? 0 : x < y ? -1 : 1
}
