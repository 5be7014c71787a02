import { createDatabase, type Drizzle } from './client.ts'

/** Builds statements that write, and queries beside them. They run only with `write` (changes/write.ts). */
export const build: Drizzle = createDatabase({
  prepare: () => Object.create(null),
  batch: () => Promise.reject(new Error('a query cannot run while it is built')),
})
