import type { TestProject } from 'vitest/node'
import { startGalaxy } from './index.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The base URL of the server of this run. */
    galaxyUrl: string
  }
}

/** A `globalSetup` of vitest: one server for a run, that of `GALAXY_URL` or a new one. In watch mode, it stays. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const galaxy = await startGalaxy()
  project.provide('galaxyUrl', galaxy.url)
  return galaxy.stop
}
