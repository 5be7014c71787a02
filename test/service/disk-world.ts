import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { readMigrations } from '../../scripts/lib/migrations.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { listTables } from '../../scripts/lib/world-tables.ts'
import { LATER_NAME, LATER_SQL } from '../support/later-migration.ts'
import { ROWS_OF_EVERY_KIND } from '../support/rows-of-every-kind.ts'
import { BUSY_MS, CALLS, DATABASE, HANGING, OBJECTS } from './wrangler-on-disk.ts'

const run = promisify(execFile)
const STAND_IN = join(import.meta.dirname, 'wrangler-on-disk.ts')

export interface Outcome {
  code: number
  output: string
}

/** A database and a bucket that the commands reach by a stand-in for wrangler. */
export class DiskWorld {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  /** @param hasRows Whether it has rows of every kind */
  static async create({ hasRows = false } = {}): Promise<DiskWorld> {
    const world = new DiskWorld(await mkdtemp(join(tmpdir(), 'galaxy-world-test-')))
    await mkdir(join(world.folder, OBJECTS))
    const migrations = await readMigrations()
    world.change((database) => {
      database.exec('create table d1_migrations (id integer primary key autoincrement, name text unique)')
      for (const { name, sql } of migrations) {
        database.exec(`begin; ${sql}; insert into d1_migrations (name) values ('${name}'); commit`)
        if (!hasRows) continue
        for (const statement of ROWS_OF_EVERY_KIND[name.replace('.sql', '')] ?? []) database.exec(statement)
      }
    })
    return world
  }

  change<Result>(work: (database: DatabaseSync) => Result): Result {
    // A command that was killed may still hold the database for a moment.
    const database = new DatabaseSync(join(this.folder, DATABASE), { timeout: BUSY_MS })
    // Nothing has to survive a failure of the machine.
    database.exec('pragma synchronous = off')
    try {
      return work(database)
    } finally {
      database.close()
    }
  }

  /** Runs SQL. @returns The rows */
  query(sql: string): Record<string, unknown>[] {
    return this.change((database) => database.prepare(sql).all())
  }

  /** All rows of a database, by their tables. */
  static readRows(database: DatabaseSync): Record<string, unknown[]> {
    const entries = listTables(database).map(({ name }) => {
      const statement = database.prepare(`select * from "${name}" order by 1, 2`)
      statement.setReadBigInts(true)
      return [name, statement.all().map((row) => ({ ...row }))]
    })
    return Object.fromEntries(entries)
  }

  /** All rows, by their tables, and the texts of everything in the schema. */
  read(): { rows: Record<string, unknown[]>; schema: unknown[] } {
    return this.change((database) => ({ rows: DiskWorld.readRows(database), schema: readSchema(database) }))
  }

  /** Applies the migration that comes after those of the project. */
  migrateLater(): void {
    this.change((database) => {
      database.exec(`begin; ${LATER_SQL}; insert into d1_migrations (name) values ('${LATER_NAME}.sql'); commit`)
    })
  }

  async putObject(key: string, bytes: Uint8Array | string): Promise<void> {
    await writeFile(join(this.folder, OBJECTS, key), bytes)
  }

  async getObject(key: string): Promise<Buffer> {
    return await readFile(join(this.folder, OBJECTS, key))
  }

  /** Runs a command of `scripts/` on this world. */
  async run(command: string, ...args: string[]): Promise<Outcome> {
    return await this.runIn(ROOT, command, ...args)
  }

  /** Runs a command of another project on this world. */
  async runIn(root: string, command: string, ...args: string[]): Promise<Outcome> {
    return await run(process.execPath, ['scripts/run.cjs', command, ...args], { cwd: root, env: this.#env() }).then(
      ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
    )
  }

  /**
   * Runs a command, and ends it when a step of the stand-in hangs. If it is killed, the stand-in is killed, too.
   *
   * @returns Its exit code
   */
  async interrupt(
    signal: 'SIGKILL' | 'SIGTERM',
    step: 'get' | 'put' | 'execute',
    command: string,
    ...args: string[]
  ): Promise<number | null> {
    const child = spawn(process.execPath, ['scripts/run.cjs', command, ...args], {
      cwd: ROOT,
      env: { ...this.#env(), STAND_IN_HANGS: step },
      stdio: 'ignore',
    })
    const exited = new Promise((resolve) => child.on('exit', resolve))
    const hanging = join(this.folder, HANGING)
    let pid = ''
    while (pid === '' && child.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      pid = await readFile(hanging, 'utf8').catch(() => '')
    }
    // Without its id, the whole group would be killed, this test included.
    if (pid === '') throw new Error(`${command} ended with ${child.exitCode} before the step ${step}`)
    child.kill(signal)
    await exited
    if (signal === 'SIGKILL') process.kill(Number(pid), 'SIGKILL')
    await rm(hanging)
    return child.exitCode
  }

  /** What the stand-in was asked, in order. */
  async calls(): Promise<string[]> {
    const text = await readFile(join(this.folder, CALLS), 'utf8').catch(() => '')
    return text.split('\n').filter((line) => line !== '')
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true })
  }

  #env(): NodeJS.ProcessEnv {
    // What a killed command leaves behind is removed with the world.
    return { ...process.env, GALAXY_WRANGLER: STAND_IN, STAND_IN_WORLD: this.folder, TMPDIR: this.folder }
  }
}

function readSchema(database: DatabaseSync): unknown[] {
  const rows = database.prepare('select type, name, sql from sqlite_master order by type, name').all()
  return rows.map((row) => ({ ...row }))
}
