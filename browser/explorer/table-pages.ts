import type { ShownRequest, ShownResponse } from '../../src/design/shown-request.ts'
import type { LivePlanet } from '../../src/schemas/live/bodies.ts'
import { type ColumnName, ROWS_PER_PAGE } from '../../src/site/explorer/columns.ts'
import { type CataloguePlanet, readApiPlanet } from '../../src/site/explorer/planets.ts'
import { explainRefusal, send } from '../lib/api.ts'
import type { Explorer } from './explorer.ts'
import { select } from './filters.ts'
import type { Happening } from './happenings.ts'
import { catalogueRequest, type Dress, listLacks, requestOf } from './planet-request.ts'
import { Sorter } from './sorting.ts'
import { Store } from './store.ts'
import type { State } from './url-state.ts'

export interface Page {
  rows: readonly CataloguePlanet[]
  offset: number
  total: number
  sort: State['sort']
  /** The offset of the next page; undefined on the last page. */
  next: number | undefined
}

/** The table, and the request that it comes from. */
export interface TableView {
  /** Undefined until the first page is there. */
  page: Page | undefined
  /** The request that was sent last. */
  request: ShownRequest
  dress: Dress
  /** What the API cannot do, so that the table comes from the catalogue. Empty if it comes from the API. */
  lacks: readonly string[]
  /** Whether the table waits for the catalogue. */
  isWaiting: boolean
  /** The response to the request; undefined until it is there, and if nothing is sent. */
  response: Pick<ShownResponse, 'status' | 'milliseconds'> | undefined
  /** Why there is no new page. The earlier page stays. */
  error: unknown
}

/** The answer of the list of planets, as far as the table needs it. */
interface Answer {
  data: LivePlanet[]
  meta: { offset: number; total: number; nextCursor: string | null }
}

/** A request is sent when nobody has typed for this time. */
const TYPING_PAUSE_MS = 250
/**
 * The minimum time between two reads of the same page because planets have changed. Anybody can change planets all the
 * time, and every open page would read as often.
 */
const REFRESH_INTERVAL_MS = 5_000

/** The pages of the table. They follow the state of the explorer. */
export class TablePages {
  readonly view: Store<TableView>
  readonly #explorer: Explorer
  readonly #sorter = new Sorter()
  /** Where pages begin, by their offset, for the filters and the order of `#list`. */
  #cursors = new Map<number, string>()
  #list: Pick<State, 'filters' | 'sort'>
  #waiting: ReturnType<typeof setTimeout> | undefined
  #refreshing: ReturnType<typeof setTimeout> | undefined
  #reading = new AbortController()
  #readAt = 0

