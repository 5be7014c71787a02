import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { FOR_MANY_USERS, type Galaxy, makeStateFolder, startGalaxy } from './galaxy.ts'
import { freePort } from './ports.ts'
import { reportPreparation } from './preparation.ts'
import { prepareWorld } from './prepare-world.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The file that says how the preparation ended (preparation.ts). */
    preparation: string
    /**
     * A state folder with a prepared database and the secrets of the clone, which no service has used.
     */
    preparedState: string
    /** The service that test files may share. */
    shared: { url: string }
  }
}

const prepared = await makeStateFolder()
const built = await makeStateFolder()
const shared = await makeStateFolder()
let preparation: Promise<void> | undefined
let galaxy: Galaxy | undefined

/** Begins the preparation. `until-prepared.ts` waits for its end before the tests. */
export async function setup(project: TestProject): Promise<void> {
  const port = await freePort()
  const file = join(built.folder, 'preparation')
  project.provide('preparation', file)
  project.provide('preparedState', prepared.folder)
  project.provide('shared', { url: `http://localhost:${port}` })
  preparation = reportPreparation(file, () => prepare(port))
}

/** Builds the package and prepares a database once for all test files. Then starts the service that test files share. */
async function prepare(port: number): Promise<void> {
  await prepareWorld(prepared.folder)
  await cp(prepared.folder, shared.folder, { recursive: true })
  const place = ['--port', String(port), '--persist-to', shared.folder]
  galaxy = await startGalaxy([...place, ...FOR_MANY_USERS, '--var', 'REPORT_CONTACT:mailto:abuse@galaxy.test'])
}

export async function teardown(): Promise<void> {
  try {
    await preparation
  } finally {
    await galaxy?.stop()
    await Promise.all([prepared, built, shared].map(({ remove }) => remove()))
  }
}
