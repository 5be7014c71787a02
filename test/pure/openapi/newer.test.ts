import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { describeIn32, describeWorld } from '../../../documents/documents.ts'
import { describeService } from '../../../documents/openapi/document.ts'
import type { Edition } from '../../../documents/openapi/edition.ts'
import { operationsIn } from '../../../documents/openapi/path-item.ts'
import type { Document, Example, MediaType, Schema } from '../../../documents/openapi/types.ts'
import { DOCUMENTED_ROUTES } from '../../../src/app.ts'
import { EXAMPLE_ORIGIN } from '../../../src/domain/example-origin.ts'
import type { World } from '../../../src/domain/universe.ts'
import { mediaTypesOfBody } from '../../../src/http/body/reader.ts'
import { reply } from '../../../src/http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../../src/http/pipeline/route.ts'
import { MIME_TYPES } from '../../../src/lib/sniff-image.ts'
import { parseTree } from '../../../src/xml/tree.ts'
import { namespaceOf } from '../../support/xml.ts'

// What only the document in OpenAPI 3.2 says.

const WORLDS: readonly World[] = ['common', 'universe']

/** A route that does nothing. */
function makeRoute(more: Partial<Route>): Route {
  const route = defineRoute({
    method: 'get',
    path: '/planets/invented',
    operationId: 'invent',
    tag: 'Planets',
    summary: 'Invent',
    description: 'Invents.',
    since: '2.0.0',
    security: [],
    responses: { 204: { description: 'Invented' } },
    handle: async () => reply(204),
  })
  return { ...route, ...more }
}

const QUERY = makeRoute({ method: 'query' })
const COPY = makeRoute({ method: 'copy', operationId: 'copy', labels: ['Planets', 'Partners'] })
const SEARCH = makeRoute({
  operationId: 'searchInvented',
  isOnlyIn32: true,
  queryString: z.object({ name: z.string().optional() }).meta({ id: 'InventedQuery', examples: [{ name: 'Mars' }] }),
})
const INVENTED = [QUERY, COPY, SEARCH]

function describeInvented(edition: Partial<Edition>): Document {
  const whole: Edition = { world: 'common', apiVersion: '2.0.0', openApi: '3.2', detail: 'published', ...edition }
  return describeService([...DOCUMENTED_ROUTES.common, ...INVENTED], whole)
}

describe('an operation that OpenAPI 3.1 cannot describe', () => {
  it('is in the document in OpenAPI 3.2: QUERY in its field, a method without a field among the additional ones', () => {
    const item = describeInvented({}).paths['/planets/invented'] ?? {}
    expect(Object.keys(item)).toEqual(['query', 'get', 'additionalOperations'])
    expect(Object.keys(Object(item.additionalOperations))).toEqual(['COPY'])
    expect(operationsIn(item).map(([method, { operationId }]) => [method, operationId])).toEqual([
      ['query', 'invent'],
      ['get', 'searchInvented'],
      ['COPY', 'copy'],
    ])
  })

  it('has the condition of a read if its method is QUERY, and that of a write if not', () => {
    const routes = [QUERY, COPY].map((route) => ({ ...route, problems: ['precondition-failed'] as const }))
    const edition: Edition = { world: 'common', apiVersion: '2.0.0', openApi: '3.2', detail: 'published' }
    const item = describeService(routes, edition).paths['/planets/invented'] ?? {}
    expect(operationsIn(item).map(([method, { parameters }]) => [method, parameters])).toEqual([
      ['query', [{ $ref: '#/components/parameters/IfNoneMatch' }]],
      ['COPY', [{ $ref: '#/components/parameters/IfMatch' }]],
    ])
  })

  it('has a parameter that is the whole query, with the content of the query', () => {
    const { paths, components } = describeInvented({})
    expect(paths['/planets/invented']?.get?.parameters).toEqual([{ $ref: '#/components/parameters/filter' }])
    expect(components.parameters.filter).toMatchObject({ name: 'filter', in: 'querystring', required: false })
    expect(components.parameters.filter?.content?.['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/InventedQuery',
    })
    expect(components.parameters.filter?.schema).toBeUndefined()
    expect(components.schemas.InventedQuery).toMatchObject({ type: 'object' })
  })

  it('has a schema for what is sent, in which a member with a default is optional', () => {
    const query = z.object({ limit: z.int().default(10) }).meta({ id: 'InventedPage', examples: [{}] })
    const routes = [makeRoute({ queryString: query, isOnlyIn32: true })]
    const edition: Edition = { world: 'common', apiVersion: '2.0.0', openApi: '3.2', detail: 'published' }
    expect(describeService(routes, edition).components.schemas.InventedPage?.required).toBeUndefined()
  })

  it('may have a tag that marks it, and the document explains the tag', () => {
    const { paths, tags } = describeInvented({})
    const [, copy] = operationsIn(paths['/planets/invented'] ?? {}).find(([method]) => method === 'COPY') ?? []
    expect(copy?.tags).toEqual(['Planets', 'Partners'])
    expect(tags).toContainEqual(expect.objectContaining({ name: 'Partners', kind: 'audience' }))
  })

  it('is not in the document in OpenAPI 3.1, nor what only it uses', () => {
    const { paths, components, tags } = describeInvented({ openApi: '3.1' })
    expect(paths['/planets/invented']).toBeUndefined()
    expect(components.parameters.filter).toBeUndefined()
    expect(components.schemas.InventedQuery).toBeUndefined()
    expect(tags.map(({ name }) => name)).not.toContain('Partners')
  })

  it('is in the complete document, with which tests compare responses', () => {
    const item = describeInvented({ openApi: '3.1', detail: 'complete' }).paths['/planets/invented'] ?? {}
    expect(operationsIn(item)).toHaveLength(3)
  })
})

