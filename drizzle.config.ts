import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/db/tables.ts',
  out: './migrations',
  // wrangler splits a migration into its statements itself.
  breakpoints: false,
})
