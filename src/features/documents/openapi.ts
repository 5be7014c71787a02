import { atOrigin } from '../../domain/example-origin.ts'
import type { World } from '../../domain/universe.ts'
import type { Route } from '../../http/pipeline/route.ts'
import { type Notation, openApiFile } from './files.ts'
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

/** The routes of the OpenAPI documents of a world. The documents describe these routes too. */
export function openApiRoutes(world: World): readonly Route[] {
  return FILES.map(({ notation, ...file }) => {
    const generatedFile = {
      ...file,
      description:
        'Returns the OpenAPI 3.1 description of this service. It is generated from the code that serves the API.',
      title: 'The OpenAPI document',
    }
    return generatedRoute(generatedFile, {
      fileNameOf: (apiVersion) => openApiFile(world, apiVersion, notation),
      writeUrls: atOrigin,
    })
  })
}
