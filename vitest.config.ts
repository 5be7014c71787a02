import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { buildBrowser } from './scripts/lib/browser-files.ts'
import { makeDataKey, makeSigningKeys } from './scripts/lib/local-secrets.ts'
import { writePlanetsSql } from './scripts/lib/planets-sql.ts'
import { readShippedPlanets } from './scripts/lib/shipped-planets.ts'

// The Worker imports the list of the files that pages load.
await buildBrowser()

const planets = readShippedPlanets()

/** What a test may take from `inject()`: the database as `npm start` would make it. */
const database = {
  migrations: await readD1Migrations('migrations'),
  planetsSql: writePlanetsSql(planets),
  shipped: planets.length,
}

export default defineConfig({
  test: {
    projects: [
      {
        // Functions, stores and the app, in the runtime that serves them, with its own D1 and R2.
        plugins: [
          cloudflareTest({
            main: './src/index.ts',
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: { SIGNING_KEYS: makeSigningKeys(), DATA_KEY: makeDataKey('1'), PASSWORD_ITERATIONS: '10' },
            },
          }),
        ],
        test: {
          name: 'worker',
          include: ['test/worker/**/*.test.ts'],
          setupFiles: ['test/support/database.ts'],
          // What takes a second alone can take many on a busy machine.
          testTimeout: 20_000,
          maxWorkers: 2,
          // The code keeps nothing outside of what is passed in, and what is stored is emptied for each file (setupFiles).
          isolate: false,
          sequence: { groupOrder: 0 },
          provide: { database },
        },
      },
      {
        // The commands that a user types, on Node.
        test: {
          name: 'service',
          include: ['test/service/**/*.test.ts'],
          globalSetup: ['test/service/set-up.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // More than cores, because each file also waits. Files that need a service of their own start one, the others share one.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    coverage: {
      provider: 'istanbul',
      include: ['src/**'],
      reporter: ['text'],
    },
  },
})
