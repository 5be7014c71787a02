import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { ROOT } from './root.ts'

// The API reference of pages: one file of the package @scalar/api-reference, which would bring 272 packages with it.
// The file is in `vendor/`, unchanged. `npm run vendor` renews it.

export const REFERENCE_FOLDER = join(ROOT, 'vendor', 'api-reference')
/** Where the package has the file. */
export const REFERENCE_FILE = 'dist/browser/standalone.js'
export const REFERENCE_COPY = join(REFERENCE_FOLDER, 'standalone.js')

/** Where the file comes from. It is in `source.json` beside the file. */
export interface VendoredSource {
  name: string
  version: string
  /** The SPDX identifier. */
  license: string
  /** The checksum of the packed package, as the registry of npm states it (Subresource Integrity). */
  integrity: string
  /** The SHA-256 of the file, in hexadecimal digits. */
  sha256: string
}

export const REFERENCE_SOURCE = join(REFERENCE_FOLDER, 'source.json')

/** The checksum of a file's content, as `VendoredSource` has it. */
export function sha256Of(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
