import { doc } from '#doc'
import { atTime } from '../../domain/example-times.ts'
import { type ApiVersion, apiVersionOfResponse } from '../../http/api-versions.ts'
import {
  isRepresentationWanted,
  makeLastingValidators,
  tagContent,
  type Validators,
  validatorHeaders,
} from '../../http/conditions.ts'
import { FileBody, reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import type { Services } from '../../services.ts'
import { readDocument } from './files.ts'

/** A document about the service that is generated from its code. */
export interface GeneratedFile {
  path: string
  operationId: string
  summary: string
  description: string
  mediaType: string
  /** The name of the document in the description of the response. */
  title: string
  /** The name of the response component for 200 in the OpenAPI document. */
  component: string
  /** Absent if the caller chooses the version with `API-Version`. */
  apiVersion?: ApiVersion
}

/** The response component for 304. All documents share it, also the AsyncAPI document. */
const UNCHANGED_COMPONENT = 'OpenApiUnchanged'

interface DocumentSource {
  /** The name of the file with the document of an API version (files.ts). */
  fileNameOf(apiVersion: ApiVersion): string
  writeUrls(text: string, baseUrl: string): string
}

/** A document of one API version, with the URLs of one base URL, on one day. */
interface CachedDocument {
  baseUrl: string
  day: string
  content: string
  validators: Validators
}

export function generatedRoute(file: GeneratedFile, { fileNameOf, writeUrls }: DocumentSource): Route {
  const { path, operationId, summary, description, mediaType, title, component } = file
  // A cache: for each API version, the document for the base URL and the day of the last request. A document is the
  // same for all callers.
  const documents = new Map<ApiVersion, CachedDocument>()
  const documentAt = async (
    apiVersion: ApiVersion,
    baseUrl: string,
    { assets, now }: Pick<Services, 'assets' | 'now'>,
  ): Promise<CachedDocument> => {
    const time = now()
    const day = time.toISOString().slice(0, 10)
    const cached = documents.get(apiVersion)
    if (cached?.baseUrl === baseUrl && cached.day === day) return cached
    const content = atTime(writeUrls(await readDocument(assets, fileNameOf(apiVersion)), baseUrl), time)
    const validators = makeLastingValidators({ etag: await tagContent(content, apiVersion) })
    const document = { baseUrl, day, content, validators }
    documents.set(apiVersion, document)
    return document
  }
  return defineRoute({
    method: 'get',
    path,
    operationId,
    tag: 'Documents',
    summary,
    description,
    since: '2.0.0',
    security: [],
    responses: {
      200: { component, description: title, files: [mediaType], headers: ['ETag'] },
      304: { component: UNCHANGED_COMPONENT, description: doc('The document has not changed'), headers: ['ETag'] },
    },
    problems: ['precondition-failed'],
    async handle(_, { baseUrl, headers, services, now }) {
      const apiVersion = file.apiVersion ?? apiVersionOfResponse(headers)
      const { content, validators } = await documentAt(apiVersion, baseUrl, services)
      const responseHeaders = { ...validatorHeaders(validators), ...(!file.apiVersion && { Vary: 'API-Version' }) }
      if (!isRepresentationWanted(headers, validators, now)) return reply(304, undefined, responseHeaders)
      return reply(200, new FileBody(mediaType, content), responseHeaders)
    },
  })
}
