// Makes sure that a stop ends wrangler too.
import './stop.ts'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { makeOwnFolder, readArgumentsOr } from './command.ts'
import { confirm } from './confirm.ts'
import { describeLocation } from './data-location.ts'
import { showProgress } from './progress.ts'
import { runCommand } from './run-command.ts'
import { IMPORT_USAGE, readWorldArguments } from './world-arguments.ts'
import { readImages } from './world-file.ts'
import { forEach, openImages } from './world-images.ts'
import { stageWorld, type Verified } from './world-loading.ts'
import { countPresent } from './world-present.ts'
import { IN_USE, importSql, keepImagesSql } from './world-sql.ts'
import { countRows } from './world-staging.ts'
import { describeCounts, formatNumber } from './world-summary.ts'
import { queryAll, runWrangler } from './wrangler.ts'

// npm run import -- FILE [--replace] [--yes] [--remote --env NAME | --local [--persist-to DIR]]
// Replaces the common world by the one in a file: first the images of the bucket, then all rows of the database at
// once. If the command is interrupted, the rows are as before, and repeating the command begins anew.

const { file, replaces, isConfirmed, location } = readArgumentsOr(IMPORT_USAGE, () =>
  readWorldArguments('import', process.argv.slice(2), process.stdin.isTTY),
)

await runCommand(importWorld)

async function importWorld(): Promise<void> {
  const folder = await makeOwnFolder()
  const { database, verified } = await stageWorld(file, join(folder, 'world.sqlite'))
  const present = await countPresent((sql) => queryAll(sql, location.target))
  if (present && !replaces) {
    throw new Error(`${describeLocation(location)} has ${describeCounts(present)}. To replace them, add --replace.`)
  }
  if (!(await mayImport(database, verified, present))) throw new Error('Nothing was imported.')
  if (replaces) await queryAll(keepImagesSql(new Date()), location.target)
  await writeImages(verified.imageCount, folder)
  await writeRows(database, join(folder, 'world.sql'))
  console.log(`${describeLocation(location)} has ${describeCounts(countRows(database))}.`)
}

async function mayImport(
  database: DatabaseSync,
  { header, isSnapshot, imageCount }: Verified,
  present: Record<string, number> | undefined,
): Promise<boolean> {
  const { exportedAt, dataKeys } = header
  console.log(`The file was exported at ${exportedAt}. It has ${describeCounts(countRows(database))}.`)
  const lost = Number(database.prepare('select count(*) as n from images').get()?.n) - imageCount
  if (lost > 0) console.log(`It lacks ${formatNumber(lost)} of the images.`)
  if (!isSnapshot) console.log('Its rows were not read at one moment. They were made consistent.')
  if (dataKeys.length > 0) console.log(`The service needs the keys ${dataKeys.join(', ')} of DATA_KEY for its secrets.`)
  const calls = describeCalls(database)
  if (calls) console.log(calls)
  if (present) {
    console.log(`${describeLocation(location)} has ${describeCounts(present)}. They will be removed for good.`)
    console.log(
      'Tokens of the removed users stay valid for up to an hour, each for the imported user with the same id.',
    )
  }
  return isConfirmed || (await confirm(`Import it to ${describeLocation(location)}?`))
}

/** How many calls the service will send, in words. */
function describeCalls(database: DatabaseSync): string | undefined {
  const { subscriptions, callbacks } = database
    .prepare(
      `select (select count(*) from webhooks where status = 'active') as subscriptions,
        (select count(*) from deliveries where status = 'pending') as callbacks`,
    )
    .get() as { subscriptions: number; callbacks: number }
  if (subscriptions + callbacks === 0) return undefined
  return `The service will send ${formatNumber(callbacks)} pending callbacks, and events to ${formatNumber(subscriptions)} subscriptions.`
}

/** If this is interrupted, the bucket has objects that nothing shows, and the next import writes them again. */
async function writeImages(count: number, folder: string): Promise<void> {
  const store = await openImages(location, folder)
  const progress = showProgress('Images', count)
  await forEach(readImages(file), store.atATime, async ({ image, type, base64 }) => {
    await store.put(image, type, Buffer.from(base64, 'base64'))
    progress.advance()
  })
  progress.end()
}

async function writeRows(database: DatabaseSync, sqlFile: string): Promise<void> {
  await pipeline(Readable.from(importSql(database, replaces)), createWriteStream(sqlFile, { mode: 0o600 }))
  console.log('Writing the rows …')
  await runWrangler(['d1', 'execute', 'DB', '--yes', '--file', sqlFile, ...location.target]).catch((error) => {
    if (!IN_USE.test(error.message)) throw error
    throw new Error(
      'Somebody signed up during the import, so no row was imported. To replace the existing data, add --replace.',
    )
  })
}
