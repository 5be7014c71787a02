import type { DatabaseSync } from 'node:sqlite'
import { requireKnown } from './applied-migrations.ts'
import { readMigrations } from './migrations.ts'
import { showProgress } from './progress.ts'
import { BadFile, type Header, readHeader, verifyItems } from './world-file.ts'
import { Staging } from './world-staging.ts'
import { sum } from './world-summary.ts'

export interface Verified {
  header: Header
  /** Whether all rows were read in one transaction. */
  isSnapshot: boolean
  imageCount: number
}

/**
 * Creates the database of a file on this machine, so that the whole file is checked before anything is changed.
 *
 * @throws Error if the file is not complete, or is damaged, or its rows do not fit this version of Galaxy
 */
export async function stageWorld(
  file: string,
  databaseFile: string,
): Promise<{ database: DatabaseSync; verified: Verified }> {
  const header = await readHeader(file)
  await requireKnown(header.migrations, 'The file')
  const staging = await Staging.create(header.migrations, databaseFile)
  const progress = showProgress('Checking rows', sum(Object.values(header.tables)))
  const keys = new Set<unknown>()
  const found = await verifyItems(file, (item) => {
    if ('image' in item) return requireRow(keys, item.image)
    if (item.table === 'images') {
      requireKey(item.row.key)
      keys.add(item.row.key)
    }
    staging.insert(item.table, item.row)
    progress.advance()
  })
  progress.end()
  const names = (await readMigrations()).map(({ name }) => name)
  await staging.end(found.isSnapshot, names.slice(header.migrations.length), new Date())
  return { database: staging.database, verified: { header, ...found } }
}

/** A key becomes part of a path in the platform's API, and must not change which path that is. */
const IMAGE_KEY = /^\w[\w.-]{0,200}$/

/** @throws BadFile if the key of an image could not be one of the service */
function requireKey(key: unknown): void {
  if (typeof key !== 'string' || !IMAGE_KEY.test(key)) {
    throw new BadFile('The file has an image whose key is not valid.')
  }
}

/** @throws BadFile if an image has no row, because nothing would ever remove its object */
function requireRow(keys: ReadonlySet<unknown>, key: string): void {
  if (!keys.has(key)) throw new BadFile('The file has an image that no row names.')
}
