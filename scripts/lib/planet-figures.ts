import type { PlanetProperties } from '../../src/schemas/planet.ts'

// What is derived from the known figures of a planet. data/README.md explains the thresholds and names the sources.

type PlanetType = NonNullable<PlanetProperties['type']>

/** A class of planets: all planets below these bounds that are in no smaller class. */
interface SizeClass {
  type: PlanetType
  /** Earth radii. */
  radiusBelow: number
  /** Earth masses. */
  massBelow: number
}

const SIZE_CLASSES: readonly SizeClass[] = [
  { type: 'dwarf', radiusBelow: 0.25, massBelow: 0.01 },
  { type: 'terrestrial', radiusBelow: 1.25, massBelow: 2 },
  { type: 'super_earth', radiusBelow: 2, massBelow: 10 },
  { type: 'ice_giant', radiusBelow: 6, massBelow: 50 },
  { type: 'gas_giant', radiusBelow: Infinity, massBelow: Infinity },
]

/** The type of a planet, by its radius or, if that is not known, by its mass; undefined if neither is known. */
export function classifyPlanet(mass: number | undefined, radius: number | undefined): PlanetType | undefined {
  if (radius !== undefined) return SIZE_CLASSES.find(({ radiusBelow }) => radius < radiusBelow)?.type
  if (mass !== undefined) return SIZE_CLASSES.find(({ massBelow }) => mass < massBelow)?.type
  return undefined
}

/** Surface gravity in Earth g, from Earth masses and Earth radii. */
export function surfaceGravity(mass: number, radius: number): number {
  return roundFigure(mass / radius ** 2)
}

const EARTH_TEMPERATURE_KELVIN = 288

/**
 * The Earth Similarity Index of Schulze-Makuch et al. 2011 (Astrobiology 11, 1041): the product of
 * (1 - |x - x0| / (x + x0)) ^ (w / 4) over radius, bulk density, escape velocity and surface temperature.
 *
 * @param mass in Earth masses
 * @param radius in Earth radii
 * @param temperature in Kelvin
 */
export function earthSimilarity(mass: number, radius: number, temperature: number): number {
  const terms: [value: number, earth: number, weight: number][] = [
    [radius, 1, 0.57],
    [mass / radius ** 3, 1, 1.07],
    [Math.sqrt(mass / radius), 1, 0.7],
    [temperature, EARTH_TEMPERATURE_KELVIN, 5.58],
  ]
  const similarities = terms.map(([x, x0, weight]) => (1 - Math.abs(x - x0) / (x + x0)) ** (weight / terms.length))
  return roundFigure(similarities.reduce((product, similarity) => product * similarity, 1))
}

const SIGNIFICANT_DIGITS = 6

/** Rounds a computed figure to the digits that its inputs justify. */
function roundFigure(value: number): number {
  return Number(value.toPrecision(SIGNIFICANT_DIGITS))
}
