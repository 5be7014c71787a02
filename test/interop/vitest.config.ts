import { defineConfig } from 'vitest/config'
import { isInstalled, LANGUAGE_NAMES } from './languages.ts'

// Clients, importers and parsers of others. They have a configuration of their own, because they need packages that
// `npm ci` does not install, nothing but a running service, and the machine to themselves: compilers use every core.

/** The folders that `run.ts` has chosen; without it, all. */
const chosen = process.env.INTEROP_FOLDERS?.split(',') ?? LANGUAGE_NAMES
const wanted = LANGUAGE_NAMES.filter((name) => chosen.includes(name))
const tested = wanted.filter(isInstalled)
if (tested.length < wanted.length) {
  const others = wanted.filter((name) => !isInstalled(name))
  const hint = `Not tested, because not installed (npm run interop:install): ${others.join(', ')}.`
  if (process.env.CI === 'true') throw new Error(hint)
  console.warn(`\n*** ${hint} ***\n`)
}

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: tested.map((name) => `${name}/*.test.ts`),
    passWithNoTests: tested.length === 0,
    globalSetup: tested.length > 0 ? ['set-up.ts'] : [],
    // A compiler without a cache takes minutes.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
  },
})
