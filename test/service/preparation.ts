import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

// The preparation of the tests on Node runs while those in the Workers runtime begin, which leave a core unused then. A file
// says that it has ended, because the tests run in other processes.

const POLL_MS = 50

/** Runs the preparation, and writes to a file how it ended. Never rejects. */
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
  while (!existsSync(file)) await sleep(POLL_MS)
  const error = await readFile(file, 'utf8')
  if (error !== '') throw new Error(`The tests on Node could not be prepared: ${error}`)
}
