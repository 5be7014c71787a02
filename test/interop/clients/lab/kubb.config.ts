import { defineConfig } from '@kubb/core'
import { pluginClient } from '@kubb/plugin-client'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'

export default defineConfig({
  root: '.',
  input: { path: process.env.DOCUMENT ?? '' },
  // Node runs the generated files as they are, so their imports have to name files.
  output: { path: process.env.OUTPUT ?? '', clean: true, extension: { '.ts': '.ts' }, format: false, lint: false },
  plugins: [
    pluginOas({ generators: [] }),
    pluginTs(),
    // With the status and the headers of responses.
    pluginClient({ client: process.env.CLIENT === 'fetch' ? 'fetch' : 'axios', dataReturnType: 'full' }),
  ],
})
