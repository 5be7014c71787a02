import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { APPLIED_SQL, listAppliedMigrations, requireKnown } from './applied-migrations.ts'
import { executeSql } from './execute-sql.ts'
import { writeLocalConfig } from './local-config.ts'
import { databaseFolder, listDatabaseFiles, openLocalDatabase } from './local-database.ts'
import { type Migration, readMigrations } from './migrations.ts'
import { type Row, runWrangler } from './wrangler.ts'

/** Creates the table in which wrangler lists the migrations that it has applied. */
const CREATE_APPLIED_TABLE = `create table d1_migrations (
  id integer primary key autoincrement, name text unique, applied_at timestamp default current_timestamp not null
);`

/**
 * Brings the local database up to date: applies the migrations, then inserts the shipped planets. Repeating this does
 * no harm but takes seconds, so a stamp next to the database records the migrations with which it was prepared.
 *
 * @param stateFolder The value for wrangler's `--persist-to`
 * @throws Error if the database has migrations that this version does not know. Then it is not changed
 */
export async function prepareDatabase(stateFolder: string): Promise<void> {
  const folder = databaseFolder(stateFolder)
  const stampFile = join(folder, 'prepared-from')
  const migrations = await readMigrations()
  const stamp = migrations.reduce((hash, { sql }) => hash.update(sql), createHash('sha256')).digest('hex')
  if ((await readFile(stampFile, 'utf8').catch(() => '')) === stamp) return
  await requireKnownDatabase(stateFolder)
  const target = ['--local', '--persist-to', stateFolder, '--config', await writeLocalConfig()]
  console.log('Preparing the database: migrations and 5,402 planets …')
  if (existsSync(folder)) {
    await runWrangler(['d1', 'migrations', 'apply', 'DB', ...target])
    await loadPlanets(target)
  } else await createDatabase(migrations, stateFolder, target)
  await writeFile(stampFile, stamp)
}

/** @throws Error if a database in the folder has migrations that this version does not know. It only reads */
async function requireKnownDatabase(stateFolder: string): Promise<void> {
  const remedy = `It stays as it is: delete ${stateFolder} with everything in it, or start with --persist-to and another folder.`
  for (const file of listDatabaseFiles(stateFolder)) {
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      const applied = await listAppliedMigrations(async () => [database.prepare(APPLIED_SQL).all() as Row[]])
      await requireKnown(applied, `The database in ${stateFolder}`, remedy)
    } finally {
      database.close()
    }
  }
}

/**
 * Makes a new database: wrangler creates the file, and everything else is one transaction on it. wrangler itself would
 * start a runtime for each migration, which takes a second each time. If this is interrupted, the next start finds an
 * empty database and lets wrangler apply the migrations.
 */
async function createDatabase(
  migrations: readonly Migration[],
  stateFolder: string,
  target: readonly string[],
): Promise<void> {
  // These two steps take more than a second each, so they run at the same time.
  const created = runWrangler(['d1', 'execute', 'DB', '--yes', '--command', 'select 1', ...target])
  const [planets] = await Promise.all([readPlanets(), created])
  const appliedMigrations = migrations.map(
    ({ name, sql }) => `${sql}\ninsert into d1_migrations (name) values ('${name}');`,
  )
  const database = openLocalDatabase(stateFolder)
  try {
    database.exec(['begin;', CREATE_APPLIED_TABLE, ...appliedMigrations, planets.writeSql(), 'commit;'].join('\n'))
  } finally {
    database.close()
  }
}

/**
 * Inserts the shipped planets into a database that has the tables. Planets that it already contains stay unchanged.
 *
 * @param target Where the database is: `--remote`, or `--local` with `--persist-to` and a folder
 */
export async function loadPlanets(target: readonly string[]): Promise<void> {
  await executeSql((await readPlanets()).writeSql(), target)
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
