import { defineConfig } from 'orval'

export default defineConfig({
  galaxy: {
    input: process.env.DOCUMENT ?? '',
    output: {
      target: `${process.env.OUTPUT}/orval/client.ts`,
      client: 'fetch',
      baseUrl: { runtime: 'process.env.GALAXY_URL' },
    },
  },
})
