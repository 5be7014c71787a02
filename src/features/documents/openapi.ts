import { atOrigin } from '../../domain/example-origin.ts'
import type { World } from '../../domain/universe.ts'
import { CURRENT_API_VERSION } from '../../http/api-versions.ts'
import type { Route } from '../../http/pipeline/route.ts'
import { type Notation, openApi32File, openApi32Path, openApiFile } from './files.ts'
import { type GeneratedFile, generatedRoute } from './generated.ts'

interface OpenApiFile extends Omit<GeneratedFile, 'description' | 'title'> {
  notation: Notation
}

const FILES: readonly OpenApiFile[] = [
  {
    path: '/openapi.json',
    operationId: 'getOpenApiJson',
    summary: 'Get the OpenAPI document as JSON',
    mediaType: 'application/json',
    component: 'OpenApiJson',
    notation: 'json',
  },
  {
    path: '/openapi.yaml',
    operationId: 'getOpenApiYaml',
    summary: 'Get the OpenAPI document as YAML',
    mediaType: 'application/yaml',
    component: 'OpenApiYaml',
    notation: 'yaml',
  },
  {
    path: '/openapi/1.0.0.json',
    operationId: 'getOpenApiOfFirstEdition',
    summary: 'Get the OpenAPI document of API version 1.0.0',
    mediaType: 'application/json',
    component: 'OpenApiJson',
    notation: 'json',
    apiVersion: '1.0.0',
  },
]

const FILES_IN_32: readonly OpenApiFile[] = [
  {
    path: openApi32Path('json'),
    operationId: 'getNewerOpenApiJson',
    summary: 'Get the OpenAPI 3.2 document as JSON',
    mediaType: 'application/json',
    component: 'OpenApiJson',
    notation: 'json',
    apiVersion: CURRENT_API_VERSION,
  },
  {
    path: openApi32Path('yaml'),
    operationId: 'getNewerOpenApiYaml',
    summary: 'Get the OpenAPI 3.2 document as YAML',
    mediaType: 'application/yaml',
    component: 'OpenApiYaml',
    notation: 'yaml',
    apiVersion: CURRENT_API_VERSION,
  },
]

/** The documents describe these routes too. */
export function openApiRoutes(world: World): readonly Route[] {
  return [
    ...FILES.map(({ notation, ...file }) =>
      generatedRoute(
        { ...file, title: TITLE, description: describeDocument('3.1') },
        { fileNameOf: (apiVersion) => openApiFile(world, apiVersion, notation), writeUrls: atOrigin },
      ),
    ),
    ...FILES_IN_32.map(({ notation, ...file }) =>
      generatedRoute(
        { ...file, title: TITLE, description: describeDocument('3.2') },
        { fileNameOf: () => openApi32File(world, notation), writeUrls: atOrigin },
      ),
    ),
  ]
}

const TITLE = 'The OpenAPI document'

function describeDocument(version: string): string {
  return `Returns the OpenAPI ${version} description of this service. It is generated from the code that serves the API.`
}