describe.each(WORLDS)('the document in OpenAPI 3.2, %s', (world) => {
  const document = describeIn32(world, 'json')
  const { components } = document
  const contents = contentsIn({ ...document.paths, ...components.responses })
  const operations = new Map(
    Object.values(document.paths).flatMap((item) =>
      operationsIn(item).map(([, operation]) => [operation.operationId, operation] as const),
    ),
  )

  it('names its servers, each differently', () => {
    const names = document.servers.map(({ name }) => name)
    expect(names).toEqual(['production', 'mirror'])
    const elsewhere = Object.values(document.paths).flatMap((item) =>
      operationsIn(item).flatMap(([, { servers = [] }]) => servers.map(({ name }) => name)),
    )
    expect(new Set(elsewhere)).toEqual(new Set(world === 'common' ? ['universe'] : []))
  })

  it('names each media type that a body can have', () => {
    const routes = DOCUMENTED_ROUTES[world].filter(({ operationId }) => operations.has(operationId))
    const bodies = routes.flatMap(({ operationId, body }) => (body ? [{ operationId, body }] : []))
    expect(bodies.length).toBeGreaterThan(20)
    for (const { operationId, body } of bodies) {
      const { content } = Object(operations.get(operationId)?.requestBody)
      expect([operationId, Object.keys(content).toSorted()]).toEqual([operationId, mediaTypesOfBody(body).toSorted()])
    }
  })

  it('says how a query is written as a form: a list is repeated, or has commas', () => {
    const { content } = Object(operations.get('queryPlanets')?.requestBody)
    expect(content['application/x-www-form-urlencoded']).toEqual({
      schema: { $ref: '#/components/schemas/PlanetQueryForm' },
      encoding: { fields: { style: 'form', explode: false } },
    })
    const { PlanetQuery, PlanetQueryForm } = components.schemas
    expect(Object.keys(Object(PlanetQueryForm?.properties)).toSorted()).toEqual(
      Object.keys(Object(PlanetQuery?.properties)).toSorted(),
    )
    expect(JSON.stringify(PlanetQueryForm)).not.toMatch(/separator|parameterName/)
  })

  it('describes the parts of a body by their positions', () => {
    const { content } = Object(operations.get('uploadObservations')?.requestBody)
    const { schema, prefixEncoding, itemEncoding, ...others } = content['multipart/mixed']
    expect(schema.type).toBe('array')
    expect(schema.prefixItems).toEqual([{ $ref: '#/components/schemas/ObservationBatchMeta' }])
    expect(schema.items).toMatchObject({ type: 'string', format: 'binary' })
    // One for each of the first parts, and one for all others.
    expect(prefixEncoding).toEqual([{ contentType: 'application/json' }])
    expect(itemEncoding).toEqual({ contentType: MIME_TYPES.join(', ') })
    expect(others).toEqual({})
  })

  it('has tags with a kind, whose parents are tags of the document', () => {
    const names = document.tags.map(({ name }) => name)
    for (const { name, summary, kind, parent } of document.tags) {
      expect([name, summary]).toEqual([name, expect.stringMatching(/\w/)])
      expect([name, kind]).toEqual([name, expect.stringMatching(/^(?:nav|badge|audience)$/)])
      if (parent !== undefined) expect(names).toContain(parent)
    }
    const used = Object.values(document.paths).flatMap((item) => operationsIn(item).flatMap(([, { tags }]) => tags))
    expect(names).toEqual(expect.arrayContaining(used))
    expect(document.tags.find(({ name }) => name === 'Planets')?.parent).toBe('Celestial Bodies')
  })

  it('adds the device flow to the flows of OAuth that OpenAPI 3.1 knows', () => {
    const flowsIn = ({ components: { securitySchemes } }: Document) => Object(securitySchemes.oAuth2).flows
    const { deviceAuthorization, ...others } = flowsIn(describeIn32('common', 'json'))
    expect(others).toEqual(flowsIn(describeWorld('common', '2.0.0')))
    const { authorizationUrl: _, ...sameAsWithCode } = others.authorizationCode
    expect(deviceAuthorization).toEqual({ deviceAuthorizationUrl: `${EXAMPLE_ORIGIN}/oauth/device`, ...sameAsWithCode })
  })

  it('marks the key in the query as deprecated, and no other scheme', () => {
    const deprecated = Object.entries(components.securitySchemes).filter(([, scheme]) => scheme.deprecated)
    expect(deprecated.map(([name]) => name)).toEqual(['apiKeyQuery'])
  })

  it('reads a celestial body without a type as a planet', () => {
    const { discriminator, anyOf } = components.schemas.CelestialBody ?? {}
    const { defaultMapping, mapping } = Object(discriminator)
    expect(defaultMapping).toBe('#/components/schemas/Planet')
    const choices = new Set(Object(anyOf).map(({ $ref }: Schema) => $ref))
    expect(new Set(Object.values(mapping))).toEqual(choices)
    expect(Object.keys(mapping).toSorted()).toEqual(Object(components.schemas.CelestialBodyKind).enum.toSorted())
  })

  it('describes the items of streams, and not streams as one text', () => {
    const { content } = Object(document.paths['/planets/events']?.get?.responses['200'])
    for (const [mediaType, { schema, itemSchema }] of Object.entries<MediaType>(content)) {
      expect([mediaType, schema]).toEqual([mediaType, undefined])
      const isServerSent = mediaType === 'text/event-stream'
      const event = { $ref: '#/components/schemas/PlanetEvent' }
      if (!isServerSent) expect(itemSchema).toEqual(event)
      else {
        const names = Object(itemSchema?.anyOf).map(({ $ref }: Schema) => String($ref).split('/').at(-1))
        const [first = '', second = ''] = names
        expect(components.schemas[first]?.properties).toMatchObject({
          data: { type: 'string', contentMediaType: 'application/json', contentSchema: event },
        })
        expect(components.schemas[second]?.properties).toMatchObject({ event: { const: 'gap' } })
      }
    }
    expect(Object.keys(components.schemas)).not.toContain('PlanetStreamItem')
  })

  it('has examples of streams that a reader of the format reads as the example says', () => {
    const { content } = Object(document.paths['/planets/events']?.get?.responses['200'])
    for (const [mediaType, { examples }] of Object.entries<MediaType>(content)) {
      const { dataValue, serializedValue = '' } = exampleOf(Object(examples).example1, document)
      expect([mediaType, readStream(mediaType, serializedValue)]).toEqual([mediaType, dataValue])
    }
  })

  const inXml = contents.filter(({ mediaType }) => /[/+]xml$/.test(mediaType))

  it('has the text of each example that is not JSON, and the value of each that is', () => {
    const known = contents.filter(({ media }) => media.examples)
    expect(known.length).toBeGreaterThan(100)
    for (const { mediaType, media } of known) {
      for (const example of Object.values(media.examples ?? {}).map((one) => exampleOf(one, document))) {
        const members = Object.keys(example).filter((key) => /value$/i.test(key))
        const expected = /[/+]json$/.test(mediaType) ? ['value'] : ['dataValue', 'serializedValue']
        expect([mediaType, members]).toEqual([mediaType, expected])
      }
    }
  })

  it('gives problems their namespace, and lists in them an element, without a word of 3.1', () => {
    const { xml, properties } = Object(components.schemas.Problem)
    expect(xml).toEqual({ name: 'problem', namespace: 'urn:ietf:rfc:7807', nodeType: 'none' })
    expect(properties.errors).toMatchObject({
      xml: { nodeType: 'element' },
      items: { xml: { name: 'i', nodeType: 'element' } },
    })
    expect(JSON.stringify(document)).not.toContain('"wrapped"')
  })

  it('says of each part of an XML document which node it is, so that the value becomes the text of the example', () => {
    expect(inXml.length).toBeGreaterThan(50)
    for (const { media } of inXml) {
      for (const example of Object.values(media.examples ?? {}).map((one) => exampleOf(one, document))) {
        const written = encode(media.schema ?? {}, example.dataValue, undefined, document)
        expect(parseTree(withNamespace(written))).toEqual(parseTree(example.serializedValue ?? ''))
        expect(namespaceOf(example.serializedValue ?? '')).toBe(Object(media.schema).xml.namespace)
      }
    }
  })

  it('has no component that nothing uses, nor a reference to none', () => {
    const text = JSON.stringify(document)
    for (const [kind, members] of Object.entries(components)) {
      if (kind === 'securitySchemes') continue
      for (const name of Object.keys(members)) {
        const reference = `#/components/${kind}/${name}`
        expect([reference, text.includes(`"${reference}"`)]).toEqual([reference, true])
      }
    }
  })
})

