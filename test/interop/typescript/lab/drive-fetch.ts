import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { assignParameters } from '../../clients/lab/assign-parameters.ts'
import { callCases, findFunction, LAB_URL } from '../../clients/lab/call-cases.ts'
import { methodsOf } from './methods-of.ts'

// Calls the methods that openapi-generator has generated for fetch. They take an object with a member for each parameter
// of the document and each member of a form. The argument is the folder of the compiled client.

const [, , output = ''] = process.argv
const client = await import(pathToFileURL(join(output, 'dist/index.js')).href)
const methods = methodsOf(client, new client.Configuration({ basePath: LAB_URL }))

/** The types of the parameters of each operation, by its id in small letters. */
const types = new Map<string, Readonly<Record<string, string>>>()
for await (const file of glob('src/apis/*.ts', { cwd: output })) {
  const source = await readFile(join(output, file), 'utf8')
  for (const [, name = '', members = ''] of source.matchAll(/^export interface (\w+)Request \{\n(.*?)^\}/gms)) {
    const found = [...members.matchAll(/^ {4}([\w$]+)\??: (.+);$/gm)].map(([, ...member]) => member)
    types.set(name.toLowerCase(), Object.fromEntries(found))
  }
}

/** What the latest call has decoded. */
let decoded: unknown

/** Makes a value of a type of the client. */
function typed(type: string, value: unknown): unknown {
  // It came from the client.
  if (value === decoded) return value
  const [, itemType] = /^Array<(.*)>$/.exec(type) ?? []
  if (itemType !== undefined && Array.isArray(value)) return value.map((item) => typed(itemType, item))
  if (type === 'Date') return String(value).includes('T') ? client.parseDateTime(value) : client.parseDate(value)
  return client[`${type}FromJSON`]?.(value) ?? value
}

await callCases(async ({ operationId }, input) => {
  const { api, method } = findFunction(methods, `${operationId}Raw`)
  const members = types.get(operationId.toLowerCase()) ?? {}
  const assigned = assignParameters(Object.keys(members), input)
  const parameters = [...assigned].map(([name, value]) => [name, typed(members[name] ?? '', value)])
  const response: ApiResponse = await method.call(api, Object.fromEntries(parameters)).catch(readError)
  decoded = await response.value()
  return { status: response.raw.status, headers: response.raw.headers, data: decoded }
})

interface ApiResponse {
  raw: Response
  value: () => Promise<unknown>
}

/** It throws responses that are not 2xx, and leaves their body to its user. @throws the error if there is no response */
function readError(error: Error & { response?: Response }): ApiResponse {
  const { response } = error
  if (!response) throw error
  return { raw: response, value: () => response.json() }
}
