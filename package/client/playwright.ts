import { test as base } from '@playwright/test'
import { connectGalaxy, type Galaxy } from './index.ts'
import type { Universe } from './universe.ts'

// biome-ignore lint/performance/noBarrelFile: tests import both from one place, as from @playwright/test
export { expect } from '@playwright/test'

/**
 * The `test` of Playwright, with these fixtures. `galaxy/playwright/setup` must be the `globalSetup` of the
 * configuration.
 *
 * - `universe`: the universe of a worker. It is reset after each test, whether the test passed or failed.
 * - `galaxy`: the server, which makes further universes.
 * - `baseURL` is the address of the universe with a slash at its end. So URLs have no slash at the beginning:
 *   `page.goto('planets/1')`.
 */
export const test = base.extend<{ universe: Universe }, { galaxy: Galaxy; universeOfWorker: Universe }>({
  galaxy: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures it uses
    async ({}, use) => {
      const url = process.env.GALAXY_URL
      if (!url) throw new Error("There is no server: add globalSetup: 'galaxy/playwright/setup' to the configuration")
      await using galaxy = await connectGalaxy(url)
      await use(galaxy)
    },
    { scope: 'worker' },
  ],
  universeOfWorker: [
    async ({ galaxy }, use) => {
      await using universe = await galaxy.makeUniverse()
      await use(universe)
    },
    { scope: 'worker' },
  ],
  universe: async ({ universeOfWorker }, use) => {
    await use(universeOfWorker)
    await universeOfWorker.reset()
  },
  baseURL: async ({ universe }, use) => use(`${universe.url}/`),
})
