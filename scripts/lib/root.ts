import { join } from 'node:path'

/** The root of the project, or of the package. */
export const ROOT = join(import.meta.dirname, '..', '..')

/** What `npm pack` builds for the package (build-package.ts). */
export const BUILT = join(ROOT, 'dist', 'package')
