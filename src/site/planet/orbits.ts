import type { Satellite } from '../../schemas/satellite.ts'

// The orbits of satellites as a drawing to scale. The planet is at the top, and all distances are measured downwards
// from its centre. All lengths are in units of the drawing unless they are in kilometres.

/** The width of the drawing, and the horizontal positions of the planet and of the bends in the lines to the names. */
export const DRAWING = { width: 250, planetX: 110, bendX: 205 } as const

/** The distance of circles from the edges of the drawing. */
export const EDGE = 4
/** How far circles are drawn to the left and to the right. */
export const HALF_WIDTH = DRAWING.planetX - EDGE
/** The room above the planet. */
const MARGIN = 10
/** The distance at which the farthest orbit is drawn. */
const REACH = 320
/** The room below the farthest orbit, for the scale bar. */
const BELOW = 44
/** How much of a large planet is shown above its centre. */
const PLANET_TOP_MAX = 40
const PLANET_RADIUS_MIN = 2
/** The radius of a planet whose size is not known. */
const PLANET_RADIUS_DEFAULT = 5
/** How many satellites have their names beside the drawing: the nearest ones. */
export const NAMED_MAX = 16
/**
 * The number of rows beside the drawing, in which the names stand. All rows have the same height. A row can be empty.
 */
export const ROWS = 18
/** One metre. Smaller distances cannot be orbits. */
const DISTANCE_MIN_KM = 0.001
const EARTH_RADIUS_KM = 6371

export interface OrbitDrawing {
  height: number
  planet: { y: number; radius: number; scale: 'true' | 'larger' | 'unknown' }
  /** The orbits in order of distance. `row` is the row of the name, from 0; undefined if the name is not shown. */
  orbits: { name: string; radius: number; row: number | undefined }[]
  bar: { length: number; km: number }
  insideCount: number
}

/** The satellites of a planet, grouped by whether their orbits can be drawn. */
export interface GroupedSatellites {
  /** The satellites whose orbits can be drawn, in order of distance. */
  drawn: { name: string; km: number }[]
  /** The names of the satellites without a distance. */
  unknown: string[]
  /** The names of the satellites whose distance is too small for an orbit. */
  impossible: string[]
}

/** Groups satellites by whether their orbits can be drawn. */
export function groupSatellites(satellites: readonly Satellite[]): GroupedSatellites {
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
export function drawOrbits(drawn: GroupedSatellites['drawn'], earthRadii: number | undefined): OrbitDrawing {
  // The product is Infinity if a user has set a huge radius.
  const radiusKm = (earthRadii ?? 0) * EARTH_RADIUS_KM
  const farthestKm = drawn.at(-1)?.km ?? DISTANCE_MIN_KM
  // The planet itself can be wider than the farthest orbit.
  const reachKm = Math.max(farthestKm, Number.isFinite(radiusKm) ? radiusKm : 0)
  const unitsPerKm = REACH / reachKm
  const planet = drawPlanet(earthRadii === undefined ? undefined : radiusKm * unitsPerKm)
  const y = MARGIN + Math.min(planet.radius, PLANET_TOP_MAX)
  const height = y + REACH + BELOW
  const namedRadii = drawn.slice(0, NAMED_MAX).map(({ km }) => km * unitsPerKm)
  const nearestRows = namedRadii.map((radius) => Math.floor(((y + radius) / height) * ROWS))
  const rows = moveApart(nearestRows)
  return {
    height,
    planet: { y, ...planet },
    orbits: drawn.map(({ name, km }, index) => ({ name, radius: km * unitsPerKm, row: rows[index] })),
    bar: drawBar(unitsPerKm),
    insideCount: drawn.filter(({ km }) => km < radiusKm).length,
  }
}

export function rowY(row: number, height: number): number {
  return ((row + 0.5) / ROWS) * height
}

function drawPlanet(radius: number | undefined): Omit<OrbitDrawing['planet'], 'y'> {
  if (radius === undefined || !Number.isFinite(radius)) return { radius: PLANET_RADIUS_DEFAULT, scale: 'unknown' }
  if (radius < PLANET_RADIUS_MIN) return { radius: PLANET_RADIUS_MIN, scale: 'larger' }
  return { radius, scale: 'true' }
}

/**
 * Moves the rows of names apart, so that each row has at most one name.
 *
 * @param rows The wanted row of each name, from the top to the bottom
 */
function moveApart(rows: readonly number[]): number[] {
  const movedDown: number[] = []
  for (const row of rows) {
    const lastRow = movedDown.at(-1)
    const firstFreeRow = lastRow === undefined ? 0 : lastRow + 1
    movedDown.push(Math.max(row, firstFreeRow))
  }
  // Each row must leave enough rows below it for the names that follow.
  return movedDown.map((row, index) => Math.min(row, ROWS - (rows.length - index)))
}

/** The part of a circle that is inside the drawing: from the left end through the lowest point to the right end. */
interface Arc {
  /** Half of the distance between its ends. */
  halfWidth: number
  /** The vertical position of its ends. */
  y: number
  /** Whether it is more than half of the circle. */
  isLarge: boolean
}

/**
 * Finds the part of a circle around the planet that is inside the drawing.
 *
 * @param y The vertical position of the planet
 * @returns Undefined if the whole circle is inside the drawing
 */
export function findVisibleArc(radius: number, y: number): Arc | undefined {
  const isCutAtSides = radius > HALF_WIDTH
  const isCutAtTop = radius > y - EDGE
  if (!isCutAtSides && !isCutAtTop) return undefined
  /** The angle between the downward direction and the ends of the arc. */
  const angle = Math.min(
    isCutAtSides ? Math.asin(HALF_WIDTH / radius) : Math.PI,
    isCutAtTop ? Math.acos((EDGE - y) / radius) : Math.PI,
  )
  return { halfWidth: radius * Math.sin(angle), y: y + radius * Math.cos(angle), isLarge: angle > Math.PI / 2 }
}

/** The maximum length of the scale bar, as a part of REACH. */
const BAR_PART = 0.3

/** A bar with a round length in kilometres: 1, 2 or 5, followed by zeros. */
function drawBar(unitsPerKm: number): OrbitDrawing['bar'] {
  const maxKm = (REACH * BAR_PART) / unitsPerKm
  const magnitude = 10 ** Math.floor(Math.log10(maxKm))
  const firstDigit = [5, 2, 1].find((digit) => digit * magnitude <= maxKm) ?? 1
  // Removes the error of the multiplication, such as 0.30000000000000004.
  const km = Number((firstDigit * magnitude).toPrecision(1))
  return { length: km * unitsPerKm, km }
}

/** Cuts a text that has more than `maximum` characters. An ellipsis is then the last of them. */
export function shorten(text: string, maximum: number): string {
  const characters = [...text]
  return characters.length > maximum ? `${characters.slice(0, maximum - 1).join('')}…` : text
}
