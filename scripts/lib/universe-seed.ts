import { join } from 'node:path'
import type { SeedFile } from '../../src/universes/seed.ts'
import { digestSources, exists, removeOld, writeIfChanged } from './built-files.ts'
import { type Migration, readMigrations } from './migrations.ts'
import { ROOT } from './root.ts'

/** The folder of the seed among the files of the Worker. No path of the service leads to it. */
const FOLDER = 'seed'
const PUBLIC = join(ROOT, 'dist', 'browser', 'public')
/** What the Worker contains about the seed: its URL, and the number of migrations (src/universes/seed.ts). */
const REFERENCE = join(ROOT, 'dist', 'universes', 'seed.json')

/** The sources of the seed: everything that can change the SQL of the shipped planets. */
const SOURCES = [
  'data',
  'migrations',
  'scripts/lib',
  'src/db',
  'src/domain',
  'src/features/planets',
  'src/lib',
  'src/schemas',
  'src/stores',
]

/**
 * Writes the seed of universes: the migrations, and the SQL that fills them. The file is written only if its sources
 * have changed, because reading the planets takes a second.
 */
export async function buildUniverseSeed(): Promise<void> {
  const name = `${await digestSources(SOURCES)}.json`
  const file = join(PUBLIC, FOLDER, name)
  const migrations = await readMigrations()
  if (!(await exists(file))) await writeIfChanged(file, Buffer.from(JSON.stringify(await makeSeed(migrations))))
  const reference = { url: `/${FOLDER}/${name}`, migrations: migrations.length }
  await writeIfChanged(REFERENCE, Buffer.from(JSON.stringify(reference)))
  await removeOld(join(PUBLIC, FOLDER), [name])
}

async function makeSeed(migrations: readonly Migration[]): Promise<SeedFile> {
  // Imported here, because loading it takes longer than everything else if there is nothing to do.
  const { writeUniverseSql } = await import('./universe-sql.ts')
  return {
    migrations: migrations.map(({ sql }) => sql),
    ...(await writeUniverseSql(migrations.map(({ name }) => name))),
  }
}
