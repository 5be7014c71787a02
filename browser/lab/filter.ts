// The filter of the cases on the page of the laboratory. It is kept in the address.

const NAMES = ['group', 'level', 'text'] as const
type Name = (typeof NAMES)[number]
type Filter = Record<Name, string>
type Fields = Record<Name, HTMLInputElement | HTMLSelectElement>

/** Makes the filter of the page work. Rows are what the build has rendered (laboratory/pages/case-list.tsx). */
export function startFilter(): void {
  const group = document.querySelector<HTMLSelectElement>('#case-group')
  const level = document.querySelector<HTMLSelectElement>('#case-level')
  const text = document.querySelector<HTMLInputElement>('#case-text')
  const part = document.querySelector<HTMLElement>('#case-filter')
  const count = document.querySelector<HTMLElement>('#case-count')
  if (!(group && level && text && part && count)) return
  const fields = { group, level, text }
  const show = (words: string) => {
    count.textContent = [words, filterRows(readFilter(fields))].filter(Boolean).join(' ')
  }
  part.hidden = false
  show(fill(fields, new URLSearchParams(location.search)))
  part.addEventListener('input', () => {
    keepInAddress(readFilter(fields))
    show('')
  })
}

/** Fills the fields from the address. @returns What of it does not exist, in words */
function fill(fields: Fields, params: URLSearchParams): string {
  const ignored = NAMES.filter((name) => {
    const field = fields[name]
    field.value = params.get(name) ?? ''
    // A select without such an option has none.
    if (!(field instanceof HTMLSelectElement) || field.selectedIndex >= 0) return false
    field.value = ''
    return true
  })
  return ignored.map((name) => `There is no ${name} ${JSON.stringify(params.get(name))}, so it is ignored.`).join(' ')
}

function readFilter({ group, level, text }: Fields): Filter {
  return { group: group.value, level: level.value, text: text.value.trim() }
}

/** Hides the rows that do not fit, and opens the groups of the others. @returns How many there are, in words */
function filterRows({ group, level, text }: Filter): string {
  const isFiltered = group !== '' || level !== '' || text !== ''
  const words = text.toLowerCase()
  let [shown, all] = [0, 0]
  for (const details of document.querySelectorAll<HTMLDetailsElement>('[data-group]')) {
    const rows = [...details.querySelectorAll<HTMLElement>('li')]
    const isInGroup = group === '' || details.dataset.group === group
    for (const row of rows) {
      const isLevel = level === '' || row.dataset.level === level
      row.hidden = !(isInGroup && isLevel && (row.textContent ?? '').toLowerCase().includes(words))
    }
    const fitting = rows.filter(({ hidden }) => !hidden).length
    details.hidden = fitting === 0
    details.open = isFiltered && fitting > 0
    shown += fitting
    all += rows.length
  }
  return isFiltered ? `${shown} of ${all} cases` : ''
}

function keepInAddress(filter: Filter): void {
  const url = new URL(location.href)
  for (const name of NAMES) {
    if (filter[name] === '') url.searchParams.delete(name)
    else url.searchParams.set(name, filter[name])
  }
  history.replaceState(history.state, '', url)
}
