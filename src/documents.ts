import { DOCUMENTED_ROUTES } from './app.ts'
import { describeEvents } from './asyncapi/document.ts'
import type { World } from './domain/universe.ts'
import { asyncApiFile, type Notation, openApiFile } from './features/documents/files.ts'
import { API_VERSIONS, type ApiVersion, CURRENT_API_VERSION } from './http/api-versions.ts'
import { describeService } from './openapi/document.ts'
import type { Edition } from './openapi/edition.ts'
import { printJson } from './openapi/print.ts'
import type { Document } from './openapi/types.ts'
import { writeYaml } from './openapi/write-yaml.ts'

// Every document about the service, made from the declarations of its routes and events. The build writes the documents
// to files, and the Worker reads those that it serves (features/documents). So the Worker does not contain the code of
// this module.

const WORLDS: readonly World[] = ['common', 'universe']

const WRITERS: Readonly<Record<Notation, (document: object) => string>> = { json: printJson, yaml: writeYaml }

/** The published OpenAPI document of a world. */
export function describeWorld(world: World, apiVersion: ApiVersion): Document {
  return describe({ world, apiVersion, detail: 'published' })
}

/** The complete OpenAPI document of a world, with which tests compare responses. */
export function describeCompletely(world: World, apiVersion: ApiVersion): Document {
  return describe({ world, apiVersion, detail: 'complete' })
}

function describe(edition: Edition): Document {
  return describeService(DOCUMENTED_ROUTES[edition.world], edition)
}

/** A document, and the names of its files. */
export interface DescribedDocument {
  document: object
  /** The name of the file that contains the document in a notation. */
  nameIn(notation: Notation): string
}

/** All documents that the service serves. Their URLs use the example origin. */
export function describeAll(): DescribedDocument[] {
  const openApiDocuments = WORLDS.flatMap((world) =>
    API_VERSIONS.map((apiVersion) => ({
      document: describeWorld(world, apiVersion),
      nameIn: (notation: Notation) => openApiFile(world, apiVersion, notation),
    })),
  )
  return [...openApiDocuments, { document: describeEvents('published'), nameIn: asyncApiFile }]
}

/** The complete OpenAPI document of each world, in the current API version. */
export function describeAllCompletely(): { world: World; document: Document }[] {
  return WORLDS.map((world) => ({ world, document: describeCompletely(world, CURRENT_API_VERSION) }))
}

/** The text of a document in a notation. */
export function writeDocument(document: object, notation: Notation): string {
  return WRITERS[notation](document)
}
