import createClient from 'openapi-fetch'
import { callCases, LAB_URL } from './call-cases.ts'

// openapi-fetch takes paths and parameters as the document names them. Their types, by openapi-typescript, are all that
// is generated, so the driver calls it without.

const client = createClient({ baseUrl: LAB_URL })
const request: (
  method: string,
  path: string,
  options: object,
) => Promise<{ data?: unknown; error?: unknown; response: Response }> = client.request as never

await callCases(async ({ method, path }, { parameters, body }) => {
  // Its README: the user names the media type of a body that is no JSON.
  const headers = body && body.mediaType !== 'application/json' ? { 'Content-Type': body.mediaType } : {}
  const options = { params: parameters, body: body?.value, headers }
  const { data, error, response } = await request(method.toLowerCase(), path, options)
  return { status: response.status, headers: response.headers, data: data ?? error }
})
