import type { State } from './address.ts'

/** The table of the clients of a version of OpenAPI: in another order, or only those of a language. */
export class ClientTable {
  readonly #heads: readonly HTMLTableCellElement[]
  readonly #body: HTMLTableSectionElement
  /** As the build wrote them, so that equal rows keep this order. */
  readonly #rows: readonly HTMLTableRowElement[]

  /** @param onSort Gets the column whose head was pressed */
  constructor(table: HTMLTableElement, onSort: (column: string) => void) {
    this.#heads = [...table.querySelectorAll<HTMLTableCellElement>('[data-sort]')]
    this.#body = table.tBodies[0] ?? table.createTBody()
    this.#rows = [...this.#body.rows]
    for (const head of this.#heads) {
      const button = document.createElement('button')
      button.type = 'button'
      button.textContent = head.textContent
      button.addEventListener('click', () => onSort(head.dataset.sort ?? ''))
      head.replaceChildren(button)
    }
  }

  /** The names of the columns that sort. */
  get columns(): string[] {
    return this.#heads.map(({ dataset }) => dataset.sort ?? '')
  }

  /** @returns How many there are */
  show({ sort, language, openapi }: State): number {
    for (const head of this.#heads) head.setAttribute('aria-sort', 'none')
    const head = this.#heads.find(({ dataset }) => dataset.sort === sort.column)
    if (head) {
      const sign = sort.isReversed ? -1 : 1
      const cellOf = (row: HTMLTableRowElement) => row.cells[head.cellIndex]
      this.#body.append(...this.#rows.toSorted((one, other) => sign * compare(cellOf(one), cellOf(other))))
      const isFigure = cellOf(this.#rows[0] ?? document.createElement('tr'))?.dataset.figure !== undefined
      head.setAttribute('aria-sort', isFigure === sort.isReversed ? 'ascending' : 'descending')
    }
    for (const row of this.#rows) {
      const { dataset } = row
      row.hidden = dataset.openapi !== openapi || (language !== '' && dataset.language !== language)
    }
    return this.#rows.filter(({ hidden }) => !hidden).length
  }
}

/** Figures begin with the highest, texts with the first of the alphabet. */
function compare(one: HTMLTableCellElement | undefined, other: HTMLTableCellElement | undefined): number {
  const [figure, otherFigure] = [one?.dataset.figure, other?.dataset.figure]
  if (figure !== undefined && otherFigure !== undefined) return Number(otherFigure) - Number(figure)
  return (one?.textContent ?? '').localeCompare(other?.textContent ?? '')
}
