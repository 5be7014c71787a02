// The explorer at `/`.

import { render } from 'hono/jsx/dom'
import type { Catalogue } from '../../src/schemas/catalogue.ts'
import { writeCount } from '../../src/site/explorer/axis-figures.ts'
import { listPlanets } from '../../src/site/explorer/planets.ts'
import { startAnswers } from '../explorer/answers.tsx'
import { Card } from '../explorer/card.tsx'
import { Explorer } from '../explorer/explorer.ts'
import { bindForm } from '../explorer/form.ts'
import { nameAxes, Picture } from '../explorer/picture.ts'
import { PlanetTable, TablePages } from '../explorer/table.tsx'
import { call, urlOf } from '../lib/api.ts'
import { Failure } from '../lib/failure.tsx'

/** A screen reader should not have to say every planet on the way. */
const ANNOUNCEMENT_PAUSE_MS = 300

/** An element of the page that the server has sent. */
function find<Found extends HTMLElement>(selector: string): Found {
  const element = document.querySelector<Found>(selector)
  if (!element) throw new Error(`the page has no ${selector}`)
  return element
}

const host = find('#picture')
const state = find('#picture-state')
const output = find('#count')

async function start(): Promise<void> {
  state.replaceChildren()
  host.hidden = false
  output.textContent = 'Loading the planets …'
  try {
    const { columns }: Catalogue = await call({ method: 'GET', url: urlOf('/catalogue'), headers: [] })
    show(new Explorer(listPlanets(columns)))
  } catch (error) {
    host.hidden = true
    output.textContent = ''
    render(<Refusal error={error} />, state)
  }
}

function show(explorer: Explorer): void {
  bindForm(find<HTMLFormElement>('#filters'), explorer)
  const picture = new Picture(host, explorer)
  showCount(explorer, picture)
  showMarked(explorer, picture)
  for (const button of document.querySelectorAll<HTMLElement>('[data-zoom]')) {
    button.addEventListener('click', () => zoomBy(picture, button.dataset.zoom))
  }
  requestAnimationFrame(() => setTimeout(() => showOthers(explorer)))
}

/** What can wait until the picture is drawn. */
function showOthers(explorer: Explorer): void {
  performance.mark('explorer-drawn')
  render(<PlanetTable pages={new TablePages(explorer)} />, find('#table'))
}

function showMarked(explorer: Explorer, picture: Picture): void {
  const cards = document.createElement('div')
  host.append(cards)
  render(<Card marked={picture.marked} axesOf={explorer.state.get} />, cards)
  const announcement = find('#announcement')
  let waiting: ReturnType<typeof setTimeout>
  picture.announcement.subscribe(() => {
    clearTimeout(waiting)
    waiting = setTimeout(() => {
      announcement.textContent = picture.announcement.get()
    }, ANNOUNCEMENT_PAUSE_MS)
  })
}

function showCount(explorer: Explorer, picture: Picture): void {
  let shown: unknown[] = []
  const update = () => {
    const { x, y } = explorer.state.get()
    const next = [x, y, explorer.selection.get()]
    // A zoom changes the state in each frame.
    if (next.every((value, index) => value === shown[index])) return
    shown = next
    const { count } = explorer.selection.get()
    const { missing } = picture
    const all = `${writeCount(count)} of ${writeCount(explorer.planets.length)} planets.`
    const rest = ` ${writeCount(missing)} have ${nameAxes(explorer.state.get())} and are only in the table.`
    const text = missing > 0 ? all + rest : all
    output.textContent = text
  }
  update()
  explorer.selection.subscribe(update)
  explorer.state.subscribe(update)
}

function zoomBy(picture: Picture, kind: string | undefined): void {
  if (kind === 'home') picture.home()
  else picture.zoomByStep(kind === 'in')
}

function Refusal({ error }: { error: unknown }) {
  return (
    <>
      <Failure error={error} />
      <p>
        <button type="button" class="secondary" onClick={start}>
          Try again
        </button>{' '}
        The table below is complete without the picture.
      </p>
    </>
  )
}

// The first view comes first.
start().finally(() => requestAnimationFrame(() => setTimeout(() => startAnswers(find('#answer')))))
