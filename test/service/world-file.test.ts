import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readMigrations } from '../../scripts/lib/migrations.ts'
import { showProgress } from '../../scripts/lib/progress.ts'
import { type Item, WorldWriter } from '../../scripts/lib/world-file.ts'
import { stageWorld } from '../../scripts/lib/world-loading.ts'
import { type QueryAll, readRows, surveyWorld } from '../../scripts/lib/world-reader.ts'
import { countRows } from '../../scripts/lib/world-staging.ts'
import { listTables } from '../../scripts/lib/world-tables.ts'
import type { Row } from '../../scripts/lib/wrangler.ts'
import { DiskWorld } from './disk-world.ts'

// The files of `npm run export`: how worlds are read in parts, and which files `npm run import` accepts.

let folder: string
let file: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galaxy-world-file-test-'))
  file = join(folder, 'world.ndjson')
})

afterEach(() => rm(folder, { recursive: true }))

const migrations = (await readMigrations()).map(({ name }) => name)

async function writeWorld(items: AsyncIterable<Item> | Iterable<Item>, isSnapshot = true): Promise<void> {
  const header = { exportedAt: '2026-11-23T07:00:00.000Z', migrations, dataKeys: [], tables: {} }
  const writer = await WorldWriter.create(file, header)
  for await (const item of items) await writer.write(item)
  await writer.end(isSnapshot)
}

const stage = () => stageWorld(file, ':memory:')

/** Reads a world as wrangler does. @param between What happens after each query */
function queryOf(world: DiskWorld, between: (queries: number) => void = () => undefined): QueryAll {
  let queries = 0
  return async (sql) => {
    const statements = sql.split(';\n')
    const results = world.change((database) => statements.map((one) => database.prepare(one).all() as Row[]))
    between(++queries)
    return results
  }
}

const PLANET = {
  id: 1,
  creator_id: 1,
  version: 1,
  last_updated: 1,
  properties: '{"name":"Arrakis"}',
  lists_satellites: 0,
  image_key: null,
  extras: null,
  satellite_bytes: 0,
}

