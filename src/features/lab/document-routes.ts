import * as z from 'zod'
import { doc } from '#doc'
import { BENCH_PLACEHOLDER, SELF_NAME } from '../../../laboratory/files.ts'
import { atOrigin } from '../../domain/example-origin.ts'
import { ProblemError } from '../../domain/problems.ts'
import {
  isRepresentationWanted,
  makeLastingValidators,
  tagContent,
  type Validators,
  validatorHeaders,
} from '../../http/conditions.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { FileBody, reply, WrittenBody } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { writeYaml } from '../../lib/yaml.ts'
import { readCaseFile, readLaboratory } from './case-files.ts'
import { caseRoute } from './case-route.tsx'
import { LabCatalogue } from './catalogue-schema.ts'
import { labPage } from './lab-page.tsx'
import { findUnknown, type Selection, selectCases } from './select-cases.ts'

const JSON_FORMAT = 'json'

/** The file in JSON that says the same, from which a selection is made. */
const JSON_OF = { json: 'json', yaml: 'json', json30: 'json30', json32: 'json32', yaml32: 'json32' } as const

interface CaseDocument {
  /** Its name below a bench. */
  name: string
  file: keyof typeof JSON_OF
  mediaType: string
  version: string
  /** The end of the ids of its operations. */
  id: string
  notation: string
  /** The name of the response component for 200, which it shares with the other OpenAPI documents. */
  component: string
}

/** The response that all documents share. */
const UNCHANGED = {
  component: 'OpenApiUnchanged',
  description: doc('The document has not changed'),
  headers: ['ETag'],
} as const

/** Registry: the documents of each bench. */
const DOCUMENTS: readonly CaseDocument[] = [
  {
    name: 'openapi.json',
    file: 'json',
    mediaType: 'application/json',
    version: '3.1',
    id: 'OpenApiJson',
    notation: 'JSON',
    component: 'OpenApiJson',
  },
  {
    name: 'openapi.yaml',
    file: 'yaml',
    mediaType: 'application/yaml',
    version: '3.1',
    id: 'OpenApiYaml',
    notation: 'YAML',
    component: 'OpenApiYaml',
  },
  {
    name: 'openapi-3.0.json',
    file: 'json30',
    mediaType: 'application/json',
    version: '3.0',
    id: 'OlderOpenApiJson',
    notation: 'JSON',
    component: 'OpenApiJson',
  },
  {
    name: 'openapi-3.2.json',
    file: 'json32',
    mediaType: 'application/json',
    version: '3.2',
    id: 'NewerOpenApiJson',
    notation: 'JSON',
    component: 'OpenApiJson',
  },
  {
    name: 'openapi-3.2.yaml',
    file: 'yaml32',
    mediaType: 'application/yaml',
    version: '3.2',
    id: 'NewerOpenApiYaml',
    notation: 'YAML',
    component: 'OpenApiYaml',
  },
]

/** Maximum length of a selection: all ids, and more. */
const SELECTION_MAX = 8192

const names = z.string().max(SELECTION_MAX, `must have at most ${SELECTION_MAX} characters`)
const SelectionQuery = z.object({
  only: names
    .meta({
      description: doc('Ids of cases and groups (`query/*`), separated by commas: only these'),
      examples: ['query/*'],
    })
    .optional(),
  without: names
    .meta({
      description: doc('Ids of cases and groups that are left out, also if `only` names them'),
      examples: ['query/deep-nested'],
    })
    .optional(),
})

export interface Bench {
  /** The path of the documents, such as `/lab/runs/{runId}`. */
  path: string
  /** The beginning of the ids of their operations. */
  id: string
  /** How summaries name it, after a space; empty if they need not. */
  title: string
  params?: z.ZodType
  /** Whether whoever knows the path may use the bench. */
  isSecret?: true
  /**
   * The path of the bench in the world of a request.
   *
   * @throws ProblemError if there is no such bench
   */
  locate(params: unknown, context: RequestContext): string | Promise<string>
}

/** A document that was sent last, which most callers want. */
interface SentDocument {
  key: string
  content: string
  validators: Validators
}

/** Creates the routes of the documents of a bench: the cases, with this bench as the only server. */
export function caseDocumentRoutes(bench: Bench): readonly Route[] {
  return DOCUMENTS.map((document) => caseDocumentRoute(document, bench))
}

