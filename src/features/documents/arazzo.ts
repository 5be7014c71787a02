import { doc } from '#doc'
import { atOrigin } from '../../domain/example-origin.ts'
import { CURRENT_API_VERSION } from '../../http/api-versions.ts'
import type { Route } from '../../http/pipeline/route.ts'
import { type ArazzoVersion, arazzoFile, arazzoPath, type Notation } from './files.ts'
import { generatedRoute } from './generated.ts'

interface ArazzoFile {
  version: ArazzoVersion
  notation: Notation
  operationId: string
}

const FILES: readonly ArazzoFile[] = [
  { version: '1.0', notation: 'json', operationId: 'getArazzoJson' },
  { version: '1.0', notation: 'yaml', operationId: 'getArazzoYaml' },
  { version: '1.1', notation: 'json', operationId: 'getNewerArazzoJson' },
  { version: '1.1', notation: 'yaml', operationId: 'getNewerArazzoYaml' },
]

const DESCRIPTIONS: Readonly<Record<ArazzoVersion, string>> = {
  '1.0': doc(
    'Returns workflows over this API in Arazzo 1.0.1: what a client does, step by step, with what each response must say. They refer to the OpenAPI 3.1 document.',
  ),
  '1.1': doc(
    'Returns workflows over this API in Arazzo 1.1.0. They refer to the OpenAPI 3.2 and AsyncAPI documents, so they can also send QUERY and COPY, and receive events.',
  ),
}

export const arazzoRoutes: readonly Route[] = FILES.map(({ version, notation, operationId }) =>
  generatedRoute(
    {
      path: arazzoPath(version, notation),
      operationId,
      summary: `Get the Arazzo ${version} document as ${notation.toUpperCase()}`,
      description: DESCRIPTIONS[version],
      title: 'The Arazzo document',
      mediaType: `application/${notation}`,
      component: notation === 'json' ? 'ArazzoJson' : 'ArazzoYaml',
      apiVersion: CURRENT_API_VERSION,
    },
    { fileNameOf: () => arazzoFile(version, notation), writeUrls: atOrigin },
  ),
)
