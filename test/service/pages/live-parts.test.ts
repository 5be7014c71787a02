import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { applyHappenings, type Happening, listNewest, NEW_MAX } from '../../../browser/explorer/happenings.ts'
import { LivePlanets } from '../../../browser/explorer/live-planets.ts'
import { listNamed } from '../../../browser/explorer/named.ts'
import { placePlanets } from '../../../browser/explorer/points.ts'
import type { LivePlanet } from '../../../src/schemas/live/bodies.ts'
import { type CataloguePlanet, readApiPlanet } from '../../../src/site/explorer/planets.ts'

// The parts of the explorer that follow what happens to planets, without a browser.

// On Node, the file does not come from a service.
vi.mock('../../../browser/lib/base.ts', () => ({ urlOf: (path: string) => `http://galaxy.test${path}`, BASE_PATH: '' }))

const planet = (id: number, more: Partial<LivePlanet> = {}) => ({ id, name: `Planet ${id}`, ...more })
const shipped = (id: number, figure: number) =>
  readApiPlanet(planet(id, { physicalProperties: { radius: figure, orbitalPeriod: figure } }), false)
const happening = (event: Happening['event'], id: number, more: Partial<LivePlanet> = {}): Happening => ({
  event,
  planet: readApiPlanet(planet(id, more), event === 'created'),
})
const idsOf = (planets: readonly CataloguePlanet[]) => planets.map(({ id }) => id)

describe('the planets of the explorer', () => {
  const catalogue = [shipped(1, 1), shipped(2, 10)]

  it('follow what happens to them, and to no others', () => {
    const created = applyHappenings(catalogue, [happening('created', 3), happening('updated', 99)])
    expect(idsOf(created)).toEqual([1, 2, 3])
    const changed = applyHappenings(created, [
      happening('updated', 1, { name: 'Renamed' }),
      happening('updated', 3, {
        name: 'Named',
        type: 'dwarf',
        tags: ['Sun', 'RV'],
        discoveredAt: '2008-01-01T00:00:00Z',
      }),
    ])
    expect(changed[0]).toMatchObject({ name: 'Renamed', isNew: false })
    expect(changed[2]).toMatchObject({ name: 'Named', isNew: true, kind: 'dwarf', host: 'Sun', method: 'RV' })
    expect(changed[2]?.figures.year).toBe(2008)
    expect(idsOf(applyHappenings(changed, [happening('exploded', 1), happening('deleted', 3)]))).toEqual([2])
  })

  it('are not more and more: the oldest new ones go, and those of the catalogue stay', () => {
    const many = Array.from({ length: NEW_MAX + 5 }, (_, index) => happening('created', index + 10))
    const planets = applyHappenings(catalogue, many)
    expect(planets).toHaveLength(NEW_MAX + 2)
    expect(idsOf(planets).slice(0, 3)).toEqual([1, 2, 15])
    expect(idsOf(listNewest(planets))).toEqual([1014, 1013, 1012, 1011, 1010])
  })

  it('keep their places in the picture, whatever figures a new one has', () => {
    const far = { physicalProperties: { radius: 1e30, orbitalPeriod: 1 } }
    const near = { physicalProperties: { radius: 3, orbitalPeriod: 3 } }
    const planets = applyHappenings(catalogue, [happening('created', 3, far), happening('created', 4, near)])
    const before = placePlanets(catalogue, 'period', 'radius')
    const after = placePlanets(planets, 'period', 'radius')
    expect(after.home).toEqual(before.home)
    expect([[...after.points.order], after.beyond]).toEqual([[0, 1, 3], [2]])
  })

  it('have short names in the picture', () => {
    const planets = applyHappenings(catalogue, [happening('created', 3, { name: 'A name that nobody would print' })])
    expect(listNamed(planets)).toEqual([{ index: 2, text: 'A name that nobody woul…' }])
  })
})

