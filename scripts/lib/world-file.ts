import { createHash } from 'node:crypto'
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises'
import type { Row } from './wrangler.ts'

// The file of an export: newline-delimited JSON. The first line says what it is, and the last one says that it is
// complete. Only one line at a time is in memory.

const FORMAT = 'galaxy-world'
/** Increased if an older version of this code could not read the lines. */
const VERSION = 1
/** More than any line has: an image of the largest size in base64. */
const LINE_MAX_BYTES = 64 * 1024 * 1024
const NEWLINE = 10
/** The lines that are written together have about this many characters. */
const BATCH_LENGTH = 256 * 1024

/** The first line. */
export interface Header {
  format: typeof FORMAT
  version: number
  exportedAt: string
  migrations: string[]
  /** The versions of the keys of DATA_KEY that are needed to decrypt what is stored. */
  dataKeys: string[]
  /** How many rows each table had before they were read. */
  tables: Record<string, number>
}

/** A line between the first and the last one. */
export type Item =
  | { table: string; row: Row }
  /** An object of the bucket. It comes after all rows. */
  | { image: string; type: string; base64: string }

/** The last line. */
interface End {
  end: {
    /** How many lines are before it. */
    lines: number
    /** The hash of these lines, with their ends. */
    sha256: string
    /** Whether all rows were read in one transaction. */
    isSnapshot: boolean
  }
}

/** The file is not an export, or is not complete. The message says which. */
export class BadFile extends Error {}

/** Writes an export, readable by its owner alone. Until it is complete, it has a temporary name. */
export class WorldWriter {
  readonly #path: string
  readonly #handle: FileHandle
  readonly #hash = createHash('sha256')
  #lines = 0
  #waiting: string[] = []
  #waitingLength = 0

  private constructor(path: string, handle: FileHandle) {
    this.#path = path
    this.#handle = handle
  }

  /** @throws Error if a file is in the way that is not that of an interrupted export */
  static async create(path: string, header: Omit<Header, 'format' | 'version'>): Promise<WorldWriter> {
    if (await isPart(partOf(path))) await rm(partOf(path))
    const writer = new WorldWriter(path, await open(partOf(path), 'wx', 0o600))
    await writer.#writeLine({ format: FORMAT, version: VERSION, ...header })
    // From now on, the file says what it is.
    await writer.#flush()
    return writer
  }

  async write(item: Item): Promise<void> {
    await this.#writeLine(item)
  }

