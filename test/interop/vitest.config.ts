import { defineConfig } from 'vitest/config'

// The clients that generators make, in other languages. They have a configuration of their own, because they need nothing
// but a running service, and the machine to themselves: compilers use every core.

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*/*.test.ts'],
    globalSetup: ['set-up.ts'],
    // A compiler without a cache takes minutes.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    maxWorkers: 2,
  },
})