/** What the browser would be: a stream that a test fills, and a tab that can be hidden. */
class FakeSource extends EventTarget {
  static readonly CLOSED = 2
  static all: FakeSource[] = []
  readyState = 1
  onopen = () => {}
  onerror = () => {}
  readonly url: string
  constructor(url: string) {
    super()
    this.url = url
    FakeSource.all.push(this)
  }
  static get latest(): FakeSource {
    return FakeSource.all.at(-1) ?? new FakeSource('none')
  }
  close(): void {
    this.readyState = FakeSource.CLOSED
  }
  refuse(): void {
    this.close()
    this.onerror()
  }
  send(event: string, id: number): void {
    const data = JSON.stringify({ id: `event-${id}`, event, planet: planet(id) })
    this.dispatchEvent(Object.assign(new Event(event), { lastEventId: `event-${id}`, data }))
  }
}

describe('a page that listens', () => {
  const newTab = () => Object.assign(new EventTarget(), { hidden: false })
  let tab = newTab()

  beforeEach(() => {
    tab = newTab()
    vi.useFakeTimers()
    FakeSource.all = []
    vi.stubGlobal('EventSource', FakeSource)
    vi.stubGlobal('document', tab)
    vi.stubGlobal('sessionStorage', { getItem: () => null, setItem: () => {} })
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  function hide(hidden: boolean): void {
    tab.hidden = hidden
    tab.dispatchEvent(new Event('visibilitychange'))
  }

  function open() {
    const live = new LivePlanets()
    const drawings: number[] = []
    live.onDraw = (happenings) => drawings.push(happenings.length)
    live.start()
    FakeSource.latest.onopen()
    return { live, drawings }
  }

  it('draws twice a second at most, and loses nothing', async () => {
    const { live, drawings } = open()
    for (let id = 1; id <= 2000; id++) {
      FakeSource.latest.send('created', id)
      await vi.advanceTimersByTimeAsync(1)
    }
    await vi.advanceTimersByTimeAsync(1000)
    expect(drawings.length).toBeLessThanOrEqual(5)
    expect(drawings.reduce((sum, count) => sum + count)).toBe(2000)
    expect(live.view.get()).toMatchObject({ count: 2000, state: 'open' })
    expect(live.planets).toHaveLength(NEW_MAX)
  })

  it('lets a screen reader say what is new once in ten seconds', async () => {
    const { live } = open()
    const said: string[] = []
    live.announcement.subscribe(() => said.push(live.announcement.get()))
    for (let id = 1; id <= 30; id++) {
      FakeSource.latest.send('created', id)
      await vi.advanceTimersByTimeAsync(500)
    }
    await vi.advanceTimersByTimeAsync(20_000)
    expect(said).toHaveLength(3)
    expect(said.at(-1)).toBe('New planets: 30. The newest is Planet 30.')
  })

  it('listens only while its tab can be seen, and goes on where it was', () => {
    open()
    FakeSource.latest.send('created', 7)
    const first = FakeSource.latest
    hide(true)
    expect(first.readyState).toBe(FakeSource.CLOSED)
    expect(FakeSource.all).toHaveLength(1)
    hide(false)
    expect(FakeSource.all).toHaveLength(2)
    expect(FakeSource.latest.url).toBe('http://galaxy.test/planets/events?lastEventId=event-7')
  })

  it('tries again after refusals, less and less often', async () => {
    const { live } = open()
    const waits: number[] = []
    for (let count = 0; count < 7; count++) {
      const before = FakeSource.all.length
      const start = Date.now()
      FakeSource.latest.refuse()
      expect(live.view.get().state).toBe('lost')
      while (FakeSource.all.length === before) await vi.advanceTimersByTimeAsync(1000)
      waits.push((Date.now() - start) / 1000)
    }
    expect(waits).toEqual([2, 4, 8, 16, 32, 60, 60])
    live.switch(false)
    expect(FakeSource.latest.readyState).toBe(FakeSource.CLOSED)
    await vi.advanceTimersByTimeAsync(120_000)
    expect(FakeSource.all).toHaveLength(8)
  })
})
