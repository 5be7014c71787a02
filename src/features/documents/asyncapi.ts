import { doc } from '#doc'
import { CURRENT_API_VERSION } from '../../http/api-versions.ts'
import type { Route } from '../../http/pipeline/route.ts'
import { eventDocumentAt } from './event-servers.ts'
import { asyncApiFile, type Notation } from './files.ts'
import { type GeneratedFile, generatedRoute } from './generated.ts'

/** The members that the JSON file and the YAML file have in common. */
const SHARED = {
  description: doc(
    'Returns the AsyncAPI 3.0 description of the events that this service sends over WebSocket. It is generated from the code that sends them.',
  ),
  title: 'The AsyncAPI document',
  // Events have no API versions, so `API-Version` does not choose between documents.
  apiVersion: CURRENT_API_VERSION,
} as const

interface AsyncApiFile extends GeneratedFile {
  notation: Notation
}

const FILES: readonly AsyncApiFile[] = [
  {
    ...SHARED,
    path: '/asyncapi.json',
    operationId: 'getAsyncApiJson',
    summary: 'Get the AsyncAPI document as JSON',
    mediaType: 'application/json',
    component: 'AsyncApiJson',
    notation: 'json',
  },
  {
    ...SHARED,
    path: '/asyncapi.yaml',
    operationId: 'getAsyncApiYaml',
    summary: 'Get the AsyncAPI document as YAML',
    mediaType: 'application/yaml',
    component: 'AsyncApiYaml',
    notation: 'yaml',
  },
]

export const asyncApiRoutes: readonly Route[] = FILES.map(({ notation, ...file }) =>
  generatedRoute(file, { fileNameOf: () => asyncApiFile(notation), writeUrls: eventDocumentAt }),
)
