import { pathOf } from '../planet/paths.ts'
import { writeCount } from './axis-figures.ts'
import { COLUMNS, cellOf, classOf, ROWS_PER_PAGE } from './columns.ts'
import type { CataloguePlanet } from './planets.ts'

/** A page of the catalogue, for readers without scripts. The script replaces it with a table that can be sorted. */
export function PlanetTable({ planets, offset, total }: { planets: CataloguePlanet[]; offset: number; total: number }) {
  return (
    <>
      <div class="scroll-x">
        <table class="planets">
          <caption>
            Planets {writeCount(offset + 1)} to {writeCount(offset + planets.length)} of {writeCount(total)}
          </caption>
          <thead>
            <tr>
              {COLUMNS.map((column) => (
                <th scope="col" class={classOf(column)}>
                  {column.label} <small>{column.shortUnit}</small>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {planets.map((planet) => (
              <Row planet={planet} />
            ))}
          </tbody>
        </table>
      </div>
      <Pages offset={offset} total={total} />
    </>
  )
}

function Row({ planet }: { planet: CataloguePlanet }) {
  const [first, ...others] = COLUMNS
  return (
    <tr>
      <th scope="row" class={first && classOf(first)}>
        <a href={pathOf(planet)} referrerpolicy="same-origin">
          {planet.name}
        </a>
      </th>
      {others.map((column) => (
        <td class={classOf(column)}>{cellOf(planet, column.name)}</td>
      ))}
    </tr>
  )
}

function Pages({ offset, total }: { offset: number; total: number }) {
  const pageAt = (start: number) => `/?offset=${start}#planets`
  return (
    <nav class="pages row" aria-label="Pages of the table">
      {offset > 0 && <a href={pageAt(Math.max(0, offset - ROWS_PER_PAGE))}>Previous page</a>}
      {offset + ROWS_PER_PAGE < total && <a href={pageAt(offset + ROWS_PER_PAGE)}>Next page</a>}
    </nav>
  )
}
