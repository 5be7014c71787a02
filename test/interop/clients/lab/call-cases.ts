// What the drivers of clients in TypeScript share: the cases in their order, the inputs as native values, and the few
// reports that the cases of `response` take.

/** An operation of the document. */
export interface Operation {
  operationId: string
  method: string
  /** The path template below the bench. */
  path: string
}

type Values = Readonly<Record<string, unknown>>

/** What to send, as native values. Places without parameters are absent. */
export interface Input {
  parameters: { path?: Values; query?: Values; querystring?: Values; header?: Values; cookie?: Values }
  /** Absent if there is no body. */
  body?: { mediaType: string; value: unknown }
}

/** What a client made of a response. */
export interface Answer {
  status: number
  headers: Headers
  /** What it decoded, also of an error. */
  data: unknown
}

/**
 * Calls an operation with the client.
 *
 * @throws whatever the client throws, if the call did not come to an end
 */
export type Call = (operation: Operation, input: Input) => Promise<Answer>

interface Case extends Operation {
  id: string
  input: Input
}

/** The base URL for the client. */
export const LAB_URL = process.env.LAB_URL ?? ''

/** Finds the function of an operation, whose name may differ in case and signs. @throws Error if there is none */
export function findFunction<T>(functions: Readonly<Record<string, T>>, operationId: string): T {
  const plain = (name: string) => name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase()
  const found = Object.keys(functions).find((name) => plain(name) === plain(operationId))
  const value = found === undefined ? undefined : functions[found]
  if (value === undefined) throw new Error(`The client has no function ${operationId}.`)
  return value
}

/** Calls every case, one after the other. Prints a line for each call that throws. */
export async function callCases(call: Call): Promise<void> {
  const { cases }: { cases: readonly Case[] } = await (await fetch(`${LAB_URL}/../../cases`)).json()
  const skipped = (process.env.LAB_SKIP ?? '').split(',')
  for (const one of cases) {
    if (skipped.includes(one.id) || skipped.includes(`${one.id.split('/')[0]}/*`)) continue
    try {
      await callCase(one, call)
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
      console.log(JSON.stringify({ case: one.id, error: `${error}${cause}`.split('\n')[0] }))
    }
  }
}

async function callCase({ id, operationId, method, path, input }: Case, call: Call): Promise<void> {
  if (id === 'retry/post-once') {
    await call({ operationId: 'retryPostOnceFirst', method: 'GET', path }, { parameters: {} })
  }
  const answer = await call({ operationId, method, path }, nativeInput(id, input))
  if (!id.startsWith('response/') || id === 'response/accept') return
  const { value, mediaType = 'application/json' } = { value: answer.data, ...REPORTS[id]?.(answer) }
  await call(
    { operationId: `${operationId}Report`, method: 'PUT', path },
    { parameters: {}, body: { mediaType, value } },
  )
}

function nativeInput(id: string, { parameters, body }: Input): Input {
  // A member in base64 is a text for these clients, which the user encodes.
  const encoding = id === 'body/bytes' ? undefined : id === 'body/base64url' ? 'base64url' : 'base64'
  return {
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([place, values]) => [place, nativeMembers(values, encoding)]),
    ),
    ...(body && { body: { mediaType: body.mediaType, value: native(body.value, encoding) } }),
  }
}

/**
 * A value of the catalogue as these clients type it: dates are texts, and integers of 64 bits are numbers.
 *
 * @param encoding How bytes are written; absent: they are not, but a file
 */
function native(value: unknown, encoding: 'base64' | 'base64url' | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => native(item, encoding))
  if (typeof value !== 'object' || value === null) return value
  const [[tag, content] = []] = Object.entries(value)
  if (tag === '$int64') return Number(content)
  if (tag === '$date' || tag === '$dateTime') return content
  if (tag === '$bytes') {
    const bytes = Buffer.from(content, 'base64')
    return encoding === undefined ? new Blob([bytes]) : padded(bytes.toString(encoding))
  }
  if (tag === '$file') return new File([Buffer.from(content.bytes, 'base64')], content.name, { type: content.type })
  return nativeMembers(value, encoding)
}

const nativeMembers = (values: object, encoding: 'base64' | 'base64url' | undefined): Values =>
  Object.fromEntries(Object.entries(values).map(([name, member]) => [name, native(member, encoding)]))

/** Node leaves out the padding of base64url. */
const padded = (text: string) => text.padEnd(Math.ceil(text.length / 4) * 4, '=')

/** What PUT takes instead of the schema of the response. */
const REPORTS: Readonly<Record<string, (answer: Answer) => { value?: unknown; mediaType?: string }>> = {
  'response/no-content': ({ status }) => ({ value: { status } }),
  'response/two-successes': ({ status, data }) => ({ value: { status, ...pick(data, 'item') } }),
  'response/problem': ({ status, data }) => ({ value: { status, ...pick(data, 'title') } }),
  'response/default': ({ status, data }) => ({ value: { status, ...pick(data, 'code') } }),
  'response/range': ({ status, data }) => ({ value: { status, ...pick(data, 'code') } }),
  'response/read-only': ({ data }) => ({ value: pick(data, 'id', 'name') }),
  'response/write-only': ({ data }) => ({ value: pick(data, 'name') }),
  'response/headers': ({ headers }) => ({
    value: {
      colors: headers.get('X-Colors')?.split(','),
      count: Number(headers.get('X-Count')),
      since: headers.get('X-Since'),
    },
  }),
  'response/text': () => ({ mediaType: 'text/plain' }),
  'response/bytes': () => ({ mediaType: 'application/octet-stream' }),
}

function pick(data: unknown, ...names: string[]): Values {
  return Object.fromEntries(Object.entries(data ?? {}).filter(([name]) => names.includes(name)))
}
