import type { CataloguePlanet } from '../../src/site/explorer/planets.ts'
import { linkToPlanet } from '../lib/base.ts'
import { Chart, type ChartContent } from './chart.ts'
import type { Explorer } from './explorer.ts'
import { describePlanet } from './facts.ts'
import { type GestureListener, listenToGestures } from './gestures.ts'
import { listenToKeys } from './keys.ts'
import { listNamed } from './named.ts'
import { type Direction, findNearest, findNeighbour } from './nearest.ts'
import { at, countPlaced, hasPosition, type PlacedPlanets, placePlanets } from './points.ts'
import { Store } from './store.ts'
import { isReachable, isSameView, type Position, panView, type View, zoomView } from './view.ts'

const FIND_WITHIN_PX = 14
/** A finger is wider than the point of a mouse. */
const FIND_BY_TOUCH_WITHIN_PX = 24
/** What a key or a button does in one step. */
const PAN_STEP_PX = 60
const ZOOM_STEP_FACTOR = 1.5
/** To show more on the left, the picture moves to the right. */
const PAN_STEPS: Readonly<Record<Direction, Position>> = {
  left: { x: PAN_STEP_PX, y: 0 },
  right: { x: -PAN_STEP_PX, y: 0 },
  up: { x: 0, y: PAN_STEP_PX },
  down: { x: 0, y: -PAN_STEP_PX },
}

/** A planet with the pointer or the focus, and its place in the element of the picture. */
export interface Marked {
  planet: CataloguePlanet
  place: Position
  /** Whether its card stays, so that its link can be used. */
  isPinned: boolean
}

/** The picture of all planets: it connects the chart with the pointer, the keys and the gestures. */
export class Picture implements GestureListener {
  readonly marked = new Store<Marked | undefined>(undefined)
  /** The latest announcement for screen readers. */
  readonly announcement = new Store('')
  readonly #explorer: Explorer
  readonly #chart: Chart
  #content: ChartContent
  /** The planets of the content. A point has the index of its planet. */
  #planets: readonly CataloguePlanet[]
  #home: View
  #beyond: PlacedPlanets['beyond']
  #hovered: number | undefined
  #pinned: number | undefined