  constructor(explorer: Explorer) {
    this.#explorer = explorer
    this.#list = explorer.state.get()
    this.view = new Store<TableView>({
      page: undefined,
      request: requestOf(this.#list, { offset: 0 }, 'parameters'),
      dress: 'parameters',
      lacks: [],
      isWaiting: false,
      response: undefined,
      error: undefined,
    })
    let before = explorer.state.get()
    explorer.state.subscribe(() => {
      const state = explorer.state.get()
      // A zoom changes the state in each frame, but not the table.
      if (isSameList(state, before) && state.offset === before.offset) return
      before = state
      this.#readSoon()
    })
    // The planets have changed, or all of them are loaded.
    explorer.selection.subscribe(() => this.view.get().lacks.length > 0 && this.#readSoon())
    this.read()
  }

  /** Sorts the table by a column. If it is sorted by this column already, the direction changes. */
  sortBy(column: ColumnName): void {
    const { sort } = this.#explorer.state.get()
    this.#explorer.change({ sort: { column, isDescending: sort?.column === column && !sort.isDescending } })
  }

  moveTo(offset: number): void {
    this.#explorer.change({ offset })
    document.querySelector<HTMLElement>('#planets')?.focus()
  }

  chooseDress(dress: Dress): void {
    this.#change({ dress })
    this.read()
  }

  /** Reads the page again if these changes of planets can concern it. */
  follow(happenings: readonly Happening[]): void {
    const { page, lacks } = this.view.get()
    if (this.#refreshing !== undefined || lacks.length > 0) return
    const { filters } = this.#explorer.state.get()
    const isConcerned = happenings.some(
      ({ planet }) => select([planet], filters).count > 0 || page?.rows.some(({ id }) => id === planet.id),
    )
    if (!isConcerned) return
    const wait = Math.max(0, this.#readAt + REFRESH_INTERVAL_MS - performance.now())
    this.#refreshing = setTimeout(() => this.read(), wait)
  }

  /** Reads the page of the state. An answer to an earlier request is dropped. */
  read(): void {
    clearTimeout(this.#waiting)
    clearTimeout(this.#refreshing)
    this.#refreshing = undefined
    this.#reading.abort()
    this.#reading = new AbortController()
    this.#readAt = performance.now()
    const state = this.#explorer.state.get()
    if (!isSameList(state, this.#list)) this.#cursors.clear()
    this.#list = state
    const lacks = listLacks(state)
    if (lacks.length > 0) this.#cutFromCatalogue(state, lacks)
    else void this.#readFromApi(state, this.#reading.signal)
  }

  #readSoon(): void {
    clearTimeout(this.#waiting)
    this.#waiting = setTimeout(() => this.read(), TYPING_PAUSE_MS)
  }

  async #readFromApi(state: State, signal: AbortSignal): Promise<void> {
    const cursor = this.#cursors.get(state.offset)
    const place = cursor === undefined ? { offset: state.offset } : { cursor }
    const request = requestOf(state, place, this.view.get().dress)
    this.#change({ request, lacks: [], isWaiting: false, response: undefined, error: undefined })
    try {
      const response = await send(request, { signal })
      this.#change({ response })
      if (response.status === 400 && cursor !== undefined) {
        // A reset of the world ends its cursors.
        this.#cursors.clear()
        this.read()
      } else if (response.status >= 400) this.#change({ error: explainRefusal(response) })
      else this.#show(JSON.parse(response.text), state)
    } catch (error) {
      if (!signal.aborted) this.#change({ error })
    }
  }

  #show({ data, meta: { offset, total, nextCursor } }: Answer, state: State): void {
    if (data.length === 0 && total > 0 && state.offset > 0) {
      // The offset is past the end, so the last page is shown.
      this.#explorer.change({ offset: Math.min(state.offset - 1, startOfLastPage(total)) })
      return
    }
    const next = nextCursor === null ? undefined : state.offset + data.length
    if (next !== undefined && nextCursor !== null) this.#cursors.set(next, nextCursor)
    const rows = data.map((planet) => readApiPlanet(planet, false))
    this.#change({ page: { rows, offset, total, sort: state.sort, next } })
  }

  /** The page at the offset of the state, or the last page if the offset is past the end. */
  #cutFromCatalogue({ sort, offset }: State, lacks: readonly string[]): void {
    const isWaiting = !this.#explorer.isComplete
    this.#change({ request: catalogueRequest(), lacks, isWaiting, response: undefined, error: undefined })
    if (isWaiting) return
    const { isShown, count } = this.#explorer.selection.get()
    const start = Math.min(offset, startOfLastPage(count))
    const end = start + ROWS_PER_PAGE
    const rows = this.#sorter
      .sort(this.#explorer.planets, sort)
      .filter((index) => isShown[index] === 1)
      .slice(start, end)
      .flatMap((index) => this.#explorer.planets[index] ?? [])
    this.#change({ page: { rows, offset: start, total: count, sort, next: end < count ? end : undefined } })
  }

  #change(change: Partial<TableView>): void {
    this.view.set({ ...this.view.get(), ...change })
  }
}

function isSameList(a: Pick<State, 'filters' | 'sort'>, b: Pick<State, 'filters' | 'sort'>): boolean {
  return a.filters === b.filters && a.sort === b.sort
}

function startOfLastPage(total: number): number {
  return Math.max(0, Math.ceil(total / ROWS_PER_PAGE) - 1) * ROWS_PER_PAGE
}
