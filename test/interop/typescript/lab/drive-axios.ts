import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { answerOf } from '../../clients/lab/answer-of.ts'
import { assignParameters, parametersOf } from '../../clients/lab/assign-parameters.ts'
import { callCases, findFunction, LAB_URL } from '../../clients/lab/call-cases.ts'
import { methodsOf } from './methods-of.ts'

// Calls the methods that openapi-generator has generated for axios. They take the parameters of the document and the
// members of forms one by one. The argument is the folder of the compiled client.

const client = await import(pathToFileURL(join(process.argv[2] ?? '', 'dist/index.js')).href)
const methods = methodsOf(client, new client.Configuration({ basePath: LAB_URL }))

await callCases(({ operationId }, input) => {
  const { api, method } = findFunction(methods, operationId)
  const names = parametersOf(method).filter((name) => name !== 'options')
  const assigned = assignParameters(names, input)
  return answerOf(
    method.apply(
      api,
      names.map((name) => assigned.get(name)),
    ),
  )
})
