import { execFile } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { ROOT } from '../../scripts/lib/wrangler.ts'
import { FOR_MANY_USERS, freePort, type Galaxy, makeStateFolder, startGalaxy } from './galaxy.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A state folder as `npm start` prepares it, which no service has used since. */
    preparedState: string
    /** The service that test files may share. */
    shared: { url: string }
  }
}

const run = promisify(execFile)

const prepared = await makeStateFolder()
const shared = await makeStateFolder()
let galaxy: Galaxy | undefined

/**
 * Prepares a database once for all test files, and the secrets, which two services would otherwise create at the same
 * time. Then starts the service that test files share.
 */
export async function setup(project: TestProject): Promise<void> {
  await run(process.execPath, [join(ROOT, 'scripts', 'prepare-database.ts'), prepared.folder])
  await cp(prepared.folder, shared.folder, { recursive: true })
  const place = ['--port', String(await freePort()), '--persist-to', shared.folder]
  galaxy = await startGalaxy([...place, ...FOR_MANY_USERS])
  project.provide('preparedState', prepared.folder)
  project.provide('shared', { url: galaxy.url })
}

export async function teardown(): Promise<void> {
  await galaxy?.stop()
  await Promise.all([prepared.remove(), shared.remove()])
}