it('the document in OpenAPI 3.1 has no word of 3.2', () => {
  for (const world of WORLDS) {
    const text = JSON.stringify(describeWorld(world, '2.0.0'))
    expect(text).not.toMatch(
      /"(?:\$self|kind":"nav|itemSchema|prefixEncoding|itemEncoding|dataValue|serializedValue|nodeType|defaultMapping)"/,
    )
  }
})

/** Every content in a part of a document. */
function contentsIn(part: unknown): { mediaType: string; media: MediaType }[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([key, value]) =>
    key === 'content'
      ? Object.entries<MediaType>(value).map(([mediaType, media]) => ({ mediaType, media }))
      : contentsIn(value),
  )
}

function exampleOf(example: object | undefined, { components }: Document): Example {
  const { $ref } = Object(example)
  const found = $ref === undefined ? example : components.examples[String($ref).split('/').at(-1) ?? '']
  return Object(found)
}

/** Reads a stream as OpenAPI 3.2 says that its items are parsed (section 4.14.4). */
function readStream(mediaType: string, text: string): unknown[] {
  if (mediaType !== 'text/event-stream') {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line.replace('\u001e', '')))
  }
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) =>
      Object.fromEntries(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      ),
    )
}

/**
 * Writes a value as XML, following only the XML objects of a document (OpenAPI 3.2, section 4.26).
 *
 * @param name The name that the place gives the element
 */
