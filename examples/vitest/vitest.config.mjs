import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: 'galaxy/vitest/setup',
    // These tests mostly wait for responses, so more files can run at once than there are processors.
    maxWorkers: 4,
  },
})
