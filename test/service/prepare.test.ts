import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { makeLaterProject } from './later-project.ts'
import { queryState } from './local-database.ts'
import { makePreparedState } from './prepared-state.ts'

/** Counts how often other events are handled while the SQL of the shipped planets is made. */
const COUNT_TURNS = `
import('./scripts/lib/prepare.ts').then(async ({ readPlanets }) => {
  let turns = 0
  const count = () => { turns++; next = setImmediate(count) }
  let next = setImmediate(count)
  const { length } = (await readPlanets()).writeSql()
  clearImmediate(next)
  console.log(JSON.stringify({ turns, length }))
})`

it('a stop is handled while the planets are read, before the SQL is written', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', COUNT_TURNS], { cwd: ROOT })
  const { turns, length } = JSON.parse(stdout)
  // After the modules are loaded, and after the planets are read.
  expect(turns).toBeGreaterThanOrEqual(2)
  expect(length).toBeGreaterThan(1_000_000)
})

const run = promisify(execFile)

/** Prepares the database in a folder as `npm start` of a project does. */
const prepareWith = (root: string, folder: string) =>
  run(process.execPath, ['scripts/run.cjs', 'prepare-database', folder], { cwd: root })

/** The files of a folder, with what they contain. */
async function readFiles(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return new Map(await Promise.all(files.map(async (file) => [file, await readFile(file, 'base64')] as const)))
}

it('a database of an older version gets the later migration and keeps its rows; the older version then refuses it', async () => {
  const state = await makePreparedState()
  const later = await makeLaterProject()
  queryState(
    state.folder,
    "insert into users (id, email, name, created_at) values (7, 'duncan@example.com', 'Duncan', 1)",
  )
  const readPlanets = () => queryState(state.folder, 'select * from planets order by id')
  const before = readPlanets()
  expect(before).toHaveLength(5402)

  await prepareWith(later.root, state.folder)
  const applied = queryState(state.folder, 'select name from d1_migrations order by id').map(({ name }) => name)
  expect(applied).toEqual((await readdir(join(later.root, 'migrations'))).filter((name) => name.endsWith('.sql')))
  expect(readPlanets()).toEqual(before.map((planet) => ({ ...planet, discoverer: 'Galaxy' })))
  expect(queryState(state.folder, 'select user_id, text from badges')).toEqual([
    { user_id: 7, text: 'among the first' },
  ])

  const files = await readFiles(state.folder)
  const refusal = 'has the migration 9999_later.sql, which this version of Galaxy does not know'
  await expect(prepareWith(ROOT, state.folder)).rejects.toThrow(refusal)
  // SQLite may add files of its own beside a database that it reads.
  const after = await readFiles(state.folder)
  for (const [file, content] of files) expect(after.get(file) === content, file).toBe(true)
  await later.remove()
  await state.remove()
})
