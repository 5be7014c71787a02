import { test as base, inject } from 'vitest'
import { connectGalaxy, type Galaxy } from './index.ts'
import type { Universe } from './universe.ts'

/**
 * The `test` of vitest, with these fixtures. `galaxy/vitest/setup` must be a `globalSetup` of the configuration.
 *
 * - `universe`: a universe for the tests of a file. It is reset after each test that uses it, whether the test passed
 *   or failed.
 * - `galaxy`: the server, which makes further universes. Tests that run at the same time in one file need one each.
 */
export const test = base.extend<{
  $worker: { galaxy: Galaxy }
  $file: { universeOfFile: Universe }
  $test: { universe: Universe }
}>({
  galaxy: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures it uses
    async ({}, use) => {
      await using galaxy = await connect()
      await use(galaxy)
    },
    { scope: 'worker' },
  ],
  universeOfFile: [
    // Before version 5, a fixture of a file cannot use one of a worker.
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, use) => {
      await using galaxy = await connect()
      await using universe = await galaxy.makeUniverse()
      await use(universe)
    },
    { scope: 'file' },
  ],
  universe: async ({ universeOfFile }, use) => {
    await use(universeOfFile)
    await universeOfFile.reset()
  },
})

async function connect(): Promise<Galaxy> {
  const url = inject('galaxyUrl')
  if (!url) throw new Error("vitest has no server: add globalSetup: 'galaxy/vitest/setup' to its configuration")
  return await connectGalaxy(url)
}
