import { sortKeyOf } from '../../src/site/explorer/columns.ts'
import type { CataloguePlanet } from '../../src/site/explorer/planets.ts'
import type { State } from './url-state.ts'

const COLLATOR = new Intl.Collator('en', { numeric: true })

/** Sorts planets, and caches the order, because filters do not change it. */
export class Sorter {
  #planets: readonly CataloguePlanet[] = []
  #sort: State['sort']
  #order: number[] = []

  /** @returns The positions of the planets. What is not known is last in both directions */
  sort(planets: readonly CataloguePlanet[], sort: State['sort']): readonly number[] {
    if (planets !== this.#planets || sort !== this.#sort) {
      this.#order = sortPositions(planets, sort)
      this.#planets = planets
      this.#sort = sort
    }
    return this.#order
  }
}

function sortPositions(planets: readonly CataloguePlanet[], sort: State['sort']): number[] {
  const positions = Array.from(planets.keys())
  if (!sort) return positions
  const keys = planets.map((planet) => sortKeyOf(planet, sort.column))
  const sign = sort.isDescending ? -1 : 1
  return positions.sort((a, b) => compareKeys(keys[a] ?? null, keys[b] ?? null, sign))
}

function compareKeys(a: string | number | null, b: string | number | null, sign: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : COLLATOR.compare(String(a), String(b)))
}
