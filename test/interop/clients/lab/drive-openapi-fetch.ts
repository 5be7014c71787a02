import { readFile } from 'node:fs/promises'
import createClient from 'openapi-fetch'
import { callCases, LAB_URL } from './call-cases.ts'

// openapi-fetch takes paths and parameters as the document names them. Their types, by openapi-typescript, are all that
// is generated, so the driver calls it without. But what has no type cannot be called: an operation that is missing in
// the generated file, which is the argument.

const schema = await readFile(process.argv[2] ?? '', 'utf8')

const client = createClient({ baseUrl: LAB_URL })
const request: (
  method: string,
  path: string,
  options: object,
) => Promise<{ data?: unknown; error?: unknown; response: Response }> = client.request as never

await callCases(async ({ operationId, method, path }, { parameters, body }) => {
  if (!schema.includes(`\n    ${operationId}: {\n`)) throw new Error(`The types have no operation ${operationId}.`)
  // Its README: the user names the media type of a body that is no JSON.
  const headers = body && body.mediaType !== 'application/json' ? { 'Content-Type': body.mediaType } : {}
  const options = { params: parameters, body: body?.value, headers }
  const { data, error, response } = await request(method.toLowerCase(), path, options)
  return { status: response.status, headers: response.headers, data: data ?? error }
})
