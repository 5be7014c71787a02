import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { callCases, findFunction, LAB_URL } from './call-cases.ts'

// Calls the functions of @hey-api/openapi-ts, which have the names of the operations. The argument is the folder of the
// generated client.

const load = (file: string) => import(pathToFileURL(join(process.argv[2] ?? '', file)).href)
const { client } = await load('client.gen.ts')
const functions: Record<string, GeneratedFunction> = await load('sdk.gen.ts')

type GeneratedFunction = (options: object) => Promise<{ data?: unknown; error?: unknown; response?: Response }>

client.setConfig({ baseUrl: LAB_URL })

await callCases(async ({ operationId }, { parameters: { path, query, header, cookie }, body }) => {
  const options = { path, query, headers: header, cookies: cookie, body: body?.value }
  const { data, error, response } = await findFunction(functions, operationId)(options)
  if (!response || (response.ok && error !== undefined)) throw error
  return { status: response.status, headers: response.headers, data: data ?? error }
})
