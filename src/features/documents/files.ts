import type { World } from '../../domain/universe.ts'
import type { ApiVersion } from '../../http/api-versions.ts'
import { readBuiltFile } from '../../lib/built-file.ts'

// The files with the OpenAPI, AsyncAPI and Arazzo documents. documents/documents.ts creates their contents, and the build
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

/** A version of Arazzo: 1.0.1 or 1.1.0. */
export type ArazzoVersion = '1.0' | '1.1'

/** The path of an Arazzo document, below the base URL of its world. */
export function arazzoPath(version: ArazzoVersion, notation: Notation): string {
  return `/arazzo${version === '1.1' ? '-1.1' : ''}.${notation}`
}

/** The name of an Arazzo document. */
export function arazzoFile(version: ArazzoVersion, notation: Notation): string {
  return `arazzo-${version}.${notation}`
}

/** The name of the content of the page /docs/events. The runtime would redirect `.html`. */
export const EVENTS_PAGE_FILE = 'events-page.txt'

/** @throws What `readBuiltFile` throws */
export async function readDocument(assets: Fetcher, name: string): Promise<string> {
  return await readBuiltFile(assets, `/${FOLDER}/${name}`)
}
