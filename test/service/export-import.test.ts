import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readMigrations } from '../../scripts/lib/migrations.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { readWorldArguments } from '../../scripts/lib/world-arguments.ts'
import { IN_USE, importSql } from '../../scripts/lib/world-sql.ts'
import { makeDatabase } from '../../scripts/lib/world-tables.ts'
import { DiskWorld, type Outcome } from './disk-world.ts'
import { makeLaterProject } from './later-project.ts'

// `npm run export` and `npm run import`, with a stand-in for wrangler. What a file must be is in world-file.test.ts.

const IMAGE = 'image-of-arrakis'
const BYTES = Uint8Array.from({ length: 256 }, (_, index) => index)

let source: DiskWorld
let target: DiskWorld
/** The export of the source. */
let file: string
let exporting: Outcome
let later: Awaited<ReturnType<typeof makeLaterProject>>

beforeAll(async () => {
  later = await makeLaterProject()
  source = await DiskWorld.create({ hasRows: true })
  storeAwkwardRows(source)
  await source.putObject(IMAGE, BYTES)
  file = join(source.folder, 'world.ndjson')
  exporting = await source.run('export', file, '--yes')
})

afterAll(async () => {
  await source.remove()
  await later.remove()
})

beforeEach(async () => {
  target = await DiskWorld.create()
})

afterEach(() => target.remove())

/** Values that are easily changed on the way. */
function storeAwkwardRows(world: DiskWorld): void {
  world.change((database) => {
    const text = `Ω😀'"\\n\n\r\u2028`
    const properties = JSON.stringify({ name: 'Big', type: 'terrestrial', description: text.repeat(6_000) })
    database
      .prepare(
        // An id whose bit, the last of 64, makes a number that JavaScript would round.
        'insert into planets (id, creator_id, last_updated, properties, lists_satellites) values (6015, 2, 1, ?, 0)',
      )
      .run(properties)
    database.prepare('update attempts set response = ? where id = 1').run(`a\0b; select 1;\n--${text}`)
    database.exec(`
      update deliveries set ended_at = 1760000000000.5 where id = 1;
      update webhooks set secret = '2.iv.text';
      update kept_replies set reply = '1.iv.text' where claim is null;
      -- An id that was used and is free again.
      insert into inboxes (id, status, body, created_at, expires_at, network, last_used_at) values ('i', 200, '', 1, 1, 'n', 1);
      insert into inbox_requests (id, inbox_id, received_at, request) values (900, 'i', 1, '{}');
      delete from inboxes where id = 'i'`)
  })
}

const importWorld = (...options: string[]) => target.run('import', file, '--yes', ...options)

/** The commands with which something was changed. */
const changesOf = async (world: DiskWorld) => (await world.calls()).filter((call) => !call.includes('--json'))

describe('an export', () => {
  it('is a file of lines that only its owner can read', async () => {
    expect(exporting.code).toBe(0)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
    const [header, ...items] = lines.map((line) => JSON.parse(line))
    expect(header).toMatchObject({ format: 'galaxy-world', version: 1, dataKeys: ['1', '2'] })
    expect(items.filter(({ table }) => table === 'users').map(({ row }) => row.email)).toContain('Marc@example.com')
    expect(items.at(-2)).toEqual({ image: IMAGE, type: 'image/png', base64: Buffer.from(BYTES).toString('base64') })
    expect(items.at(-1)).toMatchObject({ end: { lines: lines.length - 1, isSnapshot: true } })
  })

  it('says what the world has, and shows nothing that is secret', () => {
    expect(exporting.output).toContain('4 users, 3 planets, 3 other celestial bodies, 2 images and')
    expect(exporting.output).toContain('Universes are not exported.')
    expect(exporting.output).toContain('you need the keys 1, 2 of DATA_KEY')
    expect(exporting.output).toContain('Image image-of-nothing is not in the bucket.')
    expect(exporting.output).not.toMatch(/sealed|hash-of|@|pbkdf2/)
  })

  it('changes nothing', async () => {
    expect((await changesOf(source)).every((call) => call.startsWith('r2 object get '))).toBe(true)
  })

  it('overwrites no file, and leaves none if it fails', async () => {
    expect(await source.run('export', file, '--yes')).toMatchObject({
      code: 1,
      output: expect.stringContaining('world.ndjson exists.'),
    })
    target.change((database) => database.exec('delete from d1_migrations'))
    const other = join(target.folder, 'world.ndjson')
    expect(await target.run('export', other, '--yes')).toMatchObject({
      code: 1,
      output: expect.stringContaining('no migrations were applied'),
    })
    await expect(stat(other)).rejects.toThrow('ENOENT')
  })
})

