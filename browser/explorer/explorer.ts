import type { CataloguePlanet } from '../../src/site/explorer/planets.ts'
import { type Selection, select } from './filters.ts'
import { Store } from './store.ts'
import { readState, type State, writeState } from './url-state.ts'

/** Browsers refuse too many changes of the URL in a short time. */
const URL_PAUSE_MS = 200

/** The state of the page. The picture, the table and the form show it. */
export class Explorer {
  #planets: readonly CataloguePlanet[]
  #isComplete = false
  readonly state: Store<State>
  /** The planets that pass the filters. */
  readonly selection: Store<Selection>
  #writing: ReturnType<typeof setTimeout> | undefined

  constructor(planets: readonly CataloguePlanet[]) {
    this.#planets = planets
    const state = readState(new URLSearchParams(location.search))
    this.state = new Store(state)
    this.selection = new Store(select(planets, state.filters))
    addEventListener('popstate', () => this.change(readState(new URLSearchParams(location.search))))
    // Does not wait for the pause, so that the Back button restores the latest state.
    addEventListener('pagehide', () => this.#writeUrl())
  }

  get planets(): readonly CataloguePlanet[] {
    return this.#planets
  }

  /** Whether the planets of the catalogue are among the planets. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Adds the planets of the catalogue, before the others. */
  complete(catalogue: readonly CataloguePlanet[]): void {
    this.#isComplete = true
    const others = new Set(this.#planets.map(({ id }) => id))
    this.replacePlanets([...catalogue.filter(({ id }) => !others.has(id)), ...this.#planets])
  }

  /** Replaces the planets, and then applies the filters to them. */
  replacePlanets(planets: readonly CataloguePlanet[]): void {
    this.#planets = planets
    this.selection.set(select(planets, this.state.get().filters))
  }

  /** A change of the filters or of the order shows the first page of the table. */
  change(change: Partial<State>): void {
    const isOtherList = change.filters !== undefined || change.sort !== undefined
    if (change.filters) this.selection.set(select(this.planets, change.filters))
    this.state.set({ ...this.state.get(), ...(isOtherList && { offset: 0 }), ...change })
    clearTimeout(this.#writing)
    this.#writing = setTimeout(() => this.#writeUrl(), URL_PAUSE_MS)
  }

  #writeUrl(): void {
    const url = location.pathname + writeState(this.state.get()) + location.hash
    if (url !== location.pathname + location.search + location.hash) history.replaceState(history.state, '', url)
  }
}
