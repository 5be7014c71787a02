import { defineConfig } from '@hey-api/openapi-ts'

// Node runs the generated files as they are, so their imports have to name files.
export default defineConfig({
  input: process.env.DOCUMENT ?? '',
  output: { path: `${process.env.OUTPUT}/hey-api`, module: { extension: '.ts' } },
  logs: { file: false },
})
