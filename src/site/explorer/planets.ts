import type { Catalogue } from '../../schemas/catalogue.ts'
import type { LivePlanet } from '../../schemas/live/bodies.ts'
import type { FigureName } from './axis-figures.ts'

// The planets that the explorer shows: those of the catalogue, and those that are created meanwhile. This file runs in
// browsers too.

type Columns = Catalogue['columns']

/** The types of planets in the order of the legend, and how they are called. `unknown` is for planets without one. */
export const KINDS = {
  terrestrial: 'Terrestrial',
  super_earth: 'Super-Earth',
  ice_giant: 'Ice giant',
  gas_giant: 'Gas giant',
  dwarf: 'Dwarf',
  unknown: 'Unknown type',
} as const

export type Kind = keyof typeof KINDS

// The keys of an object literal are its names.
export const KIND_NAMES = Object.keys(KINDS) as readonly Kind[]

/** The methods of discovery, as the tags name them, and what they are called (data/README.md). */
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

/** The other tags that are neither a method nor a host star. */
const STATUSES =
  /^(?:Solar System|Confirmed planets|Controversial|Kepler Objects of Interest|Orphan planets|Planets in .*)$/

/** A planet as the explorer shows it. */
export interface CataloguePlanet {
  id: number
  name: string
  kind: Kind
  /** The host star; empty if the planet has none, or if it is not known. */
  host: string
  /** The method of discovery, as the tag names it; empty if it is not known. */
  method: string
  isOfSolarSystem: boolean
  /** Whether it was created while the page was open. The others are in the catalogue. */
  isNew: boolean
  figures: Record<FigureName, number | null>
}

/**
 * The planets at some positions of the catalogue.
 *
 * @param end The position after the last one
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

/** The planet of an event. The columns of the catalogue name the same members (src/features/planets/catalogue-queries.ts). */
export function readLivePlanet(planet: LivePlanet, isNew: boolean): CataloguePlanet {
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
    host: tags.find((tag) => !isMethod(tag) && !STATUSES.test(tag)) ?? '',
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
