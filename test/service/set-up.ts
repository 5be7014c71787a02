import type { TestProject } from 'vitest/node'
import { freePort, makeStateFolder, startGalaxy } from './galaxy.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A state folder that the first `npm start` has prepared, and nobody has used since. */
    preparedState: string
  }
}

const state = await makeStateFolder()

/** Prepares a database once for all files. The secrets too, which two services would otherwise make at the same time. */
export async function setup(project: TestProject): Promise<void> {
  const galaxy = await startGalaxy(['--port', String(await freePort()), '--persist-to', state.folder])
  await galaxy.stop()
  project.provide('preparedState', state.folder)
}

export const teardown = state.remove
