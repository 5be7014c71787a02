import { readFile } from 'node:fs/promises'
// @ts-expect-error: it has no types.
import SwaggerClient from 'swagger-client'
import { answerOf, type PlainResponse } from './answer-of.ts'
import { callCases, LAB_URL } from './call-cases.ts'

// swagger-client reads the document, and calls operations by their id. The argument is the file of the document.

interface SwaggerResponse extends PlainResponse {
  /** What it has decoded. It reads a text as YAML. */
  body?: unknown
}

const spec = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8'))
const client = await new SwaggerClient({ spec: { ...spec, servers: [{ url: LAB_URL }] } })

const isJson = ({ headers }: SwaggerResponse) =>
  'content-type' in headers && /\bjson\b/.test(`${headers['content-type']}`)

await callCases(({ operationId }, { parameters, body }) => {
  // The name of a parameter may have its place before it.
  const named = Object.entries(parameters).flatMap(([place, values]) =>
    Object.entries(values).map(([name, value]) => [`${place}.${name}`, value]),
  )
  const request = { operationId, parameters: Object.fromEntries(named), requestBody: body?.value }
  const response: Promise<SwaggerResponse> = client.execute(request)
  return answerOf(response, (answered) => (isJson(answered) ? answered.body : answered.data))
})
