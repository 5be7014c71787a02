import { describe, expect, it } from 'vitest'
import { describeCompletely, describeWorld } from '../../../documents/documents.ts'
import { identifierOf } from '../../../documents/openapi/references.ts'
import { successResponse, universalHeaders } from '../../../documents/openapi/responses.ts'
import type { Document, Operation, Reference } from '../../../documents/openapi/types.ts'
import { COMMON_ROUTES } from '../../../src/app.ts'
import { API_VERSIONS } from '../../../src/http/api-versions.ts'
import { dereferenced } from '../../support/dereferenced.ts'

const COMPLETE = { world: 'common', apiVersion: '2.0.0', openApi: '3.1', detail: 'complete' } as const
const DOCUMENT = describeCompletely('common', '2.0.0')

const NAMED = COMMON_ROUTES.flatMap((route) =>
  Object.entries(route.responses).flatMap(([status, spec]) =>
    spec.component ? [{ name: `${route.operationId}, ${status}`, component: spec.component, route, spec }] : [],
  ),
)

const DOCUMENTS = API_VERSIONS.flatMap((apiVersion) => [
  { name: `${apiVersion}, published`, document: describeWorld('common', apiVersion) },
  { name: `${apiVersion}, complete`, document: describeCompletely('common', apiVersion) },
])

describe.each(DOCUMENTS)('the document of $name', ({ document }) => {
  const operations = operationsOf(document)

  it('has every response and every example once, and each parameter as a component', () => {
    const responses = operations.flatMap((operation) => Object.values(operation.responses)).filter(isInline)
    const all = [...responses, ...Object.values(document.components.responses)]
    expect(repeated(all)).toEqual([])
    expect(repeated(operations.flatMap(examplesOf).filter(isInline))).toEqual([])
    expect(operations.flatMap(({ parameters = [] }) => parameters).filter(isInline)).toEqual([])
  })

  it('has no component with the content of another', () => {
    const { parameters, headers, responses } = document.components
    for (const components of [parameters, headers, responses]) expect(repeated(Object.values(components))).toEqual([])
  })

  it('has components whose names stay different as type names', () => {
    for (const components of Object.values(document.components)) {
      const names = Object.keys(components).map((name) => name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase())
      expect(repeated(names)).toEqual([])
    }
  })
})

describe.each(API_VERSIONS)('the complete document of API version %s', (apiVersion) => {
  it('refers in x-galaxy-everywhere only to headers that every response has', () => {
    const document = describeCompletely('common', apiVersion)
    const everywhere = JSON.stringify(document['x-galaxy-everywhere'])
    const references = [...everywhere.matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target)
    expect(new Set(references)).toEqual(
      new Set(universalHeaders(COMPLETE).map((name) => `#/components/headers/${identifierOf(name)}`)),
    )
    for (const item of Object.values(dereferenced(document).paths)) {
      for (const response of Object.values(item).flatMap((operation) => Object.values(operation.responses))) {
        expect(Object.keys(Object(response).headers)).toEqual(expect.arrayContaining(universalHeaders(COMPLETE)))
      }
    }
  })
})

it.each(NAMED)('$name: the component $component is a response of this operation', ({ component, route, spec }) => {
  expect(DOCUMENT.components.responses[component]).toEqual(successResponse(route, spec, COMPLETE))
})

/** The operations of the document, and those of its callbacks and webhooks. */
function operationsOf({ paths, webhooks }: Document): Operation[] {
  const own = Object.values(paths).flatMap((item) => Object.values(item))
  const callbacks = own.flatMap((operation) => Object.values(operation.callbacks ?? {}))
  const items = [...callbacks.flatMap((callback) => Object.values(callback)), ...Object.values(webhooks)]
  return [...own, ...items.flatMap((item) => Object.values(item))]
}

function examplesOf({ requestBody, responses }: Operation): object[] {
  const contents = [requestBody, ...Object.values(responses)].map((holder) => Object(holder).content)
  return contents.flatMap((content) =>
    Object.values<{ examples?: object }>(content ?? {}).flatMap(({ examples }) => Object.values(examples ?? {})),
  )
}

function isInline<Value extends object>(value: Value | Reference): value is Value {
  return !('$ref' in value)
}

function repeated(values: readonly unknown[]): string[] {
  const texts = values.map((value) => JSON.stringify(value))
  return texts.filter((text, index) => texts.indexOf(text) !== index)
}
