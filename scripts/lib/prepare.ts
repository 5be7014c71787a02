import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { APPLIED_SQL, listAppliedMigrations, requireKnown } from './applied-migrations.ts'
import { listDatabaseFiles, openLocalDatabase, readStamp, writeStamp } from './local-database.ts'
import { type Migration, readMigrations } from './migrations.ts'

/** Creates the table in which wrangler lists the migrations that it has applied. */
const CREATE_APPLIED_TABLE = `create table if not exists d1_migrations (
  id integer primary key autoincrement, name text unique, applied_at timestamp default current_timestamp not null
);`

/**
 * Brings the local database up to date: applies the migrations that it does not have, then inserts the shipped planets
 * that it does not have. Repeating this does no harm but takes a second, so a stamp next to the database records the
 * migrations with which it was prepared.
 *
 * @param stateFolder The value for wrangler's `--persist-to`
 * @param createFile Creates the empty file of the database. It is called if there is none
 * @throws Error if the database has migrations that this version does not know. Then it is not changed
 */
export async function prepareDatabase(stateFolder: string, createFile: () => Promise<unknown>): Promise<void> {
  const migrations = await readMigrations()
  const stamp = migrations.reduce((hash, { sql }) => hash.update(sql), createHash('sha256')).digest('hex')
  if ((await readStamp(stateFolder)) === stamp) return
  const applied = await requireKnownDatabase(stateFolder)
  console.error('Preparing the database: migrations and 5,402 planets …')
  // Each of these takes a second if the database is new.
  const [planets] = await Promise.all([readPlanets(), listDatabaseFiles(stateFolder).length > 0 || createFile()])
  fill(stateFolder, migrations.slice(applied.length), planets.writeSql())
  await writeStamp(stateFolder, stamp)
}

/**
 * The migrations that the database in the folder has.
 *
 * @throws Error if this version does not know them. It only reads
 */
async function requireKnownDatabase(stateFolder: string): Promise<string[]> {
  const remedy = `It stays as it is: delete ${stateFolder} with everything in it, or start with --persist-to and another folder.`
  const [file] = listDatabaseFiles(stateFolder)
  if (file === undefined) return []
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const applied = await listAppliedMigrations(async () => [database.prepare(APPLIED_SQL).all()] as Row[][])
    await requireKnown(applied, `The database in ${stateFolder}`, remedy)
    return applied
  } finally {
    database.close()
  }
}

type Row = Record<string, string | number | null>

/**
 * Applies migrations and inserts planets in one transaction, without a runtime. wrangler would start one for each
 * migration, which takes a second each time. If this is interrupted, the database stays as it was.
 */
function fill(stateFolder: string, migrations: readonly Migration[], planetsSql: string): void {
  const applied = migrations.map(({ name, sql }) => `${sql}\ninsert into d1_migrations (name) values ('${name}');`)
  const database = openLocalDatabase(stateFolder)
  try {
    // D1 checks foreign keys at the end of a migration too.
    const begin = 'begin immediate; pragma defer_foreign_keys = on;'
    database.exec([begin, CREATE_APPLIED_TABLE, ...applied, planetsSql, 'commit;'].join('\n'))
  } finally {
    database.close()
  }
}

/** The shipped planets: how many there are, and the SQL that inserts those that are missing. */
export async function readPlanets(): Promise<{ count: number; writeSql(): string }> {
  // Imported only now, because a start with a prepared database does not need these modules or what they import.
  const { readShippedPlanets } = await import('./shipped-planets.ts')
  const { writePlanetsSql } = await import('./planets-sql.ts')
  // Reading them and writing the SQL take a third of a second each. A stop is handled in between.
  await setImmediate()
  const planets = readShippedPlanets()
  await setImmediate()
  return { count: planets.length, writeSql: () => writePlanetsSql(planets) }
}
