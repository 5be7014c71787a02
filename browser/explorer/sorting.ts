import { sortKeyOf } from '../../src/site/explorer/columns.ts'
import type { CataloguePlanet } from '../../src/site/explorer/planets.ts'
import type { State } from './url-state.ts'

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
  return indexes.sort((a, b) => compareKeys(keys[a] ?? null, keys[b] ?? null, sign))
}

function compareKeys(a: string | number | null, b: string | number | null, sign: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : COLLATOR.compare(String(a), String(b)))
}
