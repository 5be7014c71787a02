import { writeCount } from '../../src/site/explorer/axis-figures.ts'
import { COLUMNS, type Column, cellOf, classOf, ROWS_PER_PAGE } from '../../src/site/explorer/columns.ts'
import type { CataloguePlanet } from '../../src/site/explorer/planets.ts'
import { linkToPlanet } from '../lib/base.ts'
import { useStore } from './store.ts'
import type { Page, TablePages } from './table-pages.ts'
import type { State } from './url-state.ts'

export function PlanetTable({ pages }: { pages: TablePages }) {
  const { page } = useStore(pages.view)
  if (!page) return null
  const { rows, offset, total, sort } = page
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
      <Pager pages={pages} page={page} />
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

function Pager({ pages, page: { offset, next } }: { pages: TablePages; page: Page }) {
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
      <button
        type="button"
        class="secondary small"
        disabled={next === undefined}
        onClick={() => pages.moveTo(next ?? 0)}
      >
        Next page
      </button>
    </nav>
  )
}
