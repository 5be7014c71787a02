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
import { PlanetTable, TablePages } from '../explorer/table.tsx'
import { call } from '../lib/api.ts'
import { urlOf } from '../lib/base.ts'
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

async function start(): Promise<void> {
  const [host, state, output] = [find('#picture'), find('#picture-state'), find('#count')]
  state.replaceChildren()
  host.hidden = false
  output.textContent = 'Loading the planets …'
  try {
    const { columns }: Catalogue = await call({ method: 'GET', url: urlOf('/catalogue'), headers: [] })
    show(new Explorer([...listPlanets(columns), ...live.planets]))
  } catch (error) {
    host.hidden = true
    output.textContent = ''
    render(<Refusal error={error} />, state)
  }
}

function show(explorer: Explorer): void {
  bindForm(find<HTMLFormElement>('#filters'), explorer)
  const picture = new Picture(find('#picture'), explorer)
  showCount(explorer, picture)
  showMarked(explorer, picture)
  for (const button of document.querySelectorAll<HTMLElement>('[data-zoom]')) {
    button.addEventListener('click', () => zoomBy(picture, button.dataset.zoom))
  }
  live.onDraw = (happenings) => explorer.replacePlanets(applyHappenings(explorer.planets, happenings))
  requestAnimationFrame(() => setTimeout(() => showTable(explorer)))
}

/** Called when the picture is drawn, because the table can wait. */
function showTable(explorer: Explorer): void {
  // For benchmarks/pages.ts.
  performance.mark('explorer-drawn')
  render(<PlanetTable pages={new TablePages(explorer)} />, find('#table'))
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

/** The work that can wait until the planets are loaded, or their loading has failed. */
function startRest(): void {
  startAnswers(find('#answer'))
  render(<LivePanel live={live} />, find('#live'))
  live.start()
}

startOffer('/')
// A world without planets has no picture.
const firstView = document.querySelector('#picture') ? start() : Promise.resolve()
firstView.finally(() => requestAnimationFrame(() => setTimeout(startRest)))
