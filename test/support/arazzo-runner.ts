import { setTimeout as sleep } from 'node:timers/promises'

// Runs the workflows of an Arazzo document from the document alone, with the descriptions that it names: requests over
// OpenAPI, and messages over AsyncAPI. It knows what our workflows use (documents/arazzo/types.ts), and throws at all
// else.

// biome-ignore lint/suspicious/noExplicitAny: documents of others, as JSON
type Json = any

interface Source {
  type: 'openapi' | 'asyncapi'
  document: Json
}

/** What a step sees: its workflow's inputs and outputs so far, and what it has received. */
interface Scope {
  inputs: Record<string, unknown>
  outputs: Map<string, Record<string, unknown>>
  statusCode?: number
  headers?: Headers
  body?: unknown
  payload?: unknown
}

/** A step that receives while others run. */
interface Reception {
  /** Settles when messages can arrive. */
  isOpen: Promise<void>
  outputs: Promise<Record<string, unknown>>
}

/** How a step was carried out, for the messages of tests. */
export interface Ran {
  workflowId: string
  steps: string[]
}

/**
 * Runs every workflow of the document at an address.
 *
 * @throws Error that names the step whose criteria do not hold
 */
export async function runWorkflows(url: string, inputs: Record<string, string>): Promise<Ran[]> {
  const document = await read(url)
  const sources = new Map<string, Source>()
  for (const { name, url: address, type } of document.sourceDescriptions) {
    // Arazzo 1.1.0, "Establishing the Base URI".
    sources.set(name, { type, document: await read(new URL(address, document.$self ?? url).href) })
  }
  const ran: Ran[] = []
  for (const workflow of document.workflows) ran.push(await runWorkflow(workflow, sources, inputs))
  return ran
}

async function read(url: string): Promise<Json> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answers ${response.status}`)
  return await response.json()
}

async function runWorkflow(workflow: Json, sources: Map<string, Source>, inputs: Record<string, string>): Promise<Ran> {
  const missing = workflow.inputs.required.filter((name: string) => inputs[name] === undefined)
  if (missing.length > 0) throw new Error(`${workflow.workflowId} needs ${missing}`)
  const outputs: Scope['outputs'] = new Map()
  const receptions = new Map<string, Reception>()
  const join = async (stepId: string) => {
    const reception = receptions.get(stepId)
    if (reception) outputs.set(stepId, await reception.outputs)
  }
  for (const step of workflow.steps) {
    for (const stepId of dependenciesOf(step)) await join(stepId)
    const scope = { inputs, outputs }
    const { source, id } = findSource(step.operationId, sources)
    try {
      if (source.type === 'asyncapi') {
        const reception = receive(step, id, source.document, scope)
        receptions.set(step.stepId, reception)
        await reception.isOpen
      } else outputs.set(step.stepId, await request(step, id, source.document, scope))
    } catch (error) {
      throw new Error(`${workflow.workflowId}, ${step.stepId}: ${error}`, { cause: error })
    }
  }
  for (const stepId of receptions.keys()) await join(stepId)
  return { workflowId: workflow.workflowId, steps: workflow.steps.map(({ stepId }: Json) => stepId) }
}

/** Those that a step names, and those whose outputs it reads ("Tool Behavior"). */
function dependenciesOf(step: Json): string[] {
  const read = [...JSON.stringify(step).matchAll(/\$steps\.([\w-]+)\.outputs\./g)].map(([, stepId = '']) => stepId)
  return [...new Set([...(step.dependsOn ?? []), ...read])]
}

function findSource(operationId: string, sources: Map<string, Source>): { source: Source; id: string } {
  const [, name, id] = /^\$sourceDescriptions\.([\w-]+)\.(\w+)$/.exec(operationId) ?? []
  const source = name === undefined ? sources.values().next().value : sources.get(name)
  if (!source || (name === undefined && sources.size > 1)) throw new Error(`no source for ${operationId}`)
  return { source, id: id ?? operationId }
}

// Requests

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'query']

function findOperation(document: Json, id: string): { method: string; path: string; operation: Json } {
  for (const [path, item] of Object.entries<Json>(document.paths)) {
    const operations = [
      ...METHODS.map((method) => [method.toUpperCase(), item[method]]),
      ...Object.entries(item.additionalOperations ?? {}),
    ]
    for (const [method, operation] of operations) if (operation?.operationId === id) return { method, path, operation }
  }
  throw new Error(`the document has no operation ${id}`)
}

async function request(step: Json, id: string, document: Json, scope: Scope): Promise<Record<string, unknown>> {
  const { method, path, operation } = findOperation(document, id)
  const [{ url: server }] = operation.servers ?? document.servers
  const isIn = (place: string) => (step.parameters ?? []).filter((parameter: Json) => parameter.in === place)
  const textOf = ({ value }: Json) => String(evaluate(value, scope))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(textOf(isIn('path').find((parameter: Json) => parameter.name === name))),
  )
  const query = new URLSearchParams(isIn('query').map((one: Json) => [one.name, textOf(one)]))
  const [whole] = isIn('querystring')
  const search = whole ? encodeURIComponent(textOf(whole)) : String(query)
  const headers = new Headers(isIn('header').map((one: Json) => [one.name, textOf(one)]))
  const { requestBody } = step
  if (requestBody) headers.set('Content-Type', requestBody.contentType)
  const body = requestBody ? JSON.stringify(evaluateAll(requestBody.payload, scope)) : null
  const [retry] = step.onFailure ?? []
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(server + filled + (search && `?${search}`), { method, headers, body })
    const text = await response.text()
    const isJson = /\bjson\b/.test(response.headers.get('Content-Type') ?? '')
    const { status: statusCode, headers: received } = response
    const seen = { ...scope, statusCode, headers: received, body: isJson && text !== '' ? JSON.parse(text) : text }
    const failed = step.successCriteria.find(({ condition }: Json) => !holds(condition, seen))
    if (!failed) return outputsOf(step, seen)
    if (retry?.type !== 'retry' || attempt >= retry.retryLimit)
      throw new Error(`${failed.condition} does not hold: ${statusCode} ${text.slice(0, 500)}`)
    await sleep(retry.retryAfter * 1000)
  }
}

// Messages

/** Opens the channel of an operation, and waits for the message with the correlation id of the step. */
function receive(step: Json, id: string, document: Json, scope: Scope): Reception {
  if (step.action !== 'receive') throw new Error(`cannot ${step.action}`)
  const channel = resolve(document, document.operations[id].channel.$ref)
  const [server] = Object.values<Json>(document.servers)
  const parametersIn = (place: string) =>
    (step.parameters ?? [])
      .filter((parameter: Json) => parameter.in === place)
      .map(({ name, value }: Json) => [name, String(evaluate(value, scope))])
  const address = new URL(`${server.protocol}://${server.host}${server.pathname}/${channel.address}`)
  address.search = String(new URLSearchParams(parametersIn('query')))
  const wanted = evaluate(step.correlationId, scope)
  const protocols = parametersIn('header').map(([name, value]: string[]) => {
    if (name !== 'Sec-WebSocket-Protocol') throw new Error(`a WebSocket cannot send the header ${name}`)
    return value
  })
  const socket = new WebSocket(address.href, protocols)
  const isOpen = new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error(`${address} cannot be opened`)))
  })
  const outputs = new Promise<Record<string, unknown>>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing with ${wanted} in ${step.timeout} ms`)), step.timeout)
    socket.addEventListener('message', ({ data }) => {
      const { headers, payload } = JSON.parse(data)
      // The document says where the id is: `$message.header#/correlationId`.
      if (headers.correlationId !== wanted) return
      clearTimeout(timer)
      const seen = { ...scope, payload }
      const failed = step.successCriteria.find(({ condition }: Json) => !holds(condition, seen))
      if (failed) reject(new Error(`${failed.condition} does not hold: ${data.slice(0, 500)}`))
      else resolve(outputsOf(step, seen))
    })
  }).finally(() => socket.close())
  // It is awaited later.
  outputs.catch(() => {})
  return { isOpen, outputs }
}

