// Follows the links of an OpenAPI document, as a client that knows only the document does (OpenAPI 3.1, sections
// 4.8.20 and 4.8.20.4).

type Node = Record<string, unknown>

/** A request and its response. */
export interface Exchange {
  /** Below the base URL, with the query. */
  path: string
  method: string
  /** The response, and its body if that is JSON. */
  response: Response
  body?: unknown
}

/** A link of the document: where it stands, and where it leads. */
export interface DocumentedLink {
  name: string
  operationId: string
  status: string
  link: Node
  target: Target
}

interface Target {
  path: string
  method: string
  operation: Node
}

/** The request that a link leads to, and the status of the success that the document promises. */
export interface NextRequest {
  path: string
  method: string
  body: unknown
  needsCredentials: boolean
  status: number
}

/** Every link of a document. @throws Error if a link leads to no operation of the document */
export function linksIn(document: object): DocumentedLink[] {
  return operationsIn(document).flatMap(({ operation }) =>
    Object.entries(nodeAt(operation.responses)).flatMap(([status, response]) =>
      Object.entries(nodeAt(resolve(document, response).links)).map(([name, value]) => {
        const link = resolve(document, value)
        return { name, operationId: String(operation.operationId), status, link, target: targetOf(document, link) }
      }),
    ),
  )
}

/**
 * The request to which a link leads.
 *
 * @throws Error if the link lacks a value of the path
 */
export function requestOf(
  document: object,
  { link, target, operationId }: DocumentedLink,
  made: Exchange,
): NextRequest {
  const source = operationsIn(document).find(({ operation }) => operation.operationId === operationId)
  const evaluate = (expression: unknown) => evaluateAt(String(expression), source?.path ?? '', made)
  const declared = parametersOf(document, target)
  let path = target.path
  const query = new URLSearchParams()
  for (const [key, expression] of Object.entries(nodeAt(link.parameters))) {
    const [place, name] = /^(?:path|query)\./.test(key) ? key.split('.') : [undefined, key]
    const parameter = declared.find((one) => one.name === name && (place === undefined || one.in === place))
    if (!parameter) throw new Error(`the operation has no parameter ${key}`)
    const value = evaluate(expression)
    if (value === undefined) continue
    if (parameter.in === 'path') path = path.replace(`{${name}}`, encodeURIComponent(String(value)))
    else query.set(String(name), String(value))
  }
  if (path.includes('{')) throw new Error(`no value for the path ${path}`)
  const { security = nodeAt(document).security, responses } = target.operation
  return {
    path: query.size > 0 ? `${path}?${query}` : path,
    method: target.method.toUpperCase(),
    body: link.requestBody === undefined ? undefined : evaluate(link.requestBody),
    needsCredentials: Array.isArray(security) && security.length > 0,
    status: Number(Object.keys(nodeAt(responses)).find((status) => status.startsWith('2'))),
  }
}

function targetOf(document: object, { operationId, operationRef }: Node): Target {
  const found = operationsIn(document).find(({ operation, path, method }) =>
    operationId === undefined
      ? operationRef === `#/paths/${encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'))}/${method}`
      : operation.operationId === operationId,
  )
  if (found) return found
  throw new Error(`no operation ${operationId ?? operationRef}`)
}

function operationsIn(document: object): Target[] {
  return Object.entries(nodeAt(nodeAt(document).paths)).flatMap(([path, item]) => {
    const { additionalOperations, ...methods } = nodeAt(item)
    const operations = Object.entries({ ...methods, ...nodeAt(additionalOperations) })
    return operations.map(([method, operation]) => ({ path, method, operation: nodeAt(operation) }))
  })
}

function parametersOf(document: object, { operation }: Target): Node[] {
  return Array.isArray(operation.parameters) ? operation.parameters.map((one) => resolve(document, one)) : []
}

/** The value of a runtime expression, or of a constant; undefined if there is none. */
function evaluateAt(expression: string, template: string, { path, body }: Exchange): unknown {
  const [pathname = '', query = ''] = path.split('?')
  const [source, pointer = ''] = expression.split('#')
  if (source === '$response.body') return pointer.split('/').slice(1).reduce(memberOf, body)
  const [, place, name = ''] = /^\$request\.(path|query)\.(\w+)$/.exec(expression) ?? []
  if (place === 'query') return new URLSearchParams(query).get(name) ?? undefined
  if (place === 'path') return pathname.split('/')[template.split('/').indexOf(`{${name}}`)]
  if (expression.startsWith('$')) throw new Error(`an unknown expression: ${expression}`)
  return expression
}

function memberOf(value: unknown, key: string): unknown {
  return nodeAt(value)[key]
}

function resolve(document: object, value: unknown): Node {
  const { $ref: reference } = nodeAt(value)
  if (typeof reference !== 'string') return nodeAt(value)
  return nodeAt(reference.replace('#/', '').split('/').reduce<unknown>(memberOf, document))
}

function nodeAt(value: unknown): Node {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
