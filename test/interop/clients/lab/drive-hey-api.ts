import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { callCases, findFunction, LAB_URL } from './call-cases.ts'

// Calls the functions of @hey-api/openapi-ts, which have the names of the operations. The argument is the folder of the
// generated client.

const load = (file: string) => import(pathToFileURL(join(process.argv[2] ?? '', file)).href)
const { client } = await load('client.gen.ts')
const functions: Record<string, GeneratedFunction> = await load('sdk.gen.ts')

interface Result {
  data?: unknown
  error?: unknown
  response?: Response
  /** Of a response with events, instead of all others. */
  stream?: AsyncIterable<unknown>
}

type GeneratedFunction = (options: object) => Promise<Result>

client.setConfig({ baseUrl: LAB_URL })

await callCases(async ({ operationId }, { parameters: { path, query, header, cookie }, body }) => {
  const events: unknown[] = []
  const options = {
    ...{ path, query, headers: header, cookies: cookie, body: body?.value },
    // The stream has only the data of events. This is called with the whole of each.
    onSseEvent: (event: unknown) => events.push(event),
    // Otherwise it connects for ever.
    sseMaxRetryAttempts: 1,
  }
  const { data, error, response, stream } = await findFunction(functions, operationId)(options)
  if (stream) {
    for await (const _ of stream) {
      // It comes with its event.
    }
    return { status: 200, headers: new Headers(), data: events }
  }
  if (!response || (response.ok && error !== undefined)) throw error
  return { status: response.status, headers: response.headers, data: data ?? error }
})