const resolve = (document: Json, reference: string) => pointTo(document, reference.replace(/^#/, ''))

// Runtime expressions (Arazzo 1.1.0, "Runtime Expressions") and conditions of the type "simple"

function outputsOf(step: Json, scope: Scope): Record<string, unknown> {
  const entries = Object.entries<string>(step.outputs ?? {})
  return Object.fromEntries(entries.map(([name, expression]) => [name, evaluate(expression, scope)]))
}

function evaluateAll(value: Json, scope: Scope): Json {
  if (typeof value === 'string') return evaluate(value, scope)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => evaluateAll(item, scope))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, evaluateAll(member, scope)]))
}

/** The value of an expression, or a text with the values of those in braces. */
function evaluate(text: unknown, scope: Scope): unknown {
  if (typeof text !== 'string') return text
  if (/^\$[\w.#/~-]+$/.test(text)) return lookUp(text, scope)
  return text.replaceAll(/\{(\$[^}]+)\}/g, (_, expression) => String(lookUp(expression, scope)))
}

function lookUp(expression: string, { inputs, outputs, statusCode, headers, body, payload }: Scope): unknown {
  const [, kind, rest = ''] = /^\$(inputs|steps|statusCode|response|message)\.?(.*)$/.exec(expression) ?? []
  if (kind === 'statusCode') return statusCode
  if (kind === 'inputs') return inputs[rest]
  const [, stepId = '', output = ''] = /^([\w-]+)\.outputs\.([\w-]+)$/.exec(rest) ?? []
  if (kind === 'steps') return outputs.get(stepId)?.[output]
  if (kind === 'response' && rest.startsWith('header.')) return headers?.get(rest.slice('header.'.length))
  if (kind === 'response' && rest.startsWith('body#')) return pointTo(body, rest.slice('body#'.length))
  if (kind === 'message' && rest.startsWith('payload#')) return pointTo(payload, rest.slice('payload#'.length))
  throw new Error(`unknown expression ${expression}`)
}

/** RFC 6901. Undefined if there is nothing. */
function pointTo(value: Json, pointer: string): Json {
  const names = pointer.split('/').slice(1)
  return names.reduce((part, name) => part?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], value)
}

function holds(condition: string, scope: Scope): boolean {
  return condition.split(' || ').some((part) => {
    const [, left = '', operator, right = ''] = /^(\S+) (==|!=) (.+)$/.exec(part) ?? []
    if (operator === undefined) throw new Error(`unknown condition ${part}`)
    const isEqual = operand(left, scope) === operand(right, scope)
    return operator === '==' ? isEqual : !isEqual
  })
}

/** An expression, a number, null, or a text in single quotes. What is not there is null. */
function operand(text: string, scope: Scope): unknown {
  if (text.startsWith('$')) return lookUp(text, scope) ?? null
  if (text.startsWith("'")) return text.slice(1, -1)
  return JSON.parse(text)
}
