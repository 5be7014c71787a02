import type { DatabaseSync } from 'node:sqlite'
import { listTables, quoteName } from './world-tables.ts'

// A large world is read in several queries, and requests may write between them. So rows can refer to missing rows, and
// counts can be wrong. This code removes such rows and counts again. It changes nothing in a world that is consistent.

/** The counts that triggers keep: the table of the counts, and the table of the counted rows with its trigger. */
const COUNTED = [
  ['planet_counts', 'planets', 'planets_counted'],
  ['body_counts', 'bodies', 'bodies_counted'],
  ['stranger_counts', 'clients', 'clients_counted'],
] as const

/**
 * The tables of rows that can have satellites, each with the column of `bodies` that refers to them. The size of
 * satellites counts towards the size of what they belong to, so `bodies` comes before `planets`.
 */
const SATELLITE_BYTES = [
  ['bodies', 'host_id'],
  ['planets', 'planet_id'],
] as const

/** The usage of an account: each column, and the rows to count or add up for it. */
const USAGE = {
  bodies_used: `(select count(*) from planets where creator_id = users.id)
    + (select count(*) from bodies where creator_id = users.id and planet_id is null and host_id is null)`,
  body_bytes_used: `(select coalesce(sum(bytes), 0) from planets where creator_id = users.id)
    + (select coalesce(sum(bytes), 0) from bodies where creator_id = users.id and planet_id is null and host_id is null)`,
  images_used: '(select count(*) from planets where creator_id = users.id and image_key is not null)',
  image_bytes_used: `(select coalesce(sum(file_size), 0) from planets join images on images.key = planets.image_key
    where creator_id = users.id)`,
  deliveries_used: '(select count(*) from deliveries where user_id = users.id)',
}

/**
 * Makes the rows consistent. The database has no triggers and enforces no foreign keys meanwhile.
 *
 * @param triggers The texts of its triggers
 */
export function repairRows(database: DatabaseSync, triggers: readonly string[], now: Date): void {
  database.exec('begin')
  removeLost(database)
  database.exec(`
    update planets set image_key = null where image_key not in (select key from images);
    update images set orphaned_at = null where key in (select image_key from planets where image_key is not null);
    update images set orphaned_at = ${now.getTime()}
    where orphaned_at is null and key not in (select image_key from planets where image_key is not null)`)
  for (const [table, column] of SATELLITE_BYTES) measureSatellites(database, table, column)
  const changes = Object.entries(USAGE).map(([column, sql]) => `${column} = ${sql}`)
  database.exec(`update users set ${changes.join(', ')}`)
  for (const names of COUNTED) countAgain(database, triggers, names)
  database.exec('commit')
}

/** Removes rows that refer to missing rows, and repeats this until there are none. */
function removeLost(database: DatabaseSync): void {
  const references = listTables(database).flatMap(({ name }) =>
    database
      .prepare('select "table" as parent, "from" as "column", "to" as key from pragma_foreign_key_list(?)')
      .all(name)
      .map(({ parent, column, key }) => ({ name, parent: String(parent), column: String(column), key: String(key) })),
  )
  for (let isChanged = true; isChanged; ) {
    isChanged = references
      .map(({ name, parent, column, key }) => {
        const parents = `select ${quoteName(key)} from ${quoteName(parent)}`
        return database
          .prepare(
            `delete from ${quoteName(name)} where ${quoteName(column)} is not null and ${quoteName(column)} not in (${parents})`,
          )
          .run().changes
      })
      .some((changes) => changes > 0)
  }
}

/**
 * Measures the satellites of each row. A satellite can have satellites itself, so this goes on until nothing changes.
 */
function measureSatellites(database: DatabaseSync, table: string, column: string): void {
  const bytes = `coalesce((select sum(satellites.bytes) from bodies as satellites where satellites.${column} = ${table}.id), 0)`
  const update = database.prepare(`update ${table} set satellite_bytes = ${bytes} where satellite_bytes <> ${bytes}`)
  while (update.run().changes > 0);
}

/** Counts the rows of a table: empties the table, and inserts its rows again while only the counting trigger exists. */
function countAgain(
  database: DatabaseSync,
  triggers: readonly string[],
  [counts, table, trigger]: (typeof COUNTED)[number],
): void {
  const columns = listTables(database)
    .find(({ name }) => name === table)
    ?.columns.map(quoteName)
  // The name can be quoted.
  const sql = triggers.find((text) => new RegExp(`^create trigger \\W?${trigger}\\b`, 'i').test(text))
  database.exec(`
    delete from ${counts};
    create temp table counted as select ${columns} from ${table};
    delete from ${table};
    ${sql};
    insert into ${table} (${columns}) select ${columns} from temp.counted;
    drop trigger ${trigger};
    drop table temp.counted`)
}
