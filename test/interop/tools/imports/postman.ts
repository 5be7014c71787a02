import { requireTool } from '../require-tool.ts'
import type { ImportedRequest } from './request.ts'

// The parts of a collection (schema 2.1.0) that the importer writes.

interface Variable {
  key: string
  value: string
  disabled?: boolean
}

interface Item {
  item?: Item[]
  request?: {
    method: string
    url: { path: string[]; query?: Variable[]; variable?: Variable[] }
    header?: Variable[]
    auth?: { type: string } | null
    body?: { mode?: string; raw?: string; urlencoded?: Variable[]; formdata?: { key: string; type: string }[] }
  }
}

interface Collection {
  item: Item[]
  auth?: { type: string }
}

/** Imports a document as Postman does, and reads the requests of the collection. */
export async function importIntoPostman(document: string, options: object = {}): Promise<ImportedRequest[]> {
  const { convertV2 } = requireTool('openapi-to-postmanv2')
  const collection = await new Promise<Collection>((resolve, reject) => {
    convertV2({ type: 'string', data: document }, options, (error: Error | null, result: Conversion) => {
      if (error) reject(error)
      else if (!result.result) reject(new Error(`Postman does not import it: ${result.reason}`))
      else resolve(result.output[0].data)
    })
  })
  return requestsOf(collection.item, collection.auth)
}

interface Conversion {
  result: boolean
  reason: string
  output: [{ data: Collection }]
}

/** The requests of a list. A request without its own authentication has that of the collection. */
function requestsOf(items: readonly Item[], inherited: Collection['auth']): ImportedRequest[] {
  return items.flatMap(({ item, request }) => {
    if (item) return requestsOf(item, inherited)
    if (!request) return []
    const { method, url, header = [], body = {} } = request
    return [
      {
        method,
        path: `/${url.path.map((step) => step.replace(/^:(.+)$/, '{$1}')).join('/')}`,
        parameters: Object.fromEntries(enabled(url.variable ?? [])),
        query: enabled(url.query ?? []),
        headers: enabled(header),
        body: readBody(body),
        auth: readAuth((request.auth ?? inherited)?.type),
      },
    ]
  })
}

function enabled(variables: readonly Variable[]): [string, string][] {
  return variables.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, String(value)])
}

type Body = NonNullable<NonNullable<Item['request']>['body']>

function readBody({ mode, raw = '', urlencoded = [], formdata = [] }: Body): ImportedRequest['body'] {
  if (mode === 'raw') return { kind: 'text', text: raw }
  if (mode === 'urlencoded') return { kind: 'form', fields: enabled(urlencoded) }
  const [file] = formdata
  return mode === 'formdata' && file ? { kind: 'file', part: file.key } : { kind: 'none' }
}

function readAuth(type = 'noauth'): ImportedRequest['auth'] {
  if (type === 'bearer' || type === 'basic' || type === 'oauth2') return type
  if (type === 'noauth') return 'none'
  throw new Error(`the collection has an authentication that this test does not know: ${type}`)
}
