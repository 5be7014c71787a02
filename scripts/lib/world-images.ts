import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bucketOf, type DataLocation } from './data-location.ts'
import { runWrangler } from './wrangler.ts'

// The objects of images. wrangler reads and writes them as files.

/**
 * How many objects are read or written at a time. On this machine only one, because only one process may use the local
 * files at a time.
 */
const AT_A_TIME = { remote: 4, local: 1 }

export interface ImageStore {
  /** @returns Undefined if there is no such object */
  get(key: string): Promise<Buffer | undefined>
  put(key: string, type: string, bytes: Buffer): Promise<void>
  atATime: number
}

/** @param folder A folder for temporary files */
export async function openImages(location: DataLocation, folder: string): Promise<ImageStore> {
  const bucket = await bucketOf(location)
  let files = 0
  /** A new temporary file. Its name does not contain the key, because the key may come from an untrusted file. */
  const nextFile = () => join(folder, `image-${++files}`)
  const object = (verb: string, key: string, file: string, ...more: string[]) =>
    runWrangler(['r2', 'object', verb, `${bucket}/${key}`, '--file', file, ...more, ...location.target])
  return {
    atATime: location.environment === undefined ? AT_A_TIME.local : AT_A_TIME.remote,
    async get(key) {
      const file = nextFile()
      try {
        await object('get', key, file)
        return await readFile(file)
      } catch (error) {
        if (error instanceof Error && error.message.includes('The specified key does not exist')) return undefined
        throw error
      } finally {
        await rm(file, { force: true })
      }
    },
    async put(key, type, bytes) {
      const file = nextFile()
      await writeFile(file, bytes, { mode: 0o600 })
      await object('put', key, file, `--content-type=${type}`)
      await rm(file)
    },
  }
}

/** Works on items, a few at a time. */
export async function forEach<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  atATime: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let group: Item[] = []
  for await (const item of items) {
    group.push(item)
    if (group.length < atATime) continue
    await Promise.all(group.map(work))
    group = []
  }
  await Promise.all(group.map(work))
}
