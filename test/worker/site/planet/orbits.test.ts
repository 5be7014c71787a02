import { describe, expect, it } from 'vitest'
import { formatNumber, round } from '../../../../src/site/planet/figure-rows.ts'
import { indentXml } from '../../../../src/site/planet/indent-xml.ts'
import {
  DRAWING,
  drawOrbits,
  EDGE,
  findVisibleArc,
  groupSatellites,
  HALF_WIDTH,
  NAMED_MAX,
  type OrbitDrawing,
  ROWS,
} from '../../../../src/site/planet/orbits.ts'

function satellitesAt(...distances: (number | undefined)[]) {
  return distances.map((distance, index) => ({
    id: index,
    name: `Moon ${index}`,
    ...(distance !== undefined && { orbit: { planet: {}, distance } }),
  }))
}

function draw(distances: number[], earthRadii?: number): OrbitDrawing {
  return drawOrbits(groupSatellites(satellitesAt(...distances)).drawn, earthRadii)
}

/** Every number of a drawing. */
function numbersOf(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersOf) : []
}

describe('orbits', () => {
  it('are to scale with each other, the planet and the bar', () => {
    const { orbits, planet, bar } = draw([421_800, 671_100, 1_070_400, 1_882_700], 10.973)
    const scale = bar.length / bar.km
    expect(orbits.map(({ radius }) => Math.round(radius / scale))).toEqual([421_800, 671_100, 1_070_400, 1_882_700])
    expect(planet.radius / scale).toBeCloseTo(10.973 * 6371)
    expect(planet.scale).toBe('true')
    expect(bar.km).toBe(500_000)
  })

  it('are drawn in order of distance, whatever the order of the satellites', () => {
    expect(groupSatellites(satellitesAt(3, 1, 2)).drawn.map(({ name }) => name)).toEqual(['Moon 1', 'Moon 2', 'Moon 0'])
  })

  it('need a distance', () => {
    const groups = groupSatellites(satellitesAt(10, undefined, 0, -5))
    expect(groups.drawn).toHaveLength(1)
    expect(groups.unknown).toEqual(['Moon 1'])
    expect(groups.impossible).toEqual(['Moon 2', 'Moon 3'])
  })

  it.each([
    ['one', [384_400], 1],
    ['many at the same distance', Array(100).fill(1000), 1],
    ['many that are near each other', Array.from({ length: 100 }, (_, index) => 1000 + index), undefined],
    ['very different ones', [0.001, 1, 1e10, 1e300], 1],
    ['the largest number', [Number.MAX_VALUE], 1],
    ['inside a large planet', [1, 2, 3], 1e9],
    ['a planet of the largest size', [1, 2], Number.MAX_VALUE],
    ['a tiny planet', [1e9], 5e-324],
  ] as const)('fit into the drawing with names that do not overlap: %s', (_, distances, earthRadii) => {
    const drawing = draw([...distances], earthRadii)
    expect(numbersOf(drawing).every(Number.isFinite)).toBe(true)
    expect(numbersOf(drawing).every((number) => number >= 0)).toBe(true)
    for (const { radius } of drawing.orbits) expect(drawing.planet.y + radius).toBeLessThan(drawing.height - 30)
    const rows = drawing.orbits.flatMap(({ row }) => row ?? [])
    expect(rows).toHaveLength(Math.min(distances.length, NAMED_MAX))
    expect(rows).toEqual([...new Set(rows)].toSorted((one, other) => one - other))
    expect(Math.max(...rows)).toBeLessThan(ROWS)
    expect(drawing.bar.length).toBeLessThan(DRAWING.width / 2)
    expect(drawing.bar.length).toBeGreaterThan(20)
  })

  it('and circles end at the edges of the drawing', () => {
    for (const y of [15, 30, 50]) {
      for (const radius of [1, 11, 12, 40, 47, 105, 107, 150, 320]) {
        const { halfWidth = radius, y: end = y - radius } = findVisibleArc(radius, y) ?? {}
        expect(halfWidth).toBeLessThanOrEqual(HALF_WIDTH + 1e-9)
        expect(end).toBeGreaterThanOrEqual(EDGE - 1e-9)
        expect(
          Math.hypot(findVisibleArc(radius, y)?.halfWidth ?? radius, (findVisibleArc(radius, y)?.y ?? y) - y),
        ).toBeCloseTo(radius)
      }
    }
  })

  it('tell which of them are inside the planet', () => {
    expect(draw([1000, 10_000], 1).insideCount).toBe(1)
  })
})

describe('XML', () => {
  it('is shown in lines', () => {
    const document =
      '<?xml version="1.0" encoding="UTF-8"?>\n<planet xmlns:xsi="http://x/y"><id>1</id><a><a xsi:nil="true"/><b> x &gt;\n y</b><b></b></a><tags/></planet>'
    expect(indentXml(document)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<planet xmlns:xsi="http://x/y">
  <id>1</id>
  <a>
    <a xsi:nil="true"/>
    <b> x &gt;
 y</b>
    <b></b>
  </a>
  <tags/>
</planet>`)
  })
})

describe('numbers', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [1_234_567.891, '1,234,567.891'],
    [-1234.5, '−1,234.5'],
    [0.00001234, '0.00001234'],
    [1e21, '1e+21'],
    [1.5e-7, '1.5e−7'],
  ])('%d is written as %s', (value, text) => {
    expect(formatNumber(value)).toBe(text)
  })

  it.each([
    [0, '0'],
    [0.942422, '0.942'],
    [0.9999, '1'],
    [1 / 3, '0.333'],
    [3_560_840, '3,560,000'],
    [1e12, '1e+12'],
    [-1.23456789e-300, '−1.23e−300'],
  ])('%d is rounded to %s', (value, text) => {
    expect(round(value)).toBe(text)
  })
})
