import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

// The preparation of the tests on Node runs while the Workers runtimes start, because the start of a runtime leaves a
// core unused. The tests run in other processes, so a file tells them that the preparation has ended.

const POLL_MS = 50
/** Much longer than the preparation takes on a busy machine. */
const TIMEOUT_MS = 180_000

/** Runs the preparation, and writes to a file how it ended. @throws Error of the file system */
export async function reportPreparation(file: string, prepare: () => Promise<void>): Promise<void> {
  const error = await prepare().then(
    () => '',
    (reason) => (reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)),
  )
  // Nobody may read the file before it is complete.
  await writeFile(`${file}.new`, error)
  await rename(`${file}.new`, file)
}

/** Waits until the preparation has ended. @throws Error if it failed */
export async function untilPrepared(file: string): Promise<void> {
  const end = performance.now() + TIMEOUT_MS
  while (!existsSync(file)) {
    if (performance.now() > end) throw new Error('The preparation of the tests on Node has not ended in time.')
    await sleep(POLL_MS)
  }
  const error = await readFile(file, 'utf8')
  if (error !== '') throw new Error(`The tests on Node could not be prepared: ${error}`)
}
