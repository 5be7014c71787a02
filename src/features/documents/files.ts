import type { World } from '../../domain/universe.ts'
import type { ApiVersion } from '../../http/api-versions.ts'
import { readBuiltFile } from '../../lib/built-file.ts'

// The documents as src/documents.ts writes them: files that the Worker reads. The build puts them there
// (scripts/lib/documents.ts).

/** The folder of the documents among the files of the Worker. No path of the service leads to it. */
const FOLDER = 'documents'

/** How a document is written. */
export type Notation = 'json' | 'yaml'

/** The name of the OpenAPI document of a world. */
export function openApiFile(world: World, apiVersion: ApiVersion, notation: Notation): string {
  return `openapi-${world}-${apiVersion}.${notation}`
}

/** The name of the AsyncAPI document. */
export function asyncApiFile(notation: Notation): string {
  return `asyncapi.${notation}`
}

/** Reads a document. @throws What `readBuiltFile` throws */
export async function readDocument(assets: Fetcher, name: string): Promise<string> {
  return await readBuiltFile(assets, `/${FOLDER}/${name}`)
}
