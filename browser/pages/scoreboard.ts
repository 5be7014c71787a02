// The tables of the scoreboard are complete without this script. It sorts and filters them, by the query of the URL.

import { readState, type State, writeState } from '../scoreboard/address.ts'
import { CaseTable } from '../scoreboard/case-table.ts'
import { ClientTable } from '../scoreboard/client-table.ts'
import { markEdges } from '../scoreboard/edges.ts'

/** Where there is no room for all clients, as in browser/styles/scoreboard.css. */
const NARROW = matchMedia('(max-width: 40rem)')

const clientTable = document.querySelector<HTMLTableElement>('#client-table')
const caseTable = document.querySelector<HTMLTableElement>('#case-table')
if (clientTable && caseTable) start(clientTable, caseTable)

function start(clientTable: HTMLTableElement, caseTable: HTMLTableElement): void {
  const clients = new ClientTable(clientTable, sortBy)
  const cases = new CaseTable(caseTable)
  const selects = [...document.querySelectorAll<HTMLSelectElement>('[data-choice]')]
  const text = document.querySelector<HTMLInputElement>('[name="text"]')
  const differ = document.querySelector<HTMLInputElement>('[name="differ"]')
  const boxes = [...document.querySelectorAll<HTMLInputElement>('[name="clients"]')]
  const valuesOf = (name: string) =>
    [...(selects.find(({ dataset }) => dataset.choice === name)?.options ?? [])].map(({ value }) => value)
  const known = {
    sort: clients.columns,
    clients: cases.clients,
    language: valuesOf('language'),
    level: valuesOf('level'),
    group: valuesOf('group'),
    openapi: valuesOf('openapi'),
  }
  const read = readState(new URLSearchParams(location.search), known)
  let { state } = read

  for (const select of selects) {
    const { choice = '' } = select.dataset
    // Others than those of the language and the version are not offered then.
    const others = choice === 'language' || choice === 'openapi' ? { clients: undefined } : {}
    select.addEventListener('change', () => change({ [choice]: select.value, ...others }))
  }
  if (text) {
    // Not while somebody types: a space at the end would be taken away.
    text.value = state.text
    text.addEventListener('input', () => change({ text: text.value.trim() }))
  }
  differ?.addEventListener('change', () => change({ differ: differ.checked }))
  const readBoxes = () => boxes.filter(({ checked }) => checked).map(({ value }) => value)
  for (const box of boxes) box.addEventListener('change', () => change({ clients: readBoxes() }))
  document.querySelector('[data-none]')?.addEventListener('click', () => change({ clients: [] }))
  NARROW.addEventListener('change', show)
  for (const form of document.querySelectorAll<HTMLElement>('[data-filter]')) form.hidden = false
  for (const box of document.querySelectorAll<HTMLElement>('.board')) markEdges(box)
  sayIgnored(read.ignored)
  show()

  function sortBy(column: string): void {
    const isReversed = state.sort.column === column && !state.sort.isReversed
    change({ sort: { column, isReversed } })
  }

  function change(part: Partial<State>): void {
    state = { ...state, ...part }
    history.replaceState(null, '', location.pathname + writeState(state) + location.hash)
    sayIgnored([])
    show()
  }

  function show(): void {
    const count = clients.show(state)
    const shown = cases.show(state, NARROW.matches)
    for (const select of selects) {
      const { choice } = select.dataset
      if (choice === 'language' || choice === 'level' || choice === 'group' || choice === 'openapi')
        select.value = state[choice]
    }
    if (differ) differ.checked = state.differ
    for (const box of boxes) {
      box.checked = shown.clients.includes(box.value)
      const line = box.closest('li')
      if (line) line.hidden = !shown.offered.includes(box.value)
    }
    write('[data-chosen]', `${shown.clients.length} of ${shown.offered.length}`)
    write('[data-clients]', count > 0 ? '' : `There is no such client of OpenAPI ${state.openapi} here yet.`)
    write('[data-count]', `${shown.cases} cases of ${shown.clients.length} clients`)
  }
}

function sayIgnored(ignored: readonly string[]): void {
  const place = document.querySelector<HTMLElement>('[data-ignored]')
  if (!place) return
  place.hidden = ignored.length === 0
  place.textContent = `The address asks for what is not here, which is ignored: ${ignored.join(' and ')}`
}

function write(selector: string, text: string): void {
  const place = document.querySelector(selector)
  if (place) place.textContent = text
}