describe('an import into an empty database', () => {
  it('gives the same world: every row of every table, and the images', async () => {
    const { code, output } = await importWorld()
    expect(code).toBe(0)
    const [before, after] = [source.read(), target.read()]
    expect(Object.entries(before.rows).filter(([, rows]) => rows.length === 0)).toEqual([])
    expect(after.rows).toEqual(before.rows)
    expect(after.schema).toEqual(before.schema)
    expect(Uint8Array.from(await target.getObject(IMAGE))).toEqual(BYTES)
    expect(target.query('pragma integrity_check')).toMatchObject([{ integrity_check: 'ok' }])
    expect(output).toContain('It lacks 1 of the images.')
    expect(output).toContain('needs the keys 1, 2 of DATA_KEY')
    expect(output).toContain('send 1 pending callbacks, and events to 1 subscriptions')
    expect(output).not.toMatch(/sealed|hash-of|@|pbkdf2/)
  })

  it('brings the rows of an older version up to date', async () => {
    const old = await DiskWorld.create({ hasRows: true })
    const oldFile = join(old.folder, 'world.ndjson')
    expect(await old.run('export', oldFile, '--yes')).toMatchObject({ code: 0 })
    target.migrateLater()
    expect(await target.runIn(later.root, 'import', oldFile, '--yes')).toMatchObject({ code: 0 })
    old.migrateLater()
    expect(target.read()).toEqual(old.read())
    await old.remove()
  })
})

describe('an import changes nothing', () => {
  async function expectRefused(message: RegExp, path = file, root = ROOT): Promise<void> {
    const before = target.read()
    const outcome = await target.runIn(root, 'import', path, '--yes')
    expect(outcome).toMatchObject({ code: 1, output: expect.stringMatching(message) })
    expect(target.read()).toEqual(before)
    expect(await changesOf(target)).toEqual([])
  }

  it('if the file is damaged', async () => {
    const damaged = join(target.folder, 'damaged')
    await writeFile(damaged, (await readFile(file, 'utf8')).replace('Arrakis', 'Caladan'))
    await expectRefused(/damaged/, damaged)
    expect(await target.calls()).toEqual([])
  })

  it('if the database lacks migrations', async () => {
    await expectRefused(/lacks the migration 9999_later.sql/, file, later.root)
  })

  it('if the database has migrations that this version does not know', async () => {
    target.migrateLater()
    await expectRefused(/has the migration 9999_later.sql, which this version of Galaxy does not know/)
  })

  it.each([
    ['an account', `insert into users (id, name, created_at) values (9, 'Duncan', 1)`, 'has 1 users'],
    [
      'something without an account',
      `insert into inboxes (id, status, body, created_at, expires_at, network, last_used_at) values ('i', 200, '', 1, 1, 'n', 1)`,
      'has 0 users',
    ],
  ])('if the database has %s, and says what it has', async (_, sql, message) => {
    target.change((database) => database.exec(sql))
    await expectRefused(new RegExp(`${message}, 0 planets, .* To replace them, add --replace`))
  })

  it('if somebody signs up while the images are written', async () => {
    const before = target.read().rows
    const sql = [...importSql(await makeDatabase((await readMigrations()).map(({ name }) => name)), false)].join('')
    target.change((database) => database.exec(`insert into users (id, name, created_at) values (9, 'Duncan', 1)`))
    expect(() => target.change((database) => database.exec(`begin; ${sql}; commit`))).toThrow(IN_USE)
    expect(target.read().rows).toEqual({
      ...before,
      users: [expect.objectContaining({ id: 9n })],
      sqlite_sequence: expect.anything(),
    })
  })
})

