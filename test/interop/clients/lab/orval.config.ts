import { defineConfig } from 'orval'

export default defineConfig({
  lab: {
    input: process.env.DOCUMENT ?? '',
    output: {
      target: `${process.env.OUTPUT}/client.ts`,
      client: 'fetch',
      baseUrl: { runtime: 'process.env.LAB_URL' },
      // Otherwise no parameter in a header is a parameter of a function.
      headers: true,
    },
  },
})
