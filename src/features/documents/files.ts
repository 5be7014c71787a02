import type { World } from '../../domain/universe.ts'
import type { ApiVersion } from '../../http/api-versions.ts'
import { readBuiltFile } from '../../lib/built-file.ts'

// The files with the OpenAPI and AsyncAPI documents. documents/documents.ts creates their contents, and the build
// (scripts/lib/documents.ts) puts them among the files that the Worker can read.

/** The folder of the documents among the files of the Worker. Clients cannot read it, because no route leads to it. */
const FOLDER = 'documents'

export type Notation = 'json' | 'yaml'

/** The name of the OpenAPI document of a world. */
export function openApiFile(world: World, apiVersion: ApiVersion, notation: Notation): string {
  return `openapi-${world}-${apiVersion}.${notation}`
}

/** The name of the OpenAPI 3.2 document of a world. */
export function openApi32File(world: World, notation: Notation): string {
  return `openapi-3.2-${world}.${notation}`
}

/** The path of the OpenAPI 3.2 document, below the base URL of its world. */
export function openApi32Path(notation: Notation): string {
  return `/openapi-3.2.${notation}`
}

/** The name of the AsyncAPI document. */
export function asyncApiFile(notation: Notation): string {
  return `asyncapi.${notation}`
}

/** The name of the content of the page /docs/events. The runtime would redirect `.html`. */
export const EVENTS_PAGE_FILE = 'events-page.txt'

/** @throws What `readBuiltFile` throws */
export async function readDocument(assets: Fetcher, name: string): Promise<string> {
  return await readBuiltFile(assets, `/${FOLDER}/${name}`)
}
