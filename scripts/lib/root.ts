import { join } from 'node:path'

/** The root of the project, or of the package. */
export const ROOT = join(import.meta.dirname, '..', '..')
