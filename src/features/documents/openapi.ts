import { atOrigin } from '../../domain/example-origin.ts'
import { type ApiVersion, answeringApiVersion } from '../../http/api-versions.ts'
import { isRepresentationWanted, tagContent, type Validators, validatorHeaders } from '../../http/conditions.ts'
import { FileBody, reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { describeService } from '../../openapi/document.ts'
import { printJson } from '../../openapi/print.ts'
import { printYaml } from '../../openapi/print-yaml.ts'
import type { Document } from '../../openapi/types.ts'

interface OpenApiFile {
  path: string
  operationId: string
  summary: string
  mediaType: string
  /** The name of the response component in the document. */
  component: string
  write(document: Document): string
  /** Absent if the caller chooses the version with `API-Version`. */
  apiVersion?: ApiVersion
}

/** The OpenAPI document of one API version, with the URLs of one origin. */
interface CachedDocument {
  baseUrl: string
  content: string
  validators: Validators
}

const FILES: readonly OpenApiFile[] = [
  {
    path: '/openapi.json',
    operationId: 'getOpenApiJson',
    summary: 'Get the OpenAPI document as JSON',
    mediaType: 'application/json',
    component: 'OpenApiJson',
    write: printJson,
  },
  {
    path: '/openapi.yaml',
    operationId: 'getOpenApiYaml',
    summary: 'Get the OpenAPI document as YAML',
    mediaType: 'application/yaml',
    component: 'OpenApiYaml',
    write: printYaml,
  },
  {
    path: '/openapi/1.0.0.json',
    operationId: 'getOpenApiOfFirstEdition',
    summary: 'Get the OpenAPI document of API version 1.0.0',
    mediaType: 'application/json',
    component: 'OpenApiJson',
    write: printJson,
    apiVersion: '1.0.0',
  },
]

/** The routes of the OpenAPI documents. The documents describe these routes too. */
export function openApiRoutes(routes: () => readonly Route[]): readonly Route[] {
  return FILES.map((file) => openApiRoute(file, routes))
}

function openApiRoute(file: OpenApiFile, routes: () => readonly Route[]): Route {
  const { path, operationId, summary, mediaType, component, write } = file
  // The text of each API version, with the example origin. It is generated on the first request.
  const texts = new Map<ApiVersion, string>()
  // The document of each API version for the origin of the last request. Nothing in either cache depends on the caller.
  const documents = new Map<ApiVersion, CachedDocument>()
  const documentAt = async (apiVersion: ApiVersion, baseUrl: string): Promise<CachedDocument> => {
    const cached = documents.get(apiVersion)
    if (cached?.baseUrl === baseUrl) return cached
    const text = texts.get(apiVersion) ?? write(describeService(routes(), apiVersion))
    texts.set(apiVersion, text)
    const content = atOrigin(text, baseUrl)
    const document = { baseUrl, content, validators: { etag: await tagContent(content, apiVersion) } }
    documents.set(apiVersion, document)
    return document
  }
  return defineRoute({
    method: 'get',
    path,
    operationId,
    tag: 'Documents',
    summary,
    description:
      'Returns the OpenAPI 3.1 description of this service. It is generated from the code that serves the API.',
    since: '2.0.0',
    security: [],
    responses: {
      200: { component, description: 'The OpenAPI document', files: [mediaType], headers: ['ETag'] },
      304: { component: 'OpenApiUnchanged', description: 'The document has not changed', headers: ['ETag'] },
    },
    problems: ['precondition-failed'],
    async handle(_, { baseUrl, headers }) {
      const { content, validators } = await documentAt(file.apiVersion ?? answeringApiVersion(headers), baseUrl)
      const responseHeaders = { ...validatorHeaders(validators), ...(!file.apiVersion && { Vary: 'API-Version' }) }
      if (!isRepresentationWanted(headers, validators)) return reply(304, undefined, responseHeaders)
      return reply(200, new FileBody(mediaType, content), responseHeaders)
    },
  })
}