function caseDocumentRoute(document: CaseDocument, bench: Bench): Route {
  let last: SentDocument | undefined
  return defineRoute({
    method: 'get',
    path: `${bench.path}/${document.name}`,
    operationId: bench.id + document.id,
    tag: 'Laboratory',
    summary: `Get the cases${bench.title} as OpenAPI ${document.version} in ${document.notation}`,
    description: doc(`Returns the OpenAPI ${document.version} document of the cases. Its only server is the bench.`),
    since: '2.0.0',
    security: [],
    ...(bench.params && { params: bench.params }),
    ...(bench.isSecret && { isSecret: bench.isSecret }),
    query: SelectionQuery,
    responses: {
      200: {
        component: document.component,
        description: doc('The OpenAPI document'),
        files: [document.mediaType],
        headers: ['ETag'],
      },
      304: UNCHANGED,
    },
    problems: ['precondition-failed'],
    async handle({ params, query }, context) {
      const { baseUrl, headers, now } = context
      const url = baseUrl + (await bench.locate(params, context))
      const key = JSON.stringify([baseUrl, url, query.only, query.without])
      if (last?.key !== key) last = { key, ...(await writeDocument(document, url, query, context)) }
      const { content, validators } = last
      const sentHeaders = validatorHeaders(validators)
      if (!isRepresentationWanted(headers, validators, now)) return reply(304, undefined, sentHeaders)
      return reply(200, new FileBody(document.mediaType, content), sentHeaders)
    },
  })
}

/** @throws ProblemError 400 if the selection names something that is not there */
async function writeDocument(
  { file, version, notation }: CaseDocument,
  url: string,
  selection: Selection,
  { baseUrl, services }: RequestContext,
): Promise<Omit<SentDocument, 'key'>> {
  const { assets } = services
  const { cases } = await readLaboratory(assets)
  const ids = cases.map(({ id }) => id)
  const faults = findUnknown(ids, selection)
  if (faults.length > 0) throw new ProblemError('invalid-query', 'There are no such cases.', { faults })
  const isWhole = selection.only === undefined && selection.without === undefined
  const text = isWhole ? await readCaseFile(assets, file) : await writeSelected(file, notation, selection, assets)
  const content = atOrigin(text, baseUrl).replaceAll(BENCH_PLACEHOLDER, () => url)
  return { content, validators: makeLastingValidators({ etag: await tagContent(content, version) }) }
}

/** Some of the cases. In YAML, they come from the document in JSON. */
async function writeSelected(
  file: CaseDocument['file'],
  notation: string,
  selection: Selection,
  assets: Fetcher,
): Promise<string> {
  const document = selectCases(await readCaseFile(assets, JSON_OF[file]), selection)
  const text = notation === 'YAML' ? writeYaml(document) : `${JSON.stringify(document, null, 2)}\n`
  return nameSelection(text, selection)
}

/** Where the document in OpenAPI 3.2 names itself: its `$self`, and references that begin with it. */
const SELF = new RegExp(`(?<=/self/|")${SELF_NAME}(?=["#])`, 'g')

/** Each selection is a document of its own, so the name that a document has for itself has the query. */
function nameSelection(text: string, { only, without }: Selection): string {
  const query = Object.entries({ only, without }).flatMap(([name, ids]) => (ids === undefined ? [] : `${name}=${ids}`))
  return text.replaceAll(SELF, (name) => `${name}?${query.join('&')}`)
}

const getCases = defineRoute({
  method: 'get',
  path: '/lab/cases',
  operationId: 'getLabCases',
  tag: 'Laboratory',
  summary: 'Get the cases of the laboratory',
  description: doc(
    'Returns all cases: their operations, what to send, the form that we would send, and the section of a specification that decides them.',
  ),
  since: '2.0.0',
  formats: [JSON_FORMAT],
  security: [],
  responses: {
    200: { description: doc('The cases'), schema: LabCatalogue, headers: ['ETag'] },
    304: UNCHANGED,
  },
  problems: ['precondition-failed'],
  async handle(_, { headers, services, now }) {
    const content = new TextEncoder().encode(await readCaseFile(services.assets, 'catalogue'))
    const validators = makeLastingValidators({ etag: await tagContent(content, JSON_FORMAT) })
    const sentHeaders = validatorHeaders(validators)
    if (!isRepresentationWanted(headers, validators, now)) return reply(304, undefined, sentHeaders)
    return reply(200, new WrittenBody<LabCatalogue>(JSON_FORMAT, content), sentHeaders)
  },
})

const locate = () => '/lab/try'

/** The page, the catalogue, its cases, and the documents of the bench that keeps nothing, which are also at `/lab`. */
export const caseRoutes: readonly Route[] = [
  labPage,
  getCases,
  caseRoute,
  ...caseDocumentRoutes({ path: '/lab', id: 'getLab', title: '', locate }),
  ...caseDocumentRoutes({ path: '/lab/try', id: 'getLabTry', title: ' of /lab/try', locate }),
]