it('replaces a world if it is told to, but not its universes, and lets the service remove its images', async () => {
  target.change((database) =>
    database.exec(`insert into users (id, name, created_at) values (2, 'Duncan', 1), (9, 'Gurney', 1);
      insert into images (key, mime_type, file_size, uploaded_at, url) values ('old', 'image/png', 1, 1, ''), ('${IMAGE}', 'image/png', 1, 1, '');
      insert into universes (id, seed, created_at, due_at) values ('mine', 'blank', 1, 1)`),
  )
  const outcome = await importWorld('--replace')
  const removed = 'has 2 users, 0 planets, 0 other celestial bodies, 2 images'
  expect(outcome).toMatchObject({ code: 0, output: expect.stringContaining(removed) })
  const { images, ...rows } = target.read().rows
  const { images: expected, ...others } = source.read().rows
  expect(rows).toEqual(others)
  expect(images).toEqual(expect.arrayContaining(expected ?? []))
  const old = target.query(`select key, orphaned_at from images where key not like 'image-%'`)
  expect(old).toEqual([{ key: 'old', orphaned_at: 0 }])
  expect(target.query('select id from universes')).toEqual([{ id: 'mine' }])
})

describe('an import that is killed', () => {
  it.each(['put', 'execute'] as const)('in the step %s changes no row, and can be repeated', async (step) => {
    const before = target.read()
    await target.interrupt('SIGKILL', step, 'import', file, '--yes')
    expect(target.read()).toEqual(before)
    expect(await importWorld()).toMatchObject({ code: 0 })
    expect(target.read().rows).toEqual(source.read().rows)
    expect(Uint8Array.from(await target.getObject(IMAGE))).toEqual(BYTES)
  })
})

it('an import that is stopped has failed, ends wrangler, and leaves no temporary folder', async () => {
  expect(await target.interrupt('SIGTERM', 'execute', 'import', file, '--yes')).toBe(1)
  expect((await readdir(target.folder)).filter((name) => name.startsWith('galaxy-'))).toEqual([])
  // The stand-in no longer holds the database.
  expect(target.query('select count(*) as n from users')).toEqual([{ n: 0 }])
  target.change((database) => database.exec(`insert into users (id, name, created_at) values (1, 'Galaxy', 1)`))
})

it('an export that is killed leaves no file that looks complete, and can be repeated', async () => {
  const path = join(target.folder, 'world.ndjson')
  await source.interrupt('SIGKILL', 'get', 'export', path, '--yes')
  await expect(stat(path)).rejects.toThrow('ENOENT')
  expect(await source.run('export', path, '--yes')).toMatchObject({ code: 0 })
  expect(await target.run('import', path, '--yes')).toMatchObject({ code: 0 })
  await rm(path)
})

describe('arguments', () => {
  const read = (...args: string[]) => readWorldArguments('import', args, true)

  it('name a location, which is this machine by default', () => {
    expect(read('a').location).toEqual({ environment: undefined, target: ['--local'] })
    expect(read('a', '--persist-to', '/b').location.target).toEqual(['--local', '--persist-to', '/b'])
    const remote = ['--remote', '--env', 'staging']
    expect(read('a', ...remote).location).toEqual({ environment: 'staging', target: remote })
  })

  it('are refused if one is missing or not valid', () => {
    expect(() => read()).toThrow('one file')
    expect(() => read('a', 'b')).toThrow('one file')
    expect(() => read('a', '--remote')).toThrow('--remote requires --env')
    expect(() => read('a', '--env', 'staging')).toThrow('--env requires --remote')
    expect(() => read('a', '--remote', '--env', 'staging', '--local')).toThrow('cannot be combined with --local')
    expect(() => read('a', '--force')).toThrow('--force')
  })

  it('must confirm if nobody can be asked', async () => {
    expect(() => readWorldArguments('export', ['a'], false)).toThrow('--yes is required')
    expect(() => readWorldArguments('export', ['a', '--replace'], true)).toThrow('--replace')
    const outcome = await target.run('export', 'a')
    expect(outcome).toMatchObject({ code: 2, output: expect.stringContaining('Usage: npm run export') })
  })
})
