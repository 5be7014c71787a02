import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { UniverseSeed } from '../../src/universes/seed.ts'
import { digestSources, exists, removeOld, writeIfChanged } from './built-files.ts'
import { ROOT } from './wrangler.ts'

/** The folder of the seed among the files of the Worker. No path of the service leads to it. */
const FOLDER = 'seed'
const PUBLIC = join(ROOT, 'dist', 'browser', 'public')
const LIST = join(ROOT, 'dist', 'universes', 'seed.json')

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
 * Writes the seed of universes: the migrations, and the SQL of the shipped planets. The file is written only if its
 * sources have changed, because reading the planets takes a second.
 */
export async function buildUniverseSeed(): Promise<void> {
  const name = `${await digestSources(SOURCES)}.json`
  const file = join(PUBLIC, FOLDER, name)
  const migrations = await listMigrations()
  if (!(await exists(file))) await writeIfChanged(file, Buffer.from(JSON.stringify(await makeSeed(migrations))))
  const list = { url: `/${FOLDER}/${name}`, migrations: migrations.length }
  await writeIfChanged(LIST, Buffer.from(JSON.stringify(list)))
  await removeOld(join(PUBLIC, FOLDER), [name])
}

async function makeSeed(migrations: readonly string[]): Promise<UniverseSeed> {
  // Imported here, because loading them takes longer than everything else if there is nothing to do.
  const [{ readShippedPlanets }, { writePlanetsSql }] = await Promise.all([
    import('./shipped-planets.ts'),
    import('./planets-sql.ts'),
  ])
  const texts = migrations.map((name) => readFile(join(ROOT, 'migrations', name), 'utf8'))
  return {
    migrations: await Promise.all(texts),
    // Each statement ends with a line break. They are stored separately, because a Durable Object rejects a text with
    // all of them as too long.
    planets: writePlanetsSql(readShippedPlanets())
      .split(/(?<=;)\n/)
      .filter(Boolean),
  }
}

async function listMigrations(): Promise<string[]> {
  return (await readdir(join(ROOT, 'migrations'))).filter((name) => name.endsWith('.sql')).sort()
}
