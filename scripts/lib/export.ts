// Makes sure that a stop ends wrangler too.
import './stop.ts'
import { existsSync } from 'node:fs'
import { readAppliedMigrations } from './applied-migrations.ts'
import { makeOwnFolder, readArgumentsOr } from './command.ts'
import { confirm } from './confirm.ts'
import { describeLocation } from './data-location.ts'
import { showProgress } from './progress.ts'
import { runCommand } from './run-command.ts'
import { EXPORT_USAGE, readWorldArguments } from './world-arguments.ts'
import { WorldWriter } from './world-file.ts'
import { forEach, openImages } from './world-images.ts'
import { type QueryAll, readRows, type Survey, surveyWorld } from './world-reader.ts'
import { describeCounts, formatNumber, sum } from './world-summary.ts'
import { listTables, makeDatabase } from './world-tables.ts'
import { queryAll } from './wrangler.ts'

// npm run export -- FILE [--yes] [--remote --env NAME | --local [--persist-to DIR]]
// Writes the common world to a file: the rows of the database, and the images of the bucket. It changes nothing.

const { file, isConfirmed, location } = readArgumentsOr(EXPORT_USAGE, () =>
  readWorldArguments('export', process.argv.slice(2), process.stdin.isTTY),
)
const query: QueryAll = (sql) => queryAll(sql, location.target)
type ImageRow = { key: string; type: string }

await runCommand(exportWorld)

async function exportWorld(): Promise<void> {
  if (existsSync(file)) throw new Error(`${file} exists. Name another file, or remove it.`)
  const migrations = await readAppliedMigrations(query)
  const survey = await surveyWorld(query, listTables(await makeDatabase(migrations)))
  if (!(await mayExport(survey))) throw new Error('Nothing was exported.')
  const { dataKeys, counts: tables } = survey
  const exportedAt = new Date().toISOString()
  const writer = await WorldWriter.create(file, { exportedAt, migrations, dataKeys, tables })
  const { rows, images } = await writeRows(writer, survey)
  const lost = await writeImages(writer, images)
  // Each query is a transaction.
  const isSnapshot = survey.queries.length === 1
  await writer.end(isSnapshot)
  console.log(`${file} has ${formatNumber(rows)} rows and ${formatNumber(images.length - lost.length)} images.`)
  for (const key of lost) console.log(`Image ${key} is not in the bucket.`)
}

async function mayExport({ counts, queries, dataKeys }: Survey): Promise<boolean> {
  console.log(`${describeLocation(location)} has ${describeCounts(counts)}. Universes are not exported.`)
  if (queries.length > 1) {
    console.log(`The rows are read in ${queries.length} steps. What is written meanwhile may be missing.`)
  }
  console.log('The file will contain e-mail addresses, hashes of passwords and encrypted secrets, so keep it safe.')
  if (dataKeys.length > 0) console.log(`To use the secrets, you need the keys ${dataKeys.join(', ')} of DATA_KEY.`)
  return isConfirmed || (await confirm(`Export to ${file}?`))
}

async function writeRows(writer: WorldWriter, survey: Survey): Promise<{ rows: number; images: ImageRow[] }> {
  const progress = showProgress('Rows', sum(Object.values(survey.counts)))
  const images: ImageRow[] = []
  let rows = 0
  for await (const item of readRows(query, survey)) {
    await writer.write(item)
    const { key, mime_type: type } = item.row
    if (item.table === 'images') images.push({ key: String(key), type: String(type) })
    rows += 1
    progress.advance()
  }
  progress.end()
  return { rows, images }
}

/** @returns The keys of images that have no object: an upload that failed leaves such a row for an hour */
async function writeImages(writer: WorldWriter, images: readonly ImageRow[]): Promise<string[]> {
  const store = await openImages(location, await makeOwnFolder())
  const progress = showProgress('Images', images.length)
  const lost: string[] = []
  await forEach(images, store.atATime, async ({ key, type }) => {
    const bytes = await store.get(key)
    if (bytes) await writer.write({ image: key, type, base64: bytes.toString('base64') })
    else lost.push(key)
    progress.advance()
  })
  progress.end()
  return lost
}
