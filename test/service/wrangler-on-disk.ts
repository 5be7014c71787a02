import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

// What runs in the place of wrangler if `GALAXY_WRANGLER` names this file: a database that is a file, and a bucket that
// is a folder. It takes a tenth of wrangler's time.

/** The files of a world, in its folder. */
export const DATABASE = 'db.sqlite'
export const OBJECTS = 'objects'
/** How long a statement waits for another process that holds the database. */
export const BUSY_MS = 10_000
/** Every command line, in order. */
export const CALLS = 'calls'
/** Written when the command of `STAND_IN_HANGS` hangs, with its process id. */
export const HANGING = 'hanging'

const folder = process.env.STAND_IN_WORLD
if (folder !== undefined) main(folder, process.argv.slice(2))

function main(world: string, args: string[]): void {
  const line = args.join(' ')
  appendFileSync(join(world, CALLS), `${line.replaceAll('\n', ' ')}\n`)
  const [command, name = ''] = [args.slice(0, 3).join(' '), args[3] ?? '']
  const object = join(world, OBJECTS, name.replace(/^[^/]*\//, ''))
  if (command === 'd1 execute DB' && args.includes('--json')) query(world, readOption(args, '--command'))
  else if (command === 'd1 execute DB') execute(world, readOption(args, '--file'))
  else if (command === 'r2 object get') getObject(world, object, readOption(args, '--file'))
  else if (command === 'r2 object put') putObject(world, object, readOption(args, '--file'))
  else fail(`Unknown command: ${line}`)
}

function readOption(args: string[], option: string): string {
  return args[args.indexOf(option) + 1] ?? ''
}

/** All statements are one transaction, as in D1. */
function inTransaction<Result>(world: string, work: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(join(world, DATABASE), { timeout: BUSY_MS })
  database.exec('begin')
  try {
    const result = work(database)
    database.exec('commit')
    return result
  } catch (error) {
    fail(`${error instanceof Error ? error.message : error}: SQLITE_ERROR`)
  }
}

function query(world: string, sql: string): void {
  const statements = sql.split(';\n').filter((statement) => statement.trim() !== '')
  const results = inTransaction(world, (database) =>
    statements.map((statement) => ({ results: database.prepare(statement).all(), success: true })),
  )
  console.log(JSON.stringify(results))
}

function execute(world: string, file: string): void {
  inTransaction(world, (database) => {
    database.exec(readFileSync(file, 'utf8'))
    hangIf(world, 'execute')
  })
}

function getObject(world: string, object: string, file: string): void {
  hangIf(world, 'get')
  if (!existsSync(object)) fail('The specified key does not exist.')
  copyFileSync(object, file)
}

function putObject(world: string, object: string, file: string): void {
  hangIf(world, 'put')
  mkdirSync(join(world, OBJECTS), { recursive: true })
  copyFileSync(file, object)
}

/** Waits for ever, if the test says so. */
function hangIf(world: string, step: string): void {
  if (process.env.STAND_IN_HANGS !== step) return
  writeFileSync(join(world, HANGING), String(process.pid))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

function fail(message: string): never {
  console.error(`✘ [ERROR] ${message}`)
  process.exit(1)
}
