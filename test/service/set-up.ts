import { cp } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'
import { FOR_MANY_USERS, type Galaxy, makeStateFolder, startGalaxy } from './galaxy.ts'
import { freePort } from './ports.ts'
import { prepareWorld } from './prepare-world.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A state folder as `npm start` prepares it, which no service has used since, with the name of the built Worker. */
    preparedState: string
    /** The service that test files may share. */
    shared: { url: string }
  }
}

const prepared = await makeStateFolder()
const built = await makeStateFolder()
const shared = await makeStateFolder()
let galaxy: Galaxy | undefined

/**
 * Prepares a database once for all test files, and the secrets, which two services would otherwise create at the same
 * time. Builds the Worker once, too. Then starts the service and the browser that test files share.
 */
export async function setup(project: TestProject): Promise<void> {
  await prepareWorld(prepared.folder, built.folder)
  await cp(prepared.folder, shared.folder, { recursive: true })
  const place = ['--port', String(await freePort()), '--persist-to', shared.folder]
  galaxy = await startGalaxy([...place, ...FOR_MANY_USERS, '--var', 'REPORT_CONTACT:mailto:abuse@galaxy.test'])
  project.provide('preparedState', prepared.folder)
  project.provide('shared', { url: galaxy.url })
}

export async function teardown(): Promise<void> {
  await galaxy?.stop()
  await Promise.all([prepared, built, shared].map(({ remove }) => remove()))
}
