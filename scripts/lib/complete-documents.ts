import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from './root.ts'

// The complete OpenAPI documents (documents/openapi/edition.ts), with which tests on Node compare responses. Neither the
// Worker nor the package has them. This file imports no code of the Worker, whose types such a test does not know.

type World = 'common' | 'universe'

/** The file with the complete document of a world. Its URLs use the example origin. */
export function completeDocumentFile(world: World): string {
  return join(ROOT, 'dist', 'documents', 'complete', `${world}.json`)
}

export async function readCompleteDocument(world: World): Promise<string> {
  return await readFile(completeDocumentFile(world), 'utf8')
}
