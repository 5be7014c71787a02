import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../scripts/lib/root.ts'
import { buildWorker } from './build-worker.ts'
import { workerFile } from './galaxy.ts'

const run = promisify(execFile)

/** Prepares a state folder as `npm start` does, and builds the Worker that `startGalaxy` serves on it. */
export async function prepareWorld(stateFolder: string, workerFolder: string): Promise<void> {
  await run(process.execPath, [join(ROOT, 'scripts', 'prepare-database.ts'), stateFolder])
  await writeFile(workerFile(stateFolder), JSON.stringify(await buildWorker(workerFolder)))
}
