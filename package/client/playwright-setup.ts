import { startGalaxy } from './index.ts'

/** A `globalSetup` of Playwright: one server for a run, that of `GALAXY_URL` or a new one. */
export default async function setup(): Promise<() => Promise<void>> {
  const given = process.env.GALAXY_URL
  const galaxy = await startGalaxy()
  // Playwright passes variables of the environment on to its workers.
  process.env.GALAXY_URL = galaxy.url
  return async () => {
    if (!given) delete process.env.GALAXY_URL
    await galaxy.stop()
  }
}
