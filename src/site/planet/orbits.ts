import type { Satellite } from '../../schemas/satellite.ts'

// The orbits of satellites as a drawing to scale. The planet is at the top, and all distances are measured downwards
// from its centre. All lengths are in units of the drawing unless they are in kilometres.

export const DRAWING = { width: 400, planetX: 120, arcsWidth: 232, labelX: 258 } as const

const MARGIN = 10
/** The longest distance that is drawn. */
const REACH = 320
const BELOW = 44
/** How much of a large planet is shown above its centre. */
const PLANET_TOP_MAX = 40
const PLANET_RADIUS_MIN = 2
/** The radius of a planet whose size is not known. */
const PLANET_RADIUS_DEFAULT = 5
const LABEL_HEIGHT = 19
export const NAMED_MAX = 16
const NAME_LENGTH_MAX = 20
/** One metre. Smaller distances cannot be orbits. */
const DISTANCE_MIN_KM = 0.001
const EARTH_RADIUS_KM = 6371

interface Orbit {
  radius: number
  /** Undefined if the drawing has no room for its name. */
  label: { name: string; y: number } | undefined
}

/** A drawing of orbits. */
export interface OrbitDrawing {
  height: number
  planet: { y: number; radius: number; scale: 'true' | 'larger' | 'unknown' }
  orbits: Orbit[]
  bar: { length: number; km: number }
  /** How many orbits are inside the planet. */
  inside: number
  /** How many orbits have no name in the drawing. */
  unnamed: number
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
  const radii = drawn.map(({ km }) => km * scale)
  const labels = spread(
    radii.slice(0, NAMED_MAX).map((radius) => y + radius),
    y + REACH,
  )
  return {
    height: y + REACH + BELOW,
    planet: { y, ...planet },
    orbits: radii.map((radius, index) => ({ radius, label: labelOf(drawn[index]?.name, labels[index]) })),
    bar: drawBar(scale),
    inside: drawn.filter(({ km }) => km < radiusKm).length,
    unnamed: drawn.length - labels.length,
  }
}

function drawPlanet(radius: number | undefined): Omit<OrbitDrawing['planet'], 'y'> {
  if (radius === undefined || !Number.isFinite(radius)) return { radius: PLANET_RADIUS_DEFAULT, scale: 'unknown' }
  if (radius < PLANET_RADIUS_MIN) return { radius: PLANET_RADIUS_MIN, scale: 'larger' }
  return { radius, scale: 'true' }
}

function labelOf(name: string | undefined, y: number | undefined): Orbit['label'] {
  return name === undefined || y === undefined ? undefined : { name: shorten(name, NAME_LENGTH_MAX), y }
}

/** Moves positions apart, so that no two labels overlap. @param last The greatest position */
function spread(positions: readonly number[], last: number): number[] {
  const downwards: number[] = []
  for (const position of positions) {
    downwards.push(Math.max(position, (downwards.at(-1) ?? Number.NEGATIVE_INFINITY) + LABEL_HEIGHT))
  }
  const excess = positions.length - 1
  return downwards.map((position, index) => Math.min(position, last - (excess - index) * LABEL_HEIGHT))
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
