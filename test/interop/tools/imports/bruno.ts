import { requireTool } from '../require-tool.ts'
import type { ImportedRequest } from './request.ts'

// The parts of a collection of Bruno that the importer writes.

interface Field {
  name: string
  value: string
  enabled: boolean
}

interface Request {
  method: string
  url: string
  params: (Field & { type: 'path' | 'query' })[]
  headers: Field[]
  auth: { mode: string }
  body: {
    mode: string
    json: string | null
    formUrlEncoded: Field[]
    multipartForm: { name: string }[]
  }
}

interface Item {
  items?: Item[]
  request?: Request
}

/** Imports a document as Bruno does, and reads the requests of the collection. */
export async function importIntoBruno(document: string): Promise<ImportedRequest[]> {
  const { openApiToBruno } = requireTool('@usebruno/converters')
  const { items, root }: { items: Item[]; root?: { request?: { auth?: { mode: string } } } } = await openApiToBruno(
    JSON.parse(document),
  )
  return requestsOf(items, root?.request?.auth?.mode ?? 'none')
}

function requestsOf(items: readonly Item[], inherited: string): ImportedRequest[] {
  return items.flatMap(({ items: inner, request }) => {
    if (inner) return requestsOf(inner, inherited)
    if (!request) return []
    const { method, url, params, headers, auth, body } = request
    return [
      {
        method,
        path: url.replace('{{baseUrl}}', '').replaceAll(/:(\w+)/g, '{$1}'),
        parameters: Object.fromEntries(enabled(params.filter(({ type }) => type === 'path'))),
        query: enabled(params.filter(({ type }) => type === 'query')),
        headers: [...enabled(headers), ...contentType(body)],
        body: readBody(body),
        auth: readAuth(auth.mode === 'inherit' ? inherited : auth.mode),
      },
    ]
  })
}

function enabled(fields: readonly Field[]): [string, string][] {
  return fields.filter((field) => field.enabled).map(({ name, value }) => [name, value])
}

/** Bruno itself sets the type of a JSON body. */
function contentType({ mode }: Request['body']): [string, string][] {
  return mode === 'json' ? [['Content-Type', 'application/json']] : []
}

function readBody({ mode, json, formUrlEncoded, multipartForm }: Request['body']): ImportedRequest['body'] {
  if (mode === 'json') return { kind: 'text', text: json ?? '' }
  if (mode === 'formUrlEncoded') return { kind: 'form', fields: enabled(formUrlEncoded) }
  const [file] = multipartForm
  return mode === 'multipartForm' && file ? { kind: 'file', part: file.name } : { kind: 'none' }
}

function readAuth(mode: string): ImportedRequest['auth'] {
  if (mode === 'none' || mode === 'bearer' || mode === 'basic' || mode === 'oauth2') return mode
  throw new Error(`the collection has an authentication that this test does not know: ${mode}`)
}
