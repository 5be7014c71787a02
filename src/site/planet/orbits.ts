import type { Satellite } from '../../schemas/satellite.ts'

// The orbits of satellites as a drawing to scale. The planet is at the top, and all distances are measured downwards
// from its centre. All lengths are in units of the drawing unless they are in kilometres.

export const DRAWING = { width: 250, planetX: 110, bendX: 205 } as const

/** The distance of circles from the edges of the drawing. */
export const EDGE = 4
/** How far circles are drawn to the left and to the right. */
export const HALF_WIDTH = DRAWING.planetX - EDGE
const MARGIN = 10
/** The longest distance that is drawn. */
const REACH = 320
const BELOW = 44
/** How much of a large planet is shown above its centre. */
const PLANET_TOP_MAX = 40
const PLANET_RADIUS_MIN = 2
/** The radius of a planet whose size is not known. */
const PLANET_RADIUS_DEFAULT = 5
export const NAMED_MAX = 16
/** The names stand beside the drawing, in rows of the same height. Most rows are empty if there are few names. */
export const ROWS = 18
/** One metre. Smaller distances cannot be orbits. */
const DISTANCE_MIN_KM = 0.001
const EARTH_RADIUS_KM = 6371

/** A drawing of orbits. */
export interface OrbitDrawing {
  height: number
  planet: { y: number; radius: number; scale: 'true' | 'larger' | 'unknown' }
  /** In order of distance. The row is that of its name, from 0; undefined if the name has no row. */
  orbits: { name: string; radius: number; row: number | undefined }[]
  bar: { length: number; km: number }
  /** How many orbits are inside the planet. */
  inside: number
}

/** The satellites of a planet: those whose orbits can be drawn, in order of distance, and the others. */
export interface SortedSatellites {
  drawn: { name: string; km: number }[]
  /** The names of those without a distance. */
  unknown: string[]
  /** The names of those whose distance cannot be that of an orbit. */
  impossible: string[]
}

export function sortSatellites(satellites: readonly Satellite[]): SortedSatellites {
  const distances = satellites.map(({ name, orbit }) => ({ name, km: orbit?.distance }))
  const isDrawn = (one: { name: string; km: number | undefined }): one is { name: string; km: number } =>
    one.km !== undefined && one.km >= DISTANCE_MIN_KM
  return {
    drawn: distances.filter(isDrawn).toSorted((one, other) => one.km - other.km),
    unknown: distances.filter(({ km }) => km === undefined).map(({ name }) => name),
    impossible: distances.filter((one) => one.km !== undefined && !isDrawn(one)).map(({ name }) => name),
  }
}

/**
 * Draws orbits to scale.
 *
 * @param drawn At least one, in order of distance
 * @param earthRadii The radius of the planet; undefined if it is not known
 */
export function drawOrbits(drawn: SortedSatellites['drawn'], earthRadii: number | undefined): OrbitDrawing {
  const radiusKm = (earthRadii ?? 0) * EARTH_RADIUS_KM
  const farthestKm = drawn.at(-1)?.km ?? DISTANCE_MIN_KM
  const scale = REACH / Math.max(farthestKm, Number.isFinite(radiusKm) ? radiusKm : 0)
  const planet = drawPlanet(earthRadii === undefined ? undefined : radiusKm * scale)
  const y = MARGIN + Math.min(planet.radius, PLANET_TOP_MAX)
  const height = y + REACH + BELOW
  const radii = drawn.map(({ km }) => km * scale)
  const rows = spread(radii.slice(0, NAMED_MAX).map((radius) => Math.floor(((y + radius) / height) * ROWS)))
  return {
    height,
    planet: { y, ...planet },
    orbits: drawn.map(({ name, km }, index) => ({ name, radius: km * scale, row: rows[index] })),
    bar: drawBar(scale),
    inside: drawn.filter(({ km }) => km < radiusKm).length,
  }
}

/** The middle of a row. */
export function rowY(row: number, height: number): number {
  return ((row + 0.5) / ROWS) * height
}

function drawPlanet(radius: number | undefined): Omit<OrbitDrawing['planet'], 'y'> {
  if (radius === undefined || !Number.isFinite(radius)) return { radius: PLANET_RADIUS_DEFAULT, scale: 'unknown' }
  if (radius < PLANET_RADIUS_MIN) return { radius: PLANET_RADIUS_MIN, scale: 'larger' }
  return { radius, scale: 'true' }
}

/** Moves rows apart, so that each has one name. */
function spread(rows: readonly number[]): number[] {
  const downwards: number[] = []
  for (const row of rows) downwards.push(Math.max(row, (downwards.at(-1) ?? -1) + 1))
  return downwards.map((row, index) => Math.min(row, ROWS - (rows.length - index)))
}

/** The part of a circle that is inside the drawing: from the left end through the lowest point to the right end. */
interface Arc {
  /** Half of the distance between its ends. */
  width: number
  /** The position of its ends. */
  y: number
  /** Whether it is more than half of the circle. */
  isLarge: boolean
}

/**
 * Finds the part of a circle around the planet that is inside the drawing.
 *
 * @param y The position of the planet
 * @returns Undefined if the whole circle is inside
 */
export function findVisibleArc(radius: number, y: number): Arc | undefined {
  const isCutAtSides = radius > HALF_WIDTH
  const isCutAtTop = radius > y - EDGE
  if (!isCutAtSides && !isCutAtTop) return undefined
  const angle = Math.min(
    isCutAtSides ? Math.asin(HALF_WIDTH / radius) : Math.PI,
    isCutAtTop ? Math.acos((EDGE - y) / radius) : Math.PI,
  )
  return { width: radius * Math.sin(angle), y: y + radius * Math.cos(angle), isLarge: angle > Math.PI / 2 }
}

/** The part of the reach that the scale bar has at most. */
const BAR_PART = 0.3

/** A bar with a round length in kilometres: 1, 2 or 5, followed by zeros. */
function drawBar(scale: number): OrbitDrawing['bar'] {
  const maxKm = (REACH * BAR_PART) / scale
  const magnitude = 10 ** Math.floor(Math.log10(maxKm))
  const factor = [5, 2, 1].find((one) => one * magnitude <= maxKm) ?? 1
  const km = Number((factor * magnitude).toPrecision(1))
  return { length: km * scale, km }
}

/** Cuts a text that is longer than a number of characters. */
export function shorten(text: string, maximum: number): string {
  const characters = [...text]
  return characters.length > maximum ? `${characters.slice(0, maximum - 1).join('')}…` : text
}
