import type { Catalogue } from '../../schemas/catalogue.ts'
import type { LivePlanet } from '../../schemas/live/bodies.ts'
import type { FigureName } from './axis-figures.ts'

// The planets that the explorer shows: in its picture those of the catalogue, and those that are created while the page
// is open; in its table all. This file runs in browsers too.

type Columns = Catalogue['columns']

/** The types of planets in the order of the legend, and their labels. `unknown` is for planets without a type. */
export const KINDS = {
  terrestrial: 'Terrestrial',
  super_earth: 'Super-Earth',
  ice_giant: 'Ice giant',
  gas_giant: 'Gas giant',
  dwarf: 'Dwarf',
  unknown: 'Unknown type',
} as const

export type PlanetKind = keyof typeof KINDS

// The cast is safe, because an object literal has only the keys of its type.
export const KIND_NAMES = Object.keys(KINDS) as readonly PlanetKind[]

/** The methods of discovery: the tag of each method (data/README.md), and its label. */
export const METHODS: Readonly<Record<string, string>> = {
  transit: 'Transit',
  RV: 'Radial velocity',
  microlensing: 'Microlensing',
  imaging: 'Imaging',
  timing: 'Timing',
  astrometry: 'Astrometry',
  'disk kinematics': 'Disk kinematics',
}

const SOLAR_SYSTEM = 'Solar System'

/** The other tags of planets that are neither a method nor a host star. */
const OTHER_TAGS =
  /^(?:Solar System|Confirmed planets|Controversial|Kepler Objects of Interest|Orphan planets|Planets in .*)$/

/** A planet as the explorer shows it. */
export interface CataloguePlanet {
  id: number
  name: string
  kind: PlanetKind
  /** The host star; empty if the planet has none, or if the star is not known. */
  host: string
  /** The tag of the method of discovery; empty if the method is not known. */
  method: string
  isOfSolarSystem: boolean
  /** Whether the planet was created while the page was open. All other planets are in the catalogue. */
  isNew: boolean
  figures: Record<FigureName, number | null>
}

/**
 * The planets at some positions of the catalogue.
 *
 * @param start The position of the first planet, from 0
 * @param end The position after the last planet
 */
export function listPlanets(columns: Columns, start = 0, end = columns.id.length): CataloguePlanet[] {
  const planets: CataloguePlanet[] = []
  for (let index = start; index < Math.min(end, columns.id.length); index++) planets.push(readPlanet(columns, index))
  return planets
}

function readPlanet(columns: Columns, index: number): CataloguePlanet {
  return {
    id: columns.id[index] ?? 0,
    name: columns.name[index] ?? '',
    kind: columns.type[index] ?? 'unknown',
    ...readTags(columns.tags[index] ?? []),
    isNew: false,
    figures: readFigures(columns, index),
  }
}

/**
 * Reads a planet as the API sends it, in an event or in a list. The figures come from the same properties as the columns
 * of the catalogue (features/planets/catalogue-queries.ts).
 */
export function readApiPlanet(planet: LivePlanet, isNew: boolean): CataloguePlanet {
  const { id, name, type, tags = [], physicalProperties = {}, habitabilityIndex = null, discoveredAt } = planet
  const { mass, radius, gravity, temperature, orbitalPeriod, semiMajorAxis, eccentricity } = physicalProperties
  const figures = {
    period: orbitalPeriod ?? null,
    axis: semiMajorAxis ?? null,
    radius: radius ?? null,
    mass: mass ?? null,
    temperature: temperature?.average ?? null,
    gravity: gravity ?? null,
    eccentricity: eccentricity ?? null,
    habitability: habitabilityIndex,
    // A date-time of RFC 3339 begins with the four digits of its year.
    year: discoveredAt === undefined ? null : Number(discoveredAt.slice(0, 4)),
  }
  return { id, name, kind: type ?? 'unknown', ...readTags(tags), isNew, figures }
}

function readTags(tags: readonly string[]): Pick<CataloguePlanet, 'host' | 'method' | 'isOfSolarSystem'> {
  return {
    host: tags.find((tag) => !isMethod(tag) && !OTHER_TAGS.test(tag)) ?? '',
    method: tags.find(isMethod) ?? '',
    isOfSolarSystem: tags.includes(SOLAR_SYSTEM),
  }
}

function isMethod(tag: string): boolean {
  return Object.hasOwn(METHODS, tag)
}

function readFigures(columns: Columns, index: number): CataloguePlanet['figures'] {
  return {
    period: columns.orbitalPeriod[index] ?? null,
    axis: columns.semiMajorAxis[index] ?? null,
    radius: columns.radius[index] ?? null,
    mass: columns.mass[index] ?? null,
    temperature: columns.temperature[index] ?? null,
    gravity: columns.gravity[index] ?? null,
    eccentricity: columns.eccentricity[index] ?? null,
    habitability: columns.habitabilityIndex[index] ?? null,
    year: columns.discoveredYear[index] ?? null,
  }
}
