import { createRequire } from 'node:module'

/** Loads a package of this folder. */
export const requireTool = createRequire(import.meta.url)
