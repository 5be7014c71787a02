import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NO_FILTERS, select } from '../../../browser/explorer/filters.ts'
import { placeLabels } from '../../../browser/explorer/labels.ts'
import { type Direction, findNearest, findNeighbour } from '../../../browser/explorer/nearest.ts'
import { countPlaced, makePoints, viewOfAll } from '../../../browser/explorer/points.ts'
import { Sorter } from '../../../browser/explorer/sorting.ts'
import { listLinearTicks, listLogarithmicTicks, writeTick } from '../../../browser/explorer/ticks.ts'
import { FIRST_STATE, readState, type State, writeState } from '../../../browser/explorer/url-state.ts'
import { isReachable, Projection, panView, zoomView } from '../../../browser/explorer/view.ts'
import { readShippedPlanets } from '../../../scripts/lib/shipped-planets.ts'
import { FIGURE_NAMES } from '../../../src/site/explorer/axis-figures.ts'
import { COLUMNS } from '../../../src/site/explorer/columns.ts'
import { type CataloguePlanet, KIND_NAMES, listPlanets } from '../../../src/site/explorer/planets.ts'

// The parts of the explorer that need no browser, with the planets of the catalogue.

const SIZE = { width: 800, height: 500 }
const planets = listPlanets(makeColumns())
const points = makePoints(planets, 'period', 'radius')
const everything = select(planets, NO_FILTERS)
const home = viewOfAll(points)
const projection = new Projection(home, SIZE)

describe('the catalogue as planets', () => {
  it('tells host stars from methods and statuses', () => {
    expect(planets[3]).toMatchObject({ name: 'Mars', host: 'Sun', method: '', isOfSolarSystem: true })
    expect(find('11 Com b')).toMatchObject({ host: '11 Com', method: 'RV', isOfSolarSystem: false })
    expect(find('2M 1938+4603 b')).toMatchObject({ host: '', method: 'timing' })
    expect(find('16 Cygni B b').host).toBe('16 Cygni B')
  })
})

describe('filters', () => {
  it.each([
    [{ kinds: ['dwarf'] as const }, (planet: CataloguePlanet) => planet.kind === 'dwarf'],
    [{ method: 'imaging' }, (planet: CataloguePlanet) => planet.method === 'imaging'],
    [{ host: 'trappist' }, (planet: CataloguePlanet) => /trappist/i.test(planet.host)],
    [{ name: ' KEPLER-186' }, (planet: CataloguePlanet) => /kepler-186/i.test(planet.name)],
    [{ from: 1995, to: 1996 }, ({ figures: { year } }: CataloguePlanet) => year === 1995 || year === 1996],
    [{ habitabilityMin: 0.9 }, ({ figures }: CataloguePlanet) => (figures.habitability ?? 0) >= 0.9],
  ])('%j leaves what it says', (filters, isWanted) => {
    const { isShown, count } = select(planets, { ...NO_FILTERS, ...filters })
    expect(count).toBeGreaterThan(0)
    expect(planets.filter((_, index) => isShown[index] === 1)).toEqual(planets.filter(isWanted))
  })

  it('show all planets at first, and if every type is chosen', () => {
    expect(everything.count).toBe(planets.length)
    expect(select(planets, { ...NO_FILTERS, kinds: KIND_NAMES }).count).toBe(planets.length)
  })

  it('find names as the API does: only ASCII letters match without case', () => {
    const named = (name: string) => ({ ...find('Mars'), name })
    const { isShown } = select([named('ÉTÉ'), named('été'), named('T')], { ...NO_FILTERS, name: 't' })
    expect([...isShown]).toEqual([1, 1, 1])
    expect(select([named('ÉTÉ')], { ...NO_FILTERS, name: 'É' }).count).toBe(1)
    expect(select([named('ÉTÉ')], { ...NO_FILTERS, name: 'é' }).count).toBe(0)
  })
})

