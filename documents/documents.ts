import { describeCases } from '../laboratory/documents/files.ts'
import { CASE_FILES, type CaseFile } from '../laboratory/files.ts'
import { renderCases } from '../laboratory/pages/cases.tsx'
import { renderLaboratory } from '../laboratory/pages/laboratory.tsx'
import { renderRules } from '../laboratory/pages/rule-texts.tsx'
import { renderBoard } from '../laboratory/pages/scoreboard-files.ts'
import type { Scoreboard } from '../laboratory/scoreboard/results.ts'
import { DOCUMENTED_ROUTES } from '../src/app.ts'
import type { World } from '../src/domain/universe.ts'
import {
  arazzoFile,
  asyncApiFile,
  EVENTS_PAGE_FILE,
  type Notation,
  openApi32File,
  openApi32Path,
  openApiFile,
} from '../src/features/documents/files.ts'
import { RESPONSES_FILE, type ResponseSchemas, reduceResponses } from '../src/features/faults/response-schemas.ts'
import { API_VERSIONS, type ApiVersion, CURRENT_API_VERSION } from '../src/http/api-versions.ts'
import { describeWorkflows } from './arazzo/document.ts'
import { describeEvents } from './asyncapi/document.ts'
import { renderEventsPage } from './events-page/page.tsx'
import { describeGuides } from './guides/guides.tsx'
import { describeService } from './openapi/document.ts'
import type { Edition } from './openapi/edition.ts'
import { printJson } from './openapi/print.ts'
import type { Document } from './openapi/types.ts'
import { withSelf } from './openapi/v3-2/document.ts'
import { writeYaml } from './openapi/write-yaml.ts'

// Every document about the service, made from the declarations of its routes and events. The build writes the documents
// to files, and the Worker reads those that it serves (features/documents). So the Worker does not contain the code of
// this module.

const WORLDS: readonly World[] = ['common', 'universe']

const WRITERS: Readonly<Record<Notation, (document: object) => string>> = { json: printJson, yaml: writeYaml }

/** The published OpenAPI document of a world. */
export function describeWorld(world: World, apiVersion: ApiVersion): Document {
  return describe({ world, apiVersion, openApi: '3.1', detail: 'published' })
}

/** The OpenAPI 3.2 document of a world, which is about the current API version. */
export function describeIn32(world: World, notation: Notation): Document {
  const document = describe({ world, apiVersion: CURRENT_API_VERSION, openApi: '3.2', detail: 'published' })
  return withSelf(document, openApi32Path(notation))
}

/** The complete OpenAPI document of a world, with which tests compare responses. */
export function describeCompletely(
  world: World,
  apiVersion: ApiVersion,
  openApi: Edition['openApi'] = '3.1',
): Document {
  return describe({ world, apiVersion, openApi, detail: 'complete' })
}

function describe(edition: Edition): Document {
  return describeService(DOCUMENTED_ROUTES[edition.world], edition)
}

/** A document in each notation, and the names of its files. */
export interface DescribedDocument {
  documentIn(notation: Notation): object
  /** The name of the file that contains the document in a notation. */
  nameIn(notation: Notation): string
}

/** All documents that the service serves. Their URLs use the example origin. */
export function describeAll(): DescribedDocument[] {
  const openApiDocuments = WORLDS.flatMap((world) =>
    API_VERSIONS.map((apiVersion) => ({
      documentIn: () => describeWorld(world, apiVersion),
      nameIn: (notation: Notation) => openApiFile(world, apiVersion, notation),
    })),
  )
  const newerDocuments = WORLDS.map((world) => ({
    documentIn: (notation: Notation) => describeIn32(world, notation),
    nameIn: (notation: Notation) => openApi32File(world, notation),
  }))
  const events = { documentIn: () => describeEvents('published'), nameIn: asyncApiFile }
  const workflows = (['1.0', '1.1'] as const).map((version) => ({
    documentIn: (notation: Notation) => describeWorkflows(version, notation),
    nameIn: (notation: Notation) => arazzoFile(version, notation),
  }))
  return [...openApiDocuments, ...newerDocuments, events, ...workflows]
}

/** The contents of pages about the service. */
export function describePages(): CaseFile[] {
  return [{ name: EVENTS_PAGE_FILE, text: renderEventsPage(describeEvents('published')) }]
}

/**
 * The files of the laboratory: what is judged, by which rules, the catalogue, and the documents in parts; and what faults
 * can break in answers.
 */
export function describeLaboratory(): CaseFile[] {
  return [
    ...describeCases(writeYaml),
    renderRules(),
    { name: RESPONSES_FILE, text: JSON.stringify(describeResponses()) },
  ]
}

/** The file with the page of the laboratory. @param guide docs/lab.md, of which it shows programs */
export function describeLaboratoryPage(guide: string, scoreboard: Scoreboard): CaseFile {
  return { name: CASE_FILES.page, text: renderLaboratory(guide, scoreboard) }
}

/** @param pages The pages of docs/ as Markdown, by name without extension. @throws Error if one cannot be a guide */
export function describeAllGuides(pages: ReadonlyMap<string, string>): CaseFile[] {
  return describeGuides(pages)
}

/** @throws Error if the evidence of a cause did not fail by it */
export function describeScoreboard(scoreboard: Scoreboard): CaseFile[] {
  return [...renderBoard(scoreboard), ...renderCases(scoreboard)]
}

function describeResponses(): ResponseSchemas {
  // OpenAPI 3.1 says of each answer no less than 3.2, and a validator finds fewer causes of one fault with it.
  const [older, newer] = (['3.1', '3.2'] as const).map((openApi) =>
    reduceResponses(describeCompletely('common', CURRENT_API_VERSION, openApi)),
  )
  return {
    operations: { ...newer?.operations, ...older?.operations },
    components: { ...newer?.components, ...older?.components },
  }
}

/** The complete OpenAPI document of each world, in the current API version. */
export function describeAllCompletely(): { world: World; document: Document }[] {
  return WORLDS.map((world) => ({ world, document: describeCompletely(world, CURRENT_API_VERSION) }))
}

export function writeDocument(document: object, notation: Notation): string {
  return WRITERS[notation](document)
}
