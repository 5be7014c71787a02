import { FIGURE_NAMES } from '../../src/site/explorer/axis-figures.ts'
import { KIND_NAMES } from '../../src/site/explorer/planets.ts'
import type { Explorer } from './explorer.ts'
import { type Filters, NO_FILTERS } from './filters.ts'
import type { State } from './url-state.ts'

// The form is part of the page that the server sends, so it is there before the script, and keeps its focus.

/** A number below this is a year that is still being typed, so it is ignored. */
const YEAR_MIN = 1000

/** Connects the form and the explorer: each updates the other. */
export function bindForm(form: HTMLFormElement, explorer: Explorer): void {
  fillForm(form, explorer.state.get())
  // The axes are chosen outside of the form's element.
  document.addEventListener('input', ({ target }) => {
    const isOfForm = (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) && target.form === form
    if (!isOfForm) return
    explorer.change(readForm(form, explorer.state.get()))
    showHabitability(form, explorer.state.get().filters)
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    // The filters apply as they are typed, so this only leads to what they have found.
    document.querySelector<HTMLElement>('#planets')?.focus()
  })
  form.addEventListener('reset', (event) => {
    event.preventDefault()
    explorer.change({ filters: NO_FILTERS })
    fillForm(form, explorer.state.get())
  })
  addEventListener('popstate', () => fillForm(form, explorer.state.get()))
}

/**
 * The part of the state that the form sets. It has filters only if they have changed, because a change of filters shows
 * the first page of the table.
 */
function readForm(form: HTMLFormElement, { x, y, filters: before }: State): Partial<State> {
  const fields = new FormData(form)
  const axes = { x: readAxis(fields, 'x') ?? x, y: readAxis(fields, 'y') ?? y }
  const filters = readFilters(fields)
  const areOtherAxes = axes.x !== x || axes.y !== y
  const areOtherFilters = JSON.stringify(filters) !== JSON.stringify(before)
  return { ...axes, ...(areOtherFilters && { filters }), ...(areOtherAxes && { view: undefined }) }
}

function readFilters(fields: FormData): Filters {
  return {
    kinds: KIND_NAMES.filter((kind) => fields.getAll('type').includes(kind)),
    name: readText(fields, 'q'),
    host: readText(fields, 'host'),
    method: readText(fields, 'method'),
    from: readYear(fields, 'from'),
    to: readYear(fields, 'to'),
    habitabilityMin: Number(readText(fields, 'habitable')),
  }
}

function readAxis(fields: FormData, name: 'x' | 'y'): State['x'] | undefined {
  return FIGURE_NAMES.find((figure) => figure === fields.get(name))
}

function readText(fields: FormData, name: string): string {
  return String(fields.get(name) ?? '')
}

function readYear(fields: FormData, name: string): number | undefined {
  const year = Number(readText(fields, name))
  return Number.isInteger(year) && year >= YEAR_MIN ? year : undefined
}

function fillForm(form: HTMLFormElement, { x, y, filters }: State): void {
  const values: Record<string, string> = {
    x,
    y,
    q: filters.name,
    host: filters.host,
    method: filters.method,
    from: String(filters.from ?? ''),
    to: String(filters.to ?? ''),
    habitable: String(filters.habitabilityMin),
  }
  for (const field of form.elements) {
    if (field instanceof HTMLInputElement && field.name === 'type') {
      field.checked = filters.kinds.some((kind) => kind === field.value)
    } else if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) {
      field.value = values[field.name] ?? field.value
    }
  }
  showHabitability(form, filters)
}

/** Shows the value of the slider as a number. */
function showHabitability(form: HTMLFormElement, { habitabilityMin }: Filters): void {
  const output = form.querySelector('#habitable-value')
  if (output) output.textContent = habitabilityMin === 0 ? 'any' : habitabilityMin.toFixed(2)
}
