import { execFile } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ensureLocalSecrets } from '../../scripts/lib/local-secrets.ts'
import { BUILT, ROOT } from '../../scripts/lib/root.ts'

const run = promisify(execFile)

/**
 * Builds the package, of which `startGalaxy` runs the command, and prepares a state folder for it: with the database of
 * the package, and the secrets of the clone, so that `npm start` can use the folder too.
 */
export async function prepareWorld(stateFolder: string): Promise<void> {
  await run(process.execPath, [join(ROOT, 'scripts', 'run.cjs'), 'pack'])
  await ensureLocalSecrets(ROOT)
  await cp(join(BUILT, 'state'), stateFolder, { recursive: true })
  await cp(join(ROOT, '.dev.vars'), join(stateFolder, '.dev.vars'))
}
