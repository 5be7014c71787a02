import { pathToFileURL } from 'node:url'
import { setConfig as setConfigOfAxios } from '@kubb/plugin-client/clients/axios'
import { setConfig as setConfigOfFetch } from '@kubb/plugin-client/clients/fetch'
import { answerOf, type PlainResponse } from './answer-of.ts'
import { parametersOf } from './assign-parameters.ts'
import { callCases, findFunction, LAB_URL } from './call-cases.ts'

// Calls the functions that orval and kubb have generated. They take the parameters of the path one by one, and then those
// that there are of: the body, the query, the headers. The argument is the generated file that exports them.

type GeneratedFunction = (...args: unknown[]) => Promise<PlainResponse>

const functions: Record<string, GeneratedFunction> = await import(pathToFileURL(process.argv[2] ?? '').href)

// orval reads its base URL from the environment.
setConfigOfAxios({ baseURL: LAB_URL })
setConfigOfFetch({ baseURL: LAB_URL })

await callCases(({ operationId }, { parameters: { path = {}, query, header }, body }) => {
  const generated = findFunction(functions, operationId)
  const others: Record<string, unknown> = { params: query, headers: header, options: undefined, config: undefined }
  const argumentOf = (name: string) => path[name] ?? (name in others ? others[name] : body?.value)
  return answerOf(generated(...parametersOf(generated).map(argumentOf)))
})