describe('the state in the URL', () => {
  const corner = fc.double({ min: -20, max: 20, noNaN: true }).map((value) => Number(value.toPrecision(6)))
  const states: fc.Arbitrary<State> = fc.record({
    x: fc.constantFrom(...FIGURE_NAMES),
    y: fc.constantFrom(...FIGURE_NAMES),
    filters: fc.record({
      kinds: fc.subarray([...KIND_NAMES]),
      name: fc.string({ maxLength: 30, unit: 'grapheme' }),
      host: fc.string({ maxLength: 30 }),
      method: fc.constantFrom('', 'transit', 'disk kinematics'),
      from: fc.option(fc.integer({ min: 1000, max: 9999 }), { nil: undefined }),
      to: fc.option(fc.integer({ min: 1000, max: 9999 }), { nil: undefined }),
      habitabilityMin: fc.constantFrom(0, 0.05, 0.5, 1),
    }),
    view: fc.option(
      fc
        .tuple(corner, corner, corner, corner)
        .filter(([x0, x1, y0, y1]) => x0 < x1 && y0 < y1)
        .map(([x0, x1, y0, y1]) => ({ x0, x1, y0, y1 })),
      { nil: undefined },
    ),
    planet: fc.option(fc.integer({ min: 0, max: 99_999 }), { nil: undefined }),
    sort: fc.option(
      fc.record({ column: fc.constantFrom(...COLUMNS.map(({ name }) => name)), isDescending: fc.boolean() }),
      { nil: undefined },
    ),
    offset: fc.integer({ min: 0, max: 9999 }),
  })

  it('is read as it was written', () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(readState(new URLSearchParams(writeState(state)))).toEqual(state)
      }),
    )
  })

  it('is empty at first', () => {
    expect(writeState(FIRST_STATE)).toBe('')
  })

  it.each([
    'x=nothing&y=__proto__',
    'from=abc&to=-1&habitable=2',
    'view=1,2,3',
    'view=2,1,0,1',
    'view=,,,',
    'view=NaN,1,0,Infinity',
    'planet=1e9&offset=-5',
    'sort=-nothing',
    'method=constructor',
    'type=none',
  ])('ignores what it cannot read: %s', (query) => {
    expect(readState(new URLSearchParams(query))).toEqual(FIRST_STATE)
  })
})

describe('the table', () => {
  it.each(COLUMNS.map(({ name }) => name))('is sorted by %s, and what is not known is last', (column) => {
    for (const isDescending of [false, true]) {
      const sorted = new Sorter().sort(planets, { column, isDescending }).map((index) => planets[index])
      expect(new Set(sorted).size).toBe(planets.length)
      if (column !== 'period' && column !== 'year') continue
      const values = sorted.map((planet) => planet?.figures[column] ?? null)
      const known = values.filter((value) => value !== null)
      expect(values.slice(0, known.length)).toEqual(known.toSorted((a, b) => (isDescending ? b - a : a - b)))
    }
  })

  it('sorts names as the API does: by code points, ASCII letters in lower case', () => {
    const named = ['b', 'É', 'a10', 'A9', 'B'].map((name) => ({ ...find('Mars'), name }))
    const names = new Sorter().sort(named, { column: 'name', isDescending: false }).map((at) => named[at]?.name)
    expect(names).toEqual(['a10', 'A9', 'b', 'B', 'É'])
  })
})

describe('the picture', () => {
  it('has room for every planet with both figures', () => {
    const placed = countPlaced(points, everything.isShown)
    expect(placed).toBe(planets.filter(({ figures }) => figures.period && figures.radius).length)
    for (const index of points.order) {
      const x = projection.placeX(points.x[index] ?? Number.NaN)
      const y = projection.placeY(points.y[index] ?? Number.NaN)
      expect(x > 0 && x < SIZE.width && y > 0 && y < SIZE.height).toBe(true)
    }
  })

  it('finds the planet under the pointer, unless a filter hides it', () => {
    const place = placeOf(3)
    expect(findNearest(points, everything.isShown, projection, place, 10)).toBe(3)
    const { isShown } = select(planets, { ...NO_FILTERS, name: 'Jupiter' })
    expect(findNearest(points, isShown, projection, place, 10)).toBeUndefined()
  })

  it('leads with arrow keys from any planet to most others', () => {
    const reached = new Set([3])
    const waiting = [3]
    for (let from = waiting.pop(); from !== undefined && reached.size < 800; from = waiting.pop()) {
      for (const next of neighboursOf(from)) {
        if (!reached.has(next)) waiting.push(next)
        reached.add(next)
      }
    }
    expect(reached.size).toBeGreaterThanOrEqual(800)
  })

  it('moves in the direction of the key', () => {
    const right = findNeighbour(points, everything.isShown, projection, SIZE, 3, 'right')
    expect(placeOf(right ?? -1).x).toBeGreaterThan(placeOf(3).x)
    const up = findNeighbour(points, everything.isShown, projection, SIZE, 3, 'up')
    expect(placeOf(up ?? -1).y).toBeLessThan(placeOf(3).y)
  })

  it('keeps the place under the pointer while it zooms, and stays within limits', () => {
    const pointer = { x: 200, y: 100 }
    let view = home
    for (let step = 0; step < 100; step++) view = zoomView(view, home, SIZE, 1.5, pointer)
    expect(isReachable(view, home)).toBe(true)
    const [before, after] = [projection.readValues(pointer), new Projection(view, SIZE).readValues(pointer)]
    expect(after.x).toBeCloseTo(before.x)
    for (let step = 0; step < 100; step++) view = zoomView(view, home, SIZE, 0.5, pointer)
    expect(isReachable(view, home)).toBe(true)
    expect(isReachable(panView(view, home, SIZE, { x: 1e6, y: -1e6 }), home)).toBe(true)
  })

  it.each([
    [{ x0: -1e300, x1: 1e300, y0: 0, y1: 1 }],
    [{ x0: 1, x1: 1 + 1e-12, y0: 0, y1: 1 }],
    [{ x0: 500, x1: 501, y0: 0, y1: 1 }],
  ])('does not show a view that no gesture leads to: %j', (view) => {
    expect(isReachable(view, home)).toBe(false)
  })
})