  constructor(host: HTMLElement, explorer: Explorer) {
    this.#explorer = explorer
    const { x, y, view } = explorer.state.get()
    this.#planets = explorer.planets
    const { points, home, beyond } = placePlanets(this.#planets, x, y)
    this.#home = home
    this.#beyond = beyond
    const { isShown } = explorer.selection.get()
    this.#content = { axes: { x, y }, points, view: this.#viewOf(view), isShown, named: listNamed(explorer.planets) }
    this.#pinned = this.#findPinned()
    this.#chart = new Chart(host, this.#content)
    this.#chart.onDraw = () => this.#mark()
    this.#mark()
    explorer.state.subscribe(() => this.#followState())
    explorer.selection.subscribe(() => this.#followSelection())
    listenToGestures(host, this)
    listenToKeys(host, this)
  }

  get over(): HTMLElement {
    return this.#chart.over
  }

  /** How many of the shown planets lack a figure of the axes. */
  get missing(): number {
    const { count, isShown } = this.#explorer.selection.get()
    return count - countPlaced(this.#content.points, isShown) - this.beyond
  }

  /** How many of the shown planets have figures beyond the axes. */
  get beyond(): number {
    const { isShown } = this.#explorer.selection.get()
    return this.#beyond.filter((index) => isShown[index] === 1).length
  }

  pan(move: Position): void {
    this.#show(panView(this.#content.view, this.#home, this.#chart.plotArea, move))
  }

  zoom(factor: number, place: Position): void {
    this.#show(zoomView(this.#content.view, this.#home, this.#chart.plotArea, factor, place))
  }

  zoomByStep(isIn: boolean): void {
    this.zoom(isIn ? ZOOM_STEP_FACTOR : 1 / ZOOM_STEP_FACTOR, this.#middle)
  }

  panByStep(direction: Direction): void {
    this.pan(PAN_STEPS[direction])
  }

  home(): void {
    this.#show(this.#home)
  }

  hover(place: Position | undefined): void {
    const found = place && this.#find(place, FIND_WITHIN_PX)
    if (found === this.#hovered) return
    this.#hovered = found
    this.#mark()
  }

  /** A click opens a planet. A tap shows its card first, because nothing hovers on a touch screen. */
  tap(place: Position, isTouch: boolean): void {
    const found = this.#find(place, isTouch ? FIND_BY_TOUCH_WITHIN_PX : FIND_WITHIN_PX)
    if (isTouch) this.#pin(found)
    else if (found !== undefined) this.#open(found)
  }

  /** Pins the next planet in a direction. If no visible planet is pinned, pins the planet nearest to the middle. */
  step(direction: Direction): void {
    const { points, isShown } = this.#content
    const { projection, plotArea } = this.#chart
    const next = this.#isVisible(this.#pinned)
      ? findNeighbour(points, isShown, projection, plotArea, this.#pinned, direction)
      : this.#find(this.#middle, Number.POSITIVE_INFINITY)
    if (next === undefined) return
    this.#hovered = undefined
    this.#pin(next)
    const planet = this.#explorer.planets[next]
    if (planet) this.announcement.set(describePlanet(planet, this.#content.axes))
  }

  openPinned(): void {
    if (this.#isVisible(this.#pinned)) this.#open(this.#pinned)
  }

  unpin(): void {
    this.#pin(undefined)
  }

  get #middle(): Position {
    const { width, height } = this.#chart.plotArea
    return { x: width / 2, y: height / 2 }
  }

  #find(place: Position, within: number): number | undefined {
    const { points, isShown } = this.#content
    return findNearest(points, isShown, this.#chart.projection, place, within)
  }

  #pin(index: number | undefined): void {
    // The change of the state sets `#pinned` and marks the planet (`#followState`).
    this.#explorer.change({ planet: index === undefined ? undefined : this.#explorer.planets[index]?.id })
  }

  #open(index: number): void {
    const planet = this.#explorer.planets[index]
    if (!planet) return
    this.#explorer.change({ planet: planet.id })
    location.assign(linkToPlanet(planet))
  }

  #show(view: View): void {
    if (isSameView(view, this.#content.view)) return
    this.#explorer.change({ view: isSameView(view, this.#home) ? undefined : view })
  }

  #followState(): void {
    const { x, y, view } = this.#explorer.state.get()
    const { axes } = this.#content
    const next = this.#viewOf(view)
    this.#pinned = this.#findPinned()
    if (x !== axes.x || y !== axes.y) this.#placeAgain({ axes: { x, y } })
    else if (!isSameView(next, this.#content.view)) this.#update({ view: next })
    else this.#mark()
  }

  #followSelection(): void {
    const { isShown } = this.#explorer.selection.get()
    if (this.#explorer.planets === this.#planets) this.#update({ isShown })
    else this.#followPlanets(isShown)
  }

  /** Shows the new list of planets. The indexes of planets change if planets before them were removed. */
  #followPlanets(isShown: Uint8Array): void {
    const hovered = this.#hovered === undefined ? undefined : this.#planets[this.#hovered]?.id
    this.#planets = this.#explorer.planets
    this.#hovered = this.#findPlanet(hovered)
    this.#pinned = this.#findPinned()
    this.#placeAgain({ isShown, named: listNamed(this.#planets) })
  }

  /** Computes the points again, because the axes or the planets have changed. */
  #placeAgain(change: Partial<ChartContent>): void {
    const { x, y, view } = this.#explorer.state.get()
    const { points, home, beyond } = placePlanets(this.#planets, x, y)
    this.#home = home
    this.#beyond = beyond
    this.#update({ ...change, points, view: this.#viewOf(view) })
  }

  #update(change: Partial<ChartContent>): void {
    this.#content = { ...this.#content, ...change }
    this.#chart.show(change)
  }

  #viewOf(view: View | undefined): View {
    return view && isReachable(view, this.#home) ? view : this.#home
  }

  #findPinned(): number | undefined {
    return this.#findPlanet(this.#explorer.state.get().planet)
  }

  #findPlanet(wanted: number | undefined): number | undefined {
    const index = wanted === undefined ? -1 : this.#explorer.planets.findIndex(({ id }) => id === wanted)
    return index < 0 ? undefined : index
  }

  /** Marks the planet with the pointer, or else the planet with the focus, if it is visible. */
  #mark(): void {
    const index = [this.#hovered, this.#pinned].find((each) => this.#isVisible(each))
    const planet = index === undefined ? undefined : this.#explorer.planets[index]
    const place = index === undefined ? undefined : this.#placeInHost(index)
    this.marked.set(planet && place && { planet, place, isPinned: index === this.#pinned })
  }

  #placeInHost(index: number): Position {
    const { x, y } = this.#placeOf(index)
    const { left, top } = this.#chart.plotArea
    return { x: x + left, y: y + top }
  }

  #placeOf(index: number): Position {
    const { points } = this.#content
    const { projection } = this.#chart
    return { x: projection.placeX(at(points.x, index)), y: projection.placeY(at(points.y, index)) }
  }

  /** Whether a point is shown, and inside of the view. */
  #isVisible(index: number | undefined): index is number {
    if (index === undefined || this.#explorer.selection.get().isShown[index] !== 1) return false
    if (!hasPosition(this.#content.points, index)) return false
    const { x, y } = this.#placeOf(index)
    const { width, height } = this.#chart.plotArea
    return x >= 0 && x <= width && y >= 0 && y <= height
  }
}
