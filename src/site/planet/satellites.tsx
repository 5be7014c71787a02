import { writeList } from '../../lib/text.ts'
import type { Planet } from '../../schemas/planet.ts'
import type { Satellite } from '../../schemas/satellite.ts'
import { formatNumber, formatShort } from './figure-rows.ts'
import { Orbits } from './orbit-drawing.tsx'
import { drawOrbits, type GroupedSatellites, groupSatellites, NAMED_MAX, type OrbitDrawing, shorten } from './orbits.ts'

/** A table with more rows is closed at first. */
const OPEN_ROWS_MAX = 16

/** The satellites of a planet: their orbits as a drawing, and all their figures as a table. */
export function Satellites({ planet }: { planet: Planet }) {
  const { satellites = [], physicalProperties } = planet
  if (satellites.length === 0) return <p>This planet has no satellites in Galaxy.</p>
  const groups = groupSatellites(satellites)
  const drawing = groups.drawn.length > 0 ? drawOrbits(groups.drawn, physicalProperties?.radius) : undefined
  const caption = [...(drawing ? describeDrawing(drawing) : ['There is no drawing.']), ...describeNotDrawn(groups)]
  return (
    <div class="satellites">
      <figure>
        {drawing && <Orbits drawing={drawing} />}
        <figcaption>
          {caption.map((sentence) => (
            <p>{sentence}</p>
          ))}
        </figcaption>
      </figure>
      {satellites.length > OPEN_ROWS_MAX ? (
        <details>
          <summary>All {satellites.length} satellites as a table</summary>
          <SatelliteTable satellites={satellites} />
        </details>
      ) : (
        <SatelliteTable satellites={satellites} />
      )}
    </div>
  )
}

const PLANET_NOTES: Readonly<Record<OrbitDrawing['planet']['scale'], string>> = {
  true: 'The planet and the orbits are to scale. The dots of the satellites are larger.',
  larger: 'The orbits are to scale. The dots of the planet and the satellites are larger.',
  unknown: 'The orbits are to scale. The radius of the planet is not known, so its dot is not to scale.',
}

function describeDrawing({ planet, insideCount, orbits, bar }: OrbitDrawing): string[] {
  return [
    `${PLANET_NOTES[planet.scale]} The bar at the bottom is ${formatNumber(bar.km)} km long.`,
    ...(insideCount > 0 ? [`According to these figures, ${countOrbits(insideCount)} inside the planet.`] : []),
    ...(orbits.length > NAMED_MAX ? [`The drawing names the nearest ${NAMED_MAX}. The table contains all.`] : []),
  ]
}

const countOrbits = (count: number) => (count === 1 ? 'one orbit is' : `${count} orbits are`)

function describeNotDrawn({ unknown, impossible }: GroupedSatellites): string[] {
  return [
    ...(unknown.length > 0 ? [`Not drawn, because their distance is not known: ${listNames(unknown)}.`] : []),
    ...(impossible.length > 0
      ? [`Not drawn, because their distance is less than a metre: ${listNames(impossible)}.`]
      : []),
  ]
}

/** How many names a sentence lists. */
const LISTED_MAX = 5
/** The maximum length of such a name in characters. */
const LISTED_LENGTH_MAX = 40

function listNames(names: readonly string[]): string {
  const listed = names.slice(0, LISTED_MAX).map((name) => shorten(name, LISTED_LENGTH_MAX))
  return writeList(names.length > LISTED_MAX ? [...listed, `${names.length - LISTED_MAX} others`] : listed)
}

const COLUMNS = [
  { label: 'Diameter', unit: 'km' },
  { label: 'Distance', unit: 'km' },
  { label: 'Period', unit: 'days' },
]

function SatelliteTable({ satellites }: { satellites: readonly Satellite[] }) {
  return (
    <table class="satellite-table">
      <thead>
        <tr>
          <th scope="col">Name</th>
          {COLUMNS.map(({ label, unit }) => (
            <th scope="col" class="number">
              {label}
              <small class="note">{unit}</small>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {satellites.map((satellite) => (
          <SatelliteRow satellite={satellite} />
        ))}
      </tbody>
    </table>
  )
}

function SatelliteRow({ satellite: { name, type, diameter, orbit, description } }: { satellite: Satellite }) {
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi>
        {type && <small class="note">{type}</small>}
        {description && (
          <small class="note" dir="auto">
            {description}
          </small>
        )}
      </th>
      {[diameter, orbit?.distance, orbit?.orbitalPeriod].map((figure) => (
        <td class="number">{figure === undefined ? UNKNOWN : formatShort(figure)}</td>
      ))}
    </tr>
  )
}

const UNKNOWN = '–'