function encode(schema: Schema, value: unknown, name: string | undefined, document: Document): string {
  const { xml, $ref } = schema
  const { nodeType, name: ownName = name } = Object(xml)
  const inner = contentOf(schema, value, name, document)
  if (nodeType === 'none' || nodeType === 'text') return inner
  expect([nodeType, ownName]).toEqual(['element', expect.any(String)])
  expect(typeof $ref).toMatch(/string|undefined/)
  return value === null ? `<${ownName} xsi:nil="true"/>` : `<${ownName}>${inner}</${ownName}>`
}

function contentOf(schema: Schema, value: unknown, name: string | undefined, document: Document): string {
  if (value === null) return ''
  if (schema.$ref !== undefined) {
    const component = document.components.schemas[String(schema.$ref).split('/').at(-1) ?? ''] ?? {}
    return encode(component, value, undefined, document)
  }
  if (Array.isArray(value)) {
    // If the list has an element, an item needs a name of its own.
    const itemName = Object(schema.xml).nodeType === 'element' ? undefined : name
    return value.map((item) => encode(Object(schema.items), item, itemName, document)).join('')
  }
  if (typeof value !== 'object') {
    return String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  }
  return Object.entries(value)
    .map(([key, member]) => {
      const property = propertyOf(schema, key, document)
      if (!property) throw new Error(`no schema for ${key}`)
      return encode(property, member, key, document)
    })
    .join('')
}

/** The schema of a member, also in the parts of a schema. */
function propertyOf(schema: Schema, key: string, document: Document): Schema | undefined {
  if (schema.$ref !== undefined) {
    return propertyOf(document.components.schemas[String(schema.$ref).split('/').at(-1) ?? ''] ?? {}, key, document)
  }
  const own = Object.entries<Schema>(Object(schema.properties)).find(([name]) => name === key)?.[1]
  const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  const inParts = parts.flatMap((part: Schema) => propertyOf(part, key, document) ?? [])
  return (
    own ??
    inParts[0] ??
    (typeof schema.additionalProperties === 'object' ? Object(schema.additionalProperties) : undefined)
  )
}

/** Declares the prefix of `xsi:nil`, as each XML document of the service does. */
function withNamespace(text: string): string {
  return text.replace(/^<(\w+)/, '<$1 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"')
}
