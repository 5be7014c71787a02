import type { State } from './address.ts'

/** How many clients are compared at first where there is no room for all. */
const FIRST_CLIENTS = 3

interface Shown {
  /** The clients that can be chosen: those of the language and the version. */
  offered: readonly string[]
  clients: readonly string[]
  cases: number
}

/** The table of the cases: some of the cases, and of the clients. */
export class CaseTable {
  readonly #rows: readonly HTMLTableRowElement[]
  readonly #head: HTMLTableRowElement | undefined
  readonly #clients: readonly HTMLTableCellElement[]

  constructor(table: HTMLTableElement) {
    this.#rows = [...(table.tBodies[0]?.rows ?? [])]
    this.#head = table.tHead?.rows[0]
    this.#clients = [...table.querySelectorAll<HTMLTableCellElement>('[data-client]')]
  }

  /** The names of the clients, in the order of the columns. */
  get clients(): string[] {
    return this.#clients.map(nameOf)
  }

  show({ language, level, group, openapi, text, differ, clients }: State, isNarrow: boolean): Shown {
    const offered = this.#clients.filter(
      ({ dataset }) => isOf(language, dataset.language) && dataset.openapi === openapi,
    )
    const first = isNarrow ? offered.slice(0, FIRST_CLIENTS) : offered
    const columns = clients ? offered.filter((head) => clients.includes(nameOf(head))) : first
    const shown = new Set(columns.map(({ cellIndex }) => cellIndex))
    for (const row of [this.#head, ...this.#rows]) {
      for (const cell of [...(row?.cells ?? [])].slice(1)) cell.hidden = !shown.has(cell.cellIndex)
    }
    const words = text.toLowerCase()
    for (const row of this.#rows) {
      const signs = new Set(columns.map(({ cellIndex }) => row.cells[cellIndex]?.textContent))
      const isSaid = row.dataset.openapi?.split(' ').includes(openapi)
      const isWanted = isSaid && isOf(level, row.dataset.level) && isOf(group, row.dataset.group)
      const name = `${row.cells[0]?.textContent} ${row.dataset.title}`.toLowerCase()
      row.hidden = !isWanted || !name.includes(words) || (differ && signs.size < 2)
    }
    const cases = this.#rows.filter(({ hidden }) => !hidden).length
    return { offered: offered.map(nameOf), clients: columns.map(nameOf), cases }
  }
}

const nameOf = ({ dataset }: HTMLTableCellElement) => dataset.client ?? ''

/** Whether a filter lets a value pass. An empty one lets all. */
const isOf = (filter: string, value: string | undefined) => filter === '' || filter === value