describe('ticks', () => {
  it('are round numbers inside of the axis, and few', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -6, max: 8, noNaN: true }),
        fc.double({ min: 1e-3, max: 14, noNaN: true }),
        (from, span) => {
          const ticks = listLogarithmicTicks(from, from + span, 8)
          expect(ticks.length).toBeLessThanOrEqual(13)
          for (const tick of ticks) {
            expect(Math.log10(tick)).toBeGreaterThanOrEqual(from - 1e-9)
            expect(Math.log10(tick)).toBeLessThanOrEqual(from + span + 1e-9)
          }
        },
      ),
    )
    expect(listLinearTicks(1995, 2026, 7)).toEqual([1995, 2000, 2005, 2010, 2015, 2020, 2025])
  })

  it('are written as people read them', () => {
    expect([0.001, 1, 20, 10_000, 1e6, 1e7].map((tick) => writeTick(tick, false))).toEqual([
      '0.001',
      '1',
      '20',
      '10,000',
      '10⁶',
      '10⁷',
    ])
    expect(writeTick(2005, true)).toBe('2005')
    expect(writeTick(2005.5, true)).toBe('')
  })
})

describe('names in the picture', () => {
  it('do not overlap', () => {
    const place = fc.record({ x: fc.integer({ min: 0, max: 200 }), y: fc.integer({ min: 0, max: 100 }) })
    fc.assert(
      fc.property(fc.array(place, { maxLength: 9 }), (places) => {
        const placed = placeLabels(places.map((each) => ({ ...each, text: 'Neptune', width: 50 })))
        placed.forEach((a, index) => {
          for (const b of placed.slice(index + 1)) {
            expect(Math.abs(a.x - b.x) >= 50 || Math.abs(a.y - b.y) >= 14).toBe(true)
          }
        })
      }),
    )
  })
})

function neighboursOf(from: number): number[] {
  const directions: Direction[] = ['left', 'right', 'up', 'down']
  return directions.flatMap(
    (direction) => findNeighbour(points, everything.isShown, projection, SIZE, from, direction) ?? [],
  )
}

function placeOf(index: number) {
  return {
    x: projection.placeX(points.x[index] ?? Number.NaN),
    y: projection.placeY(points.y[index] ?? Number.NaN),
  }
}

function find(name: string): CataloguePlanet {
  const planet = planets.find((each) => each.name === name)
  if (!planet) throw new Error(`${name} is not in the catalogue`)
  return planet
}

/** The catalogue as the service sends it. */
function makeColumns(): Parameters<typeof listPlanets>[0] {
  const shipped = readShippedPlanets()
  const column = <Value>(read: (planet: (typeof shipped)[number]) => Value) => shipped.map(read)
  return {
    id: shipped.map((_, index) => index + 1),
    name: column(({ name }) => name),
    type: column(({ type }) => type ?? null),
    mass: column(({ physicalProperties }) => physicalProperties?.mass ?? null),
    radius: column(({ physicalProperties }) => physicalProperties?.radius ?? null),
    gravity: column(({ physicalProperties }) => physicalProperties?.gravity ?? null),
    temperature: column(({ physicalProperties }) => physicalProperties?.temperature?.average ?? null),
    orbitalPeriod: column(({ physicalProperties }) => Number(physicalProperties?.orbitalPeriod ?? Number.NaN) || null),
    semiMajorAxis: column(({ physicalProperties }) => Number(physicalProperties?.semiMajorAxis ?? Number.NaN) || null),
    eccentricity: column(({ physicalProperties }) => Number(physicalProperties?.eccentricity ?? Number.NaN)),
    habitabilityIndex: column(({ habitabilityIndex }) => habitabilityIndex ?? null),
    discoveredYear: column(({ discoveredAt }) => (discoveredAt ? Number(discoveredAt.slice(0, 4)) : null)),
    tags: column(({ tags }) => [...(tags ?? [])]),
  }
}
