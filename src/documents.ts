import { DOCUMENTED_ROUTES } from './app.ts'
import { describeEvents } from './asyncapi/document.ts'
import type { World } from './domain/universe.ts'
import { asyncApiFile, type Notation, openApiFile } from './features/documents/files.ts'
import { API_VERSIONS, type ApiVersion } from './http/api-versions.ts'
import { describeService } from './openapi/document.ts'
import { printJson } from './openapi/print.ts'
import type { Document } from './openapi/types.ts'
import { writeYaml } from './openapi/write-yaml.ts'

// Every document about the service, made from the declarations of its routes and events. The build writes the documents
// to files, and the Worker reads the files (features/documents). So the Worker does not contain the code of this
// module.

const WORLDS: readonly World[] = ['common', 'universe']

const WRITERS: Readonly<Record<Notation, (document: object) => string>> = { json: printJson, yaml: writeYaml }

/** The OpenAPI document of a world. */
export function describeWorld(world: World, apiVersion: ApiVersion): Document {
  return describeService(DOCUMENTED_ROUTES[world], apiVersion, world)
}

/** A document, and the names of its files. */
export interface DescribedDocument {
  document: object
  /** The name of the file that contains the document in a notation. */
  nameIn(notation: Notation): string
}

/** All documents. Their URLs use the example origin. */
export function describeAll(): DescribedDocument[] {
  const openApiDocuments = WORLDS.flatMap((world) =>
    API_VERSIONS.map((apiVersion) => ({
      document: describeWorld(world, apiVersion),
      nameIn: (notation: Notation) => openApiFile(world, apiVersion, notation),
    })),
  )
  return [...openApiDocuments, { document: describeEvents(), nameIn: asyncApiFile }]
}

/** The text of a document in a notation. */
export function writeDocument(document: object, notation: Notation): string {
  return WRITERS[notation](document)
}