it.each<[string, RegExp, (text: string) => string]>([
  ['has lost its last line', /not complete: its last line is missing/, (text) => text.replace(/\{"end".*\n$/, '')],
  ['was cut off', /Line 3 of the file is not valid/, (text) => text.slice(0, -30)],
  ['has lost a line', /damaged/, (text) => text.replace(/\{"table":"planets".*\n/, '')],
  ['has another value', /damaged/, (text) => text.replace('"last_updated":1', '"last_updated":2')],
  ['continues after its last line', /continues after the line/, (text) => `${text}{}\n`],
  ['is empty', /not an export of Galaxy/, () => ''],
  ['is something else', /not an export of Galaxy/, () => '{"name":"Arrakis"}\n'],
  ['is no text', /not an export of Galaxy/, () => '\u0000\u0001'.repeat(100)],
  ['has a header without tables', /not an export of Galaxy/, (text) => text.replace(',"tables":{}', '')],
  [
    'has a time that would write to a terminal',
    /not an export of Galaxy/,
    (text) => text.replace('2026-11', '\\u001b[2J'),
  ],
  ['has another version of the format', /has version 2 of the format/, (text) => text.replace('n":1', 'n":2')],
  [
    'has a later migration',
    /9999_later.sql, which this version of Galaxy does not know/,
    (text) => text.replace('.sql"]', '.sql","9999_later.sql"]'),
  ],
])('a file is refused if it %s', async (_, message, change) => {
  await writeWorld([{ table: 'planets', row: PLANET }])
  await writeFile(file, change(await readFile(file, 'utf8')))
  await expect(stage()).rejects.toThrow(message)
})

it.each<[string, RegExp, Item]>([
  ['refers to one that is missing', /refers to a row of users that is missing/, { table: 'planets', row: PLANET }],
  ['has a column too many', /does not have the columns/, { table: 'planets', row: { ...PLANET, price: 1 } }],
  ['has another column', /lacks the column count/, { table: 'stranger_counts', row: { kind: 'a', extras: 1 } }],
  ['is of no table', /no table secrets/, { table: 'secrets', row: {} }],
  [
    'breaks a rule of its table',
    /planets cannot be stored: NOT NULL/,
    { table: 'planets', row: { ...PLANET, version: null } },
  ],
  ['is the list of universes', /no table universes/, { table: 'universes', row: {} }],
  [
    'is an image whose key leads elsewhere',
    /an image whose key is not valid/,
    {
      table: 'images',
      row: { key: '../../workers/scripts/galaxy', mime_type: 'image/png', file_size: 1, uploaded_at: 1 },
    },
  ],
  ['is an image without a row', /an image that no row names/, { image: '../../key', type: 'image/png', base64: '' }],
])('a file is refused if a row %s', async (_, message, item) => {
  await writeWorld([item])
  await expect(stage()).rejects.toThrow(message)
})

it('a table that was empty when the world was surveyed is read with what it has then', async () => {
  const world = await DiskWorld.create()
  const query = queryOf(world)
  const survey = await surveyWorld(query, world.change(listTables))
  world.change((database) =>
    database.exec(`insert into users (id, name, created_at) values (2, 'Duncan', 1);
    insert into api_keys (user_id, password_generation, hash, preview, scopes, created_at) values (2, 0, 'hash', 'gk_', '[]', 1)`),
  )
  const rows = await Array.fromAsync(readRows(query, survey))
  expect(rows.map(({ table }) => table)).toEqual(expect.arrayContaining(['api_keys', 'users']))
  await world.remove()
})

it('a world that is read in many parts has every row once', async () => {
  const world = await DiskWorld.create({ hasRows: true })
  const query = queryOf(world)
  const tables = world.change(listTables)
  const survey = await surveyWorld(query, tables, 200)
  expect(survey.queries.length).toBeGreaterThan(10)
  const rows = await Array.fromAsync(readRows(query, survey))
  const whole = await surveyWorld(query, tables)
  expect(whole.queries).toHaveLength(1)
  expect(whole.counts).toEqual(survey.counts)
  expect(rows).toEqual(await Array.fromAsync(readRows(query, whole)))
  await world.remove()
})

it('rows that were read at one moment stay as they are, and making them consistent changes none of them', async () => {
  const world = await DiskWorld.create({ hasRows: true })
  const query = queryOf(world)
  const survey = await surveyWorld(query, world.change(listTables))
  const before = world.read().rows
  for (const isSnapshot of [true, false]) {
    await writeWorld(readRows(query, survey), isSnapshot)
    const { database } = await stage()
    expect(DiskWorld.readRows(database)).toEqual(withoutMigrations(before))
    await rm(file)
  }
  await world.remove()
})

/** The count of a table that each database has for itself. */
function withoutMigrations(rows: Record<string, unknown[]>): Record<string, unknown[]> {
  const sequence = rows.sqlite_sequence as { name: string }[]
  return { ...rows, sqlite_sequence: sequence.filter(({ name }) => name !== 'd1_migrations') }
}

it('rows that others have changed meanwhile are made consistent', async () => {
  const world = await DiskWorld.create({ hasRows: true })
  const survey = await surveyWorld(queryOf(world), world.change(listTables), 200)
  // Some tables have been read when the user, and everything that belongs to it, is deleted.
  const query = queryOf(world, (queries) => {
    if (queries === 12) world.change((database) => database.exec('delete from users where id = 2'))
  })
  await writeWorld(readRows(query, survey), false)
  const { database, verified } = await stage()
  expect(verified.isSnapshot).toBe(false)
  expect(database.prepare('pragma foreign_key_check').all()).toEqual([])
  const [counts] = database
    .prepare(
      `select (select count(*) from planets) as planets,
        (select coalesce(sum(planets), 0) from planet_counts where span = 64) as counted,
        (select count(*) from bodies) as bodies,
        (select coalesce(sum(bodies), 0) from body_counts where span = 64) as countedBodies,
        (select count(*) from users where id = 2) as deleted,
        (select count(*) from api_keys) as keys`,
    )
    .all()
  expect(counts).toMatchObject({ planets: 1, counted: 1, bodies: 0, countedBodies: 0, deleted: 0, keys: 0 })
  expect(countRows(database).users).toBe(3)
  await world.remove()
})

it('progress is one line of a terminal, a line every ten seconds elsewhere, and nothing if the work is short', () => {
  const show = (isTTY: boolean, stepMs: number) => {
    const written: string[] = []
    let now = 0
    const progress = showProgress('Rows', 1000, { isTTY, write: (text) => written.push(text) }, () => now)
    for (let step = 0; step < 4; step++) {
      now += stepMs
      progress.advance(250)
    }
    progress.end()
    return written
  }
  expect(show(false, 6_000)).toEqual(['Rows: 500 of 1000\n', 'Rows: 1000 of 1000\n'])
  expect(show(true, 200).at(-1)).toBe('\r\x1b[K')
  expect(show(true, 200)[0]).toBe('\r\x1b[KRows: 250 of 1000')
  expect(show(true, 10)).toEqual([])
})

describe('a file with the name of an unfinished export', () => {
  it('is replaced if an export was interrupted', async () => {
    const header = { exportedAt: '2026-11-23T07:00:00.000Z', migrations, dataKeys: [], tables: {} }
    await WorldWriter.create(file, header)
    await writeWorld([])
    expect(await readdir(folder)).toEqual(['world.ndjson'])
  })

  it.each(['', 'my notes', '{"format":"other"}\n'])('stays if it is somebody else’s: %j', async (text) => {
    await writeFile(`${file}.part`, text)
    await expect(writeWorld([])).rejects.toThrow('world.ndjson.part')
    expect(await readFile(`${file}.part`, 'utf8')).toBe(text)
  })
})
