import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { databaseFolder, openLocalDatabase } from './local-database.ts'
import { ROOT, runWrangler } from './wrangler.ts'

/** The table in which wrangler lists the migrations that it has applied. */
const APPLIED_TABLE = `create table d1_migrations (
  id integer primary key autoincrement, name text unique, applied_at timestamp default current_timestamp not null
);`

/**
 * Brings the local database up to date: applies the migrations, then inserts the shipped planets. Repeating this does
 * no harm but takes seconds, so a stamp next to the database records the migrations with which it was prepared.
 *
 * @param stateFolder The value for wrangler's `--persist-to`
 */
export async function prepareDatabase(stateFolder: string): Promise<void> {
  const folder = databaseFolder(stateFolder)
  const stampFile = join(folder, 'prepared-from')
  const migrations = await readMigrations()
  const stamp = migrations.reduce((hash, { sql }) => hash.update(sql), createHash('sha256')).digest('hex')
  if ((await readFile(stampFile, 'utf8').catch(() => '')) === stamp) return
  const target = ['--local', '--persist-to', stateFolder]
  console.log('Preparing the database: migrations and 5,402 planets …')
  if (existsSync(folder)) {
    await runWrangler(['d1', 'migrations', 'apply', 'DB', ...target])
    await loadPlanets(target)
  } else await createDatabase(migrations, stateFolder, target)
  await writeFile(stampFile, stamp)
}

interface Migration {
  name: string
  sql: string
}

async function readMigrations(): Promise<Migration[]> {
  const folder = join(ROOT, 'migrations')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return await Promise.all(names.map(async (name) => ({ name, sql: await readFile(join(folder, name), 'utf8') })))
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
  // Both take more than a second, so they run at the same time.
  const created = runWrangler(['d1', 'execute', 'DB', '--yes', '--command', 'select 1', ...target])
  const [planetsSql] = await Promise.all([readPlanetsSql(), created])
  const appliedMigrations = migrations.map(
    ({ name, sql }) => `${sql}\ninsert into d1_migrations (name) values ('${name}');`,
  )
  const database = openLocalDatabase(stateFolder)
  try {
    database.exec(['begin;', APPLIED_TABLE, ...appliedMigrations, planetsSql, 'commit;'].join('\n'))
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
  await execute(await readPlanetsSql(), target)
}

async function readPlanetsSql(): Promise<string> {
  // Imported only now, because a start with a prepared database does not need these modules or what they import.
  const { readShippedPlanets } = await import('./shipped-planets.ts')
  const { writePlanetsSql } = await import('./planets-sql.ts')
  return writePlanetsSql(readShippedPlanets())
}

async function execute(sql: string, target: readonly string[]): Promise<void> {
  const folder = join(ROOT, '.wrangler')
  // Each process has its own file, because two processes may prepare two databases at the same time.
  const file = join(folder, `execute-${process.pid}.sql`)
  await mkdir(folder, { recursive: true })
  await writeFile(file, sql)
  try {
    await runWrangler(['d1', 'execute', 'DB', '--yes', '--file', file, ...target])
  } finally {
    await rm(file)
  }
}
