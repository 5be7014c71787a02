// The explorer at `/`.

import { render } from 'hono/jsx/dom'
import type { Catalogue } from '../../src/schemas/catalogue.ts'
import { listPlanets } from '../../src/site/explorer/planets.ts'
import { startAnswers } from '../explorer/answers.tsx'
import { Card } from '../explorer/card.tsx'
import { describeCount } from '../explorer/describe-count.ts'
import { Explorer } from '../explorer/explorer.ts'
import { bindForm } from '../explorer/form.ts'
import { applyHappenings } from '../explorer/happenings.ts'
import { LivePanel } from '../explorer/live-panel.tsx'
import { LivePlanets } from '../explorer/live-planets.ts'
import { Picture } from '../explorer/picture.ts'
import { catalogueRequest } from '../explorer/planet-request.ts'
import { RequestPanel } from '../explorer/request-panel.tsx'
import { PlanetTable } from '../explorer/table.tsx'
import { TablePages } from '../explorer/table-pages.ts'
import { call } from '../lib/api.ts'
import { Failure } from '../lib/failure.tsx'
import { startOffer } from '../universe/offer.tsx'

/** Screen readers should announce only the planet at which the person stops, not every planet before it. */
const ANNOUNCEMENT_PAUSE_MS = 300

const live = new LivePlanets()

/** An element of the page that the server has sent. */
function find<Found extends HTMLElement>(selector: string): Found {
  const element = document.querySelector<Found>(selector)
  if (!element) throw new Error(`the page has no ${selector}`)
  return element
}

async function start(explorer: Explorer): Promise<void> {
  const [host, state, output] = [find('#picture'), find('#picture-state'), find('#count')]
  state.replaceChildren()
  host.hidden = false
  output.textContent = 'Loading the planets …'
  try {
    const { columns }: Catalogue = await call(catalogueRequest())
    explorer.complete(listPlanets(columns))
    show(explorer)
  } catch (error) {
    host.hidden = true
    output.textContent = ''
    render(<Refusal error={error} explorer={explorer} />, state)
  }
}

function show(explorer: Explorer): void {
  const picture = new Picture(find('#picture'), explorer)
  showCount(explorer, picture)
  showMarked(explorer, picture)
  for (const button of document.querySelectorAll<HTMLElement>('[data-zoom]')) {
    button.addEventListener('click', () => zoomBy(picture, button.dataset.zoom))
  }
  // For benchmarks/pages.ts.
  requestAnimationFrame(() => setTimeout(() => performance.mark('explorer-drawn')))
}

/** The table that the server has sent stays until the first page is there. */
function showTable(explorer: Explorer): void {
  const pages = new TablePages(explorer)
  live.onDraw = (happenings) => {
    explorer.replacePlanets(applyHappenings(explorer.planets, happenings))
    pages.follow(happenings)
  }
  render(<RequestPanel pages={pages} />, find('#request'))
  const showFirst = () => {
    if (!pages.view.get().page) return
    endWait()
    render(<PlanetTable pages={pages} />, find('#table'))
  }
  const endWait = pages.view.subscribe(showFirst)
  showFirst()
}

function showMarked(explorer: Explorer, picture: Picture): void {
  const cards = document.createElement('div')
  find('#picture').append(cards)
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
  const output = find('#count')
  const noMatch = find('#no-match')
  let causes: unknown[] = []
  let planets = explorer.planets
  const update = () => {
    const { x, y } = explorer.state.get()
    const next = [x, y, explorer.selection.get()]
    // A zoom changes the state in each frame, but not the number of planets.
    if (next.every((value, index) => value === causes[index])) return
    causes = next
    // Screen readers announce the number after a change of the filters or the axes. New planets are announced by their
    // own part of the page, less often.
    const politeness = planets === explorer.planets ? 'polite' : 'off'
    if (output.ariaLive !== politeness) output.ariaLive = politeness
    planets = explorer.planets
    output.textContent = describeCount(explorer, picture)
    noMatch.hidden = explorer.selection.get().count > 0
  }
  update()
  explorer.selection.subscribe(update)
  explorer.state.subscribe(update)
}

function zoomBy(picture: Picture, kind: string | undefined): void {
  if (kind === 'home') picture.home()
  else picture.zoomByStep(kind === 'in')
}

function Refusal({ error, explorer }: { error: unknown; explorer: Explorer }) {
  return (
    <>
      <Failure error={error} />
      <p>
        <button type="button" class="secondary" onClick={() => start(explorer)}>
          Try again
        </button>{' '}
        The table below works without the picture.
      </p>
    </>
  )
}

/** The work that can wait until the planets are loaded, or their loading has failed. */
function startRest(explorer: Explorer | undefined): void {
  if (explorer) showTable(explorer)
  startAnswers(find('#answer'))
  render(<LivePanel live={live} />, find('#live'))
  live.start()
}

/** @returns Undefined if the world has no planets: then the page has neither a picture nor a table */
function startExplorer(): Explorer | undefined {
  const form = document.querySelector<HTMLFormElement>('#filters')
  if (!form) return undefined
  const explorer = new Explorer([])
  bindForm(form, explorer)
  return explorer
}

startOffer('/')
const explorer = startExplorer()
const firstView = explorer ? start(explorer) : Promise.resolve()
firstView.finally(() => requestAnimationFrame(() => setTimeout(() => startRest(explorer))))
