import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { PlanetInput } from '../../src/schemas/planet.ts'
import { classifyPlanet, earthSimilarity, surfaceGravity } from './planet-figures.ts'
import { ROOT } from './root.ts'

type Row = Record<string, string>

/** The shipped planets, as the requests that would create them, in order of their ids from 1. */
export function readShippedPlanets(): PlanetInput[] {
  const moons = Map.groupBy(readTable('moons.csv'), (row) => row.planet)
  return readTable('planets.csv').map((row) => PlanetInput.parse(toPlanet(row, moons.get(row.name))))
}

export function countShippedPlanets(): number {
  return readTable('planets.csv').length
}

function readTable(name: string): Row[] {
  const text = readFileSync(join(ROOT, 'data', name), 'utf8')
  return parse(text, { columns: true })
}

/** The planet in a row of the table. An empty cell is an unknown value, and unknown values are omitted. */
function toPlanet(row: Row, moons: Row[] | undefined): unknown {
  const mass = parseFigure(row.mass_earth)
  const radius = parseFigure(row.radius_earth)
  const temperature = parseFigure(row.temperature_kelvin)
  return withoutUnknown({
    name: row.name,
    type: classifyPlanet(mass, radius),
    habitabilityIndex: mass && radius && temperature ? earthSimilarity(mass, radius, temperature) : undefined,
    physicalProperties: withoutUnknown({
      mass,
      radius,
      gravity: mass && radius ? surfaceGravity(mass, radius) : undefined,
      temperature: withoutUnknown({ average: temperature }),
      orbitalPeriod: parseFigure(row.period_days),
      semiMajorAxis: parseFigure(row.semimajor_axis_au),
      eccentricity: parseFigure(row.eccentricity),
    }),
    // The catalogue contains only the year.
    discoveredAt: row.discovery_year ? `${row.discovery_year}-01-01T00:00:00Z` : undefined,
    tags: [row.host, row.discovery_method, ...(row.status ?? '').split('|')].filter(Boolean),
    satellites: moons?.map(toSatellite),
  })
}

function toSatellite(row: Row): unknown {
  const orbit = withoutUnknown({ orbitalPeriod: parseFigure(row.period_days), distance: parseFigure(row.distance_km) })
  return withoutUnknown({ name: row.name, type: 'moon', diameter: parseFigure(row.diameter_km), orbit })
}

function parseFigure(cell: string | undefined): number | undefined {
  return cell ? Number(cell) : undefined
}

/** The members that have a value; undefined if none has. */
function withoutUnknown(members: Record<string, unknown>): Record<string, unknown> | undefined {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined)
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}
