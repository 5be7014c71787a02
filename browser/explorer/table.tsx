import { writeCount } from '../../src/site/explorer/axis-figures.ts'
import {
  COLUMNS,
  type Column,
  type ColumnName,
  cellOf,
  classOf,
  ROWS_PER_PAGE,
} from '../../src/site/explorer/columns.ts'
import type { CataloguePlanet } from '../../src/site/explorer/planets.ts'
import { linkToPlanet } from '../lib/base.ts'
import type { Explorer } from './explorer.ts'
import { Sorter } from './sorting.ts'
import { Store, useStore } from './store.ts'
import type { State } from './url-state.ts'

interface Page {
  rows: readonly CataloguePlanet[]
  offset: number
  total: number
  sort: State['sort']
}

/**
 * The table is rendered after a pause, so that the picture is drawn first, and typing does not wait for the table after
 * each letter.
 */
const PAUSE_MS = 100

/** The pages of the table. They follow the explorer after a pause. */
export class TablePages {
  readonly page: Store<Page>
  readonly #explorer: Explorer
  readonly #sorter = new Sorter()
  #waiting: ReturnType<typeof setTimeout> | undefined

  constructor(explorer: Explorer) {
    this.#explorer = explorer
    this.page = new Store(this.#cutPage())
    explorer.state.subscribe(() => {
      const { sort, offset } = explorer.state.get()
      const page = this.page.get()
      // A zoom changes the state in each frame, but not the table.
      if (sort !== page.sort || offset !== page.offset) this.#requestPage()
    })
    explorer.selection.subscribe(() => this.#requestPage())
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

  #requestPage(): void {
    clearTimeout(this.#waiting)
    this.#waiting = setTimeout(() => {
      const next = this.#cutPage()
      if (!isSamePage(next, this.page.get())) this.page.set(next)
    }, PAUSE_MS)
  }

  /** The page at the offset of the state, or the last page if the offset is beyond the end. */
  #cutPage(): Page {
    const { sort, offset } = this.#explorer.state.get()
    const { isShown, count } = this.#explorer.selection.get()
    const pages = Math.max(1, Math.ceil(count / ROWS_PER_PAGE))
    const start = Math.min(offset, (pages - 1) * ROWS_PER_PAGE)
    const rows = this.#sorter
      .sort(this.#explorer.planets, sort)
      .filter((index) => isShown[index] === 1)
      .slice(start, start + ROWS_PER_PAGE)
      .flatMap((index) => this.#explorer.planets[index] ?? [])
    return { rows, offset: start, total: count, sort }
  }
}

function isSamePage(a: Page, b: Page): boolean {
  const areSameRows = a.rows.length === b.rows.length && a.rows.every((planet, index) => planet === b.rows[index])
  return areSameRows && a.offset === b.offset && a.total === b.total && a.sort === b.sort
}

/** The table of the shown planets. */
export function PlanetTable({ pages }: { pages: TablePages }) {
  const { rows, offset, total, sort } = useStore(pages.page)
  if (rows.length === 0) return <p class="notice">No planet matches the filters. Change or reset them.</p>
  return (
    <>
      <div class="scroll-x">
        <table class="planets">
          <caption>
            Planets {writeCount(offset + 1)} to {writeCount(offset + rows.length)} of {writeCount(total)}
          </caption>
          <thead>
            <tr>
              {COLUMNS.map((column) => (
                <Header key={column.name} column={column} sort={sort} onSort={() => pages.sortBy(column.name)} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((planet) => (
              <Row key={planet.id} planet={planet} />
            ))}
          </tbody>
        </table>
      </div>
      <Pager pages={pages} offset={offset} total={total} />
    </>
  )
}

function Header({ column, sort, onSort }: { column: Column; sort: State['sort']; onSort: () => void }) {
  const isSorted = sort?.column === column.name
  const order = sort?.isDescending ? 'descending' : 'ascending'
  return (
    <th scope="col" class={classOf(column)} aria-sort={isSorted ? order : undefined}>
      <button type="button" class="sort" onClick={onSort}>
        {column.label}
        <small>{column.shortUnit}</small>
      </button>
    </th>
  )
}

function Row({ planet }: { planet: CataloguePlanet }) {
  const [first, ...others] = COLUMNS
  return (
    <tr>
      <th scope="row" class={first && classOf(first)}>
        <a href={linkToPlanet(planet)}>{planet.name}</a>
      </th>
      {others.map((column) => (
        <td key={column.name} class={classOf(column)}>
          {cellOf(planet, column.name)}
        </td>
      ))}
    </tr>
  )
}

function Pager({ pages, offset, total }: { pages: TablePages; offset: number; total: number }) {
  const next = offset + ROWS_PER_PAGE
  return (
    <nav class="pages row" aria-label="Pages of the table">
      <button
        type="button"
        class="secondary small"
        disabled={offset === 0}
        onClick={() => pages.moveTo(Math.max(0, offset - ROWS_PER_PAGE))}
      >
        Previous page
      </button>
      <button type="button" class="secondary small" disabled={next >= total} onClick={() => pages.moveTo(next)}>
        Next page
      </button>
    </nav>
  )
}
