import { asc, eq, type SQL, sql } from 'drizzle-orm'
import { build, type Database, prepare } from '../../db/port.ts'
import { planets } from '../../db/tables.ts'
import { GALAXY_USER_ID } from '../../domain/galaxy-user.ts'
import type { Catalogue } from '../../schemas/catalogue.ts'

/**
 * The value of a planet in each column; null if the planet has no such value. `->` returns JSON, which
 * `json_group_array` adds to its list unchanged.
 */
const VALUES: Readonly<Record<keyof Catalogue['columns'], SQL>> = {
  id: sql`id`,
  name: sql`properties -> '$.name'`,
  type: sql`properties -> '$.type'`,
  mass: sql`properties -> '$.physicalProperties.mass'`,
  radius: sql`properties -> '$.physicalProperties.radius'`,
  gravity: sql`properties -> '$.physicalProperties.gravity'`,
  temperature: sql`properties -> '$.physicalProperties.temperature.average'`,
  orbitalPeriod: sql`properties -> '$.physicalProperties.orbitalPeriod'`,
  semiMajorAxis: sql`properties -> '$.physicalProperties.semiMajorAxis'`,
  eccentricity: sql`properties -> '$.physicalProperties.eccentricity'`,
  habitabilityIndex: sql`properties -> '$.habitabilityIndex'`,
  // A date-time of RFC 3339 begins with the four digits of its year.
  discoveredYear: sql`cast(substr(properties ->> '$.discoveredAt', 1, 4) as integer)`,
  tags: sql`json(coalesce(properties -> '$.tags', '[]'))`,
}

const lists = Object.entries(VALUES).map(([name, value]) => sql`${name}, json_group_array(${value})`)
const columns = sql`json_object(${sql.join(lists, sql`, `)})`
const document = sql`json_object('total', count(*), 'columns', ${columns})`.mapWith(readDocument)

/**
 * The query for the document. The database returns it as one text, because rows for each planet would repeat the names
 * of the columns on the way to the Worker. D1 allows a text of 2 MB, and this text has 0.7 MB. The aggregate functions
 * of the outer query get the planets in the order of the inner query.
 */
const catalogueDocument = prepare(() => {
  const shipped = build
    .select({ id: planets.id, properties: planets.properties })
    .from(planets)
    .where(eq(planets.creatorId, GALAXY_USER_ID))
    .orderBy(asc(planets.id))
    .as('shipped')
  return build.select({ document: document.as('document') }).from(shipped)
})

/** Reads all planets of the catalogue (those that the service ships with), in order of id. One round trip. */
export async function selectCatalogue(db: Database): Promise<Catalogue> {
  const [row] = await db.read(catalogueDocument({}))
  if (!row) throw new Error('the database returned no row for the catalogue')
  return row.document
}

function readDocument(text: string): Catalogue {
  // The type is right: `document` names the members, and the values were checked when they were stored.
  return JSON.parse(text)
}