  async end(isSnapshot: boolean): Promise<void> {
    await this.#flush()
    const end: End = { end: { lines: this.#lines, sha256: this.#hash.digest('hex'), isSnapshot } }
    await this.#handle.writeFile(`${JSON.stringify(end)}\n`)
    await this.#handle.sync()
    await this.#handle.close()
    await rename(partOf(this.#path), this.#path)
  }

  async #writeLine(value: object): Promise<void> {
    const line = `${JSON.stringify(value)}\n`
    this.#lines += 1
    this.#waiting.push(line)
    this.#waitingLength += line.length
    if (this.#waitingLength > BATCH_LENGTH) await this.#flush()
  }

  async #flush(): Promise<void> {
    const text = this.#waiting.join('')
    this.#waiting = []
    this.#waitingLength = 0
    this.#hash.update(text)
    await this.#handle.writeFile(text)
  }
}

/** The name of a file that is not complete. */
const partOf = (path: string) => `${path}.part`

/** Whether a file is the beginning of an export. */
async function isPart(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  if (!found?.isFile()) return false
  const header = await readHeader(path).catch(() => undefined)
  return header !== undefined
}

/** Whether a header has every member, and texts that are safe to print. The file may come from somebody else. */
function isValidHeader({ exportedAt, migrations, dataKeys, tables }: Partial<Header>): boolean {
  const areTexts = (list: unknown, form: RegExp) =>
    Array.isArray(list) && list.every((text) => typeof text === 'string' && form.test(text))
  return (
    areTexts([exportedAt], /^[\d:.TZ-]{1,40}$/) &&
    areTexts(migrations, /^[\w.-]{1,200}$/) &&
    areTexts(dataKeys, /^\w{1,20}$/) &&
    typeof tables === 'object' &&
    tables !== null &&
    Object.values(tables).every(Number.isSafeInteger)
  )
}

/** Reads the first line of a file. @throws BadFile if it is not an export, or has another version */
export async function readHeader(path: string): Promise<Header> {
  for await (const line of readLines(path)) {
    const header = parseLine(line, 1) as Header
    if (header.format !== FORMAT) break
    if (header.version === VERSION && isValidHeader(header)) return header
    if (header.version === VERSION) break
    throw new BadFile(
      `The file has version ${header.version} of the format, but this command reads version ${VERSION}.`,
    )
  }
  throw new BadFile(NOT_AN_EXPORT)
}

/**
 * Reads a file except its first line, and verifies that the whole file is complete and unchanged.
 *
 * @param take Gets each row and each image, before it is known whether the rest of the file is damaged
 * @returns Whether all rows were read in one transaction, and how many images there are
 * @throws BadFile
 */
export async function verifyItems(
  path: string,
  take: (item: Item) => void,
): Promise<{ isSnapshot: boolean; imageCount: number }> {
  const hash = createHash('sha256')
  let end: End['end'] | undefined
  let lines = 0
  let imageCount = 0
  for await (const line of readLines(path)) {
    if (end) throw new BadFile('The file continues after the line that should be its last one.')
    const value = parseLine(line, lines + 1)
    if ('end' in value) {
      end = (value as End).end
      continue
    }
    hash.update(line).update('\n')
    lines += 1
    if ('image' in value) imageCount += 1
    const isHeader = lines === 1
    if (!isHeader) take(value as Item)
  }
  if (!end) throw new BadFile('The file is not complete: its last line is missing.')
  if (end.lines !== lines || end.sha256 !== hash.digest('hex')) {
    throw new BadFile('The file is damaged: its last line does not match the others.')
  }
  return { isSnapshot: end.isSnapshot, imageCount }
}

/** The images of a file that was verified. */
export async function* readImages(path: string): AsyncGenerator<Extract<Item, { image: string }>> {
  let number = 0
  for await (const line of readLines(path)) {
    number += 1
    if (!line.subarray(0, IMAGE_START.length).equals(IMAGE_START)) continue
    yield parseLine(line, number) as Extract<Item, { image: string }>
  }
}

/** How the lines of images begin, so that the lines of rows need not be parsed. */
const IMAGE_START = Buffer.from('{"image":')

function parseLine(line: Buffer, number: number): object {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'))
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // The message of the parser would show what is in the file.
  }
  throw new BadFile(number === 1 ? NOT_AN_EXPORT : `Line ${number} of the file is not valid.`)
}

const NOT_AN_EXPORT = 'The file is not an export of Galaxy.'

/** The lines of a file, without their ends. A last line without an end counts, too. */
async function* readLines(path: string): AsyncGenerator<Buffer> {
  const handle = await open(path)
  try {
    let parts: Buffer[] = []
    let length = 0
    for await (const chunk of handle.createReadStream({ autoClose: false, highWaterMark: 1024 * 1024 })) {
      let rest: Buffer = chunk
      for (let at = rest.indexOf(NEWLINE); at >= 0; at = rest.indexOf(NEWLINE)) {
        yield Buffer.concat([...parts, rest.subarray(0, at)])
        parts = []
        length = 0
        rest = rest.subarray(at + 1)
      }
      parts.push(rest)
      length += rest.length
      if (length > LINE_MAX_BYTES) throw new BadFile(NOT_AN_EXPORT)
    }
    if (length > 0) yield Buffer.concat(parts)
  } finally {
    await handle.close()
  }
}
