import type { CataloguePlanet } from '../../src/site/explorer/planets.ts'
import { CHOICES, readStored, store } from '../lib/storage.ts'
import { applyHappenings, type Happening, listNewest, readHappening } from './happenings.ts'
import { PlanetStream, type StreamState } from './planet-stream.ts'
import { Store } from './store.ts'

/** The minimum time between two drawings of the page. Events that arrive in between are drawn together. */
const DRAWING_INTERVAL_MS = 500
/** The minimum time between two announcements to screen readers. */
const ANNOUNCEMENT_INTERVAL_MS = 10_000

/** The key under which the tab keeps whether the page listens. */
const CHOICE_KEY = `${CHOICES}live`
const OFF = 'off'

export interface LiveView {
  state: StreamState
  isOn: boolean
  /** How many new planets the page has received. */
  count: number
  /** The last of these planets that still exist, newest first. */
  newest: readonly CataloguePlanet[]
  /** Whether events are missing. */
  hasGap: boolean
}

/** The planets that are created while the page listens. The person can switch it off, and the tab keeps the choice. */
export class LivePlanets {
  readonly view: Store<LiveView>
  /** The latest announcement for screen readers. */
  readonly announcement = new Store('')
  /** Called at each drawing, with the changes since the last one. */
  onDraw: (happenings: readonly Happening[]) => void = () => {}
  readonly #stream: PlanetStream
  #planets: readonly CataloguePlanet[] = []
  #undrawn: Happening[] = []
  #drawing: ReturnType<typeof setTimeout> | undefined
  #drawnAt = 0
  #announcing: ReturnType<typeof setTimeout> | undefined
  /** How many planets the latest announcement has counted. */
  #announcedCount = 0

  constructor() {
    this.#stream = new PlanetStream(
      (item) => this.#receive(readHappening(item)),
      () => this.#change({ hasGap: true }),
    )
    const isOn = readStored(CHOICE_KEY) !== OFF
    this.view = new Store<LiveView>({ state: 'off', isOn, count: 0, newest: [], hasGap: false })
    this.#stream.state.subscribe(() => this.#change({ state: this.#stream.state.get() }))
  }

  /** The new planets that still exist. */
  get planets(): readonly CataloguePlanet[] {
    return this.#planets
  }

  /** Starts to listen, unless the person has chosen otherwise. */
  start(): void {
    if (this.view.get().isOn) this.#stream.start()
  }

  switch(isOn: boolean): void {
    store(CHOICE_KEY, isOn ? 'on' : OFF)
    this.#change({ isOn })
    if (isOn) this.#stream.start()
    else this.#stream.stop()
  }

  #receive(happening: Happening): void {
    this.#undrawn.push(happening)
    if (this.#drawing !== undefined) return
    const wait = Math.max(0, this.#drawnAt + DRAWING_INTERVAL_MS - performance.now())
    this.#drawing = setTimeout(() => this.#draw(), wait)
  }

  #draw(): void {
    const happenings = this.#undrawn
    this.#undrawn = []
    this.#drawing = undefined
    this.#drawnAt = performance.now()
    this.#planets = applyHappenings(this.#planets, happenings)
    const created = happenings.filter(({ event }) => event === 'created').length
    this.#change({ count: this.view.get().count + created, newest: listNewest(this.#planets) })
    this.onDraw(happenings)
    this.#announce()
  }

  #announce(): void {
    const { count, newest } = this.view.get()
    if (this.#announcing !== undefined || count === this.#announcedCount) return
    this.#announcedCount = count
    const [last] = newest
    if (last) this.announcement.set(`New planets: ${count.toLocaleString('en-US')}. The newest is ${last.name}.`)
    this.#announcing = setTimeout(() => {
      this.#announcing = undefined
      this.#announce()
    }, ANNOUNCEMENT_INTERVAL_MS)
  }

  #change(change: Partial<LiveView>): void {
    this.view.set({ ...this.view.get(), ...change })
  }
}

export function describeNewCount(count: number): string {
  if (count === 0) return 'This page has received no new planets yet.'
  if (count === 1) return 'This page has received 1 new planet.'
  return `This page has received ${count.toLocaleString('en-US')} new planets.`
}
