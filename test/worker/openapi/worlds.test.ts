import { describe, expect, it } from 'vitest'
import { describeCompletely, describeWorld } from '../../../documents/documents.ts'
import type { Document, Operation } from '../../../documents/openapi/types.ts'
import { COMMON_ROUTES, UNIVERSE_ROUTES } from '../../../src/app.ts'
import { EXAMPLE_ORIGIN } from '../../../src/domain/example-origin.ts'
import { EXAMPLE_UNIVERSE_ID, EXAMPLE_UNIVERSE_URL } from '../../../src/domain/example-universe.ts'
import type { World } from '../../../src/domain/universe.ts'
import { findUniverse } from '../../../src/domain/universe-address.ts'
import { API_VERSIONS } from '../../../src/http/api-versions.ts'
import type { Route } from '../../../src/http/pipeline/route.ts'
import { bodyOf, createClient } from '../../support/app.ts'
import { eachRow } from '../../support/each-row.ts'
import { FakeUniverse } from '../../support/fake-universe.ts'

// What the documents of the common world and of a universe have in common, and how they differ.

const COMMON = describeCompletely('common', '2.0.0')
const UNIVERSE = describeCompletely('universe', '2.0.0')
const WORLDS: readonly World[] = ['common', 'universe']
/** The operations that only universes have. */
const OWN = [
  'createDefectiveToken',
  'deleteFaultAttempts',
  'deleteFaults',
  'deleteUniverse',
  'getFaults',
  'getUniverse',
  'listFaultAttempts',
  'resetUniverse',
  'setFaults',
  'updateUniverse',
]

function operationsOf({ paths }: Document): Operation[] {
  return Object.values(paths).flatMap((item) => Object.values(item))
}

function idsOf(operations: readonly { operationId: string }[]): string[] {
  return operations.map(({ operationId }) => operationId).sort()
}

/** An operation without the responses that its place causes, which the common world has only for universes. */
function withoutPlace({ responses, ...operation }: Operation): Operation {
  const own = Object.entries(responses).filter(([, response]) => !isOfPlace(response))
  return { ...operation, responses: Object.fromEntries(own) }
}

const isOfPlace = (response: object) =>
  '$ref' in response && /\/(?:NoUniverse|Gone)Problem$/.test(String(response.$ref))

/** A part of a document without the header that only universes send. */
function withoutSunset<Part>(part: Part): Part {
  return JSON.parse(JSON.stringify(part).replaceAll('"Sunset":{"$ref":"#/components/headers/Sunset"},', ''))
}

const exists = (routes: readonly Route[], id: string) => routes.some(({ operationId }) => operationId === id)

describe('the operations', () => {
  it('that only one kind of world has are known', () => {
    const others = (routes: readonly Route[], without: readonly Route[]) =>
      idsOf(routes.filter(({ operationId }) => !exists(without, operationId)))
    expect(others(COMMON_ROUTES, UNIVERSE_ROUTES)).toEqual(['createUniverse'])
    expect(others(UNIVERSE_ROUTES, COMMON_ROUTES)).toEqual(OWN)
  })

  it('of a universe are those that it has', () => {
    expect(idsOf(operationsOf(UNIVERSE))).toEqual(idsOf(UNIVERSE_ROUTES))
  })

  it('are described alike in both worlds', () =>
    eachRow(
      idsOf(COMMON_ROUTES).filter((id) => exists(UNIVERSE_ROUTES, id)),
      (id) => {
        const [common, universe] = [COMMON, UNIVERSE].map((document) =>
          operationsOf(document).filter(({ operationId }) => operationId === id),
        )
        expect(withoutSunset(universe?.map(withoutPlace))).toEqual(common)
      },
    ))

  it('refer to the same components in both worlds', () => {
    const { responses } = COMMON.components
    const shared = Object.keys(UNIVERSE.components.responses).filter((name) => name in responses)
    expect(shared.length).toBeGreaterThan(20)
    for (const name of shared) expect(withoutSunset(UNIVERSE.components.responses[name])).toEqual(responses[name])
  })

  it('that only universes have are at a server of their own in the common world, and only they', () => {
    const elsewhere = operationsOf(COMMON).filter(({ servers }) => servers !== undefined)
    expect(idsOf(elsewhere)).toEqual(OWN)
    for (const { servers = [] } of elsewhere) {
      const url = servers[0]?.url.replace('{universe}', EXAMPLE_UNIVERSE_ID) ?? ''
      expect(findUniverse(new URL(url), undefined)).toMatchObject({ id: EXAMPLE_UNIVERSE_ID, path: '/' })
    }
    expect(operationsOf(UNIVERSE).filter(({ servers }) => servers !== undefined)).toEqual([])
  })
})

describe('the servers', () => {
  it.each([
    ['common', '2.0.0'],
    ['common', '1.0.0'],
    ['universe', '2.0.0'],
    ['universe', '1.0.0'],
  ] as const)('of the %s document, API version %s', (world, version) => {
    const urls = [EXAMPLE_ORIGIN, '{protocol}://galaxy.test/echo/{path}']
    expect(describeWorld(world, version).servers.map(({ url }) => url)).toEqual(urls)
  })
})

describe('Sunset', () => {
  /** The headers of every response of an operation that comes from its world. */
  const headersOf = (operation: Operation, { components }: Document) =>
    Object.values(withoutPlace(operation).responses).map((response) => {
      const name = '$ref' in response ? response.$ref.split('/').at(-1) : undefined
      const { headers } = name === undefined ? Object(response) : Object(components.responses[name])
      return Object.keys(headers)
    })

  it.each(API_VERSIONS)('is in every response of a universe, API version %s', (version) => {
    const document = describeCompletely('universe', version)
    const { 410: _ended, ...everywhere } = Object(document['x-galaxy-everywhere']).responses
    const all = [
      ...operationsOf(document).flatMap((operation) => headersOf(operation, document)),
      ...Object.values(everywhere).map((one) => Object.keys(Object(one).headers)),
    ]
    for (const names of all) expect(names).toContain('Sunset')
    expect(document.components.headers.Sunset?.required).toBe(true)
  })

  it('is in no response of the common world, but in those of universes that its document describes', () => {
    for (const operation of operationsOf(COMMON)) {
      const isOwn = OWN.includes(operation.operationId)
      for (const names of headersOf(operation, COMMON))
        expect([operation.operationId, names.includes('Sunset')]).toEqual([operation.operationId, isOwn])
    }
    expect(JSON.stringify(COMMON['x-galaxy-everywhere'])).not.toContain('headers/Sunset')
  })
})

describe('universes', () => {
  it.each(WORLDS)('that do not exist, or have ended, are the same responses in each document: %s', (world) => {
    for (const version of API_VERSIONS) {
      const document = describeCompletely(world, version)
      const { responses } = Object(document['x-galaxy-everywhere'])
      expect(Object.keys(responses)).toContain('410')
      expect(JSON.stringify(responses[410])).not.toContain('Sunset')
      for (const name of ['NoUniverseProblem', 'GoneProblem']) {
        const response = document.components.responses[name]
        if (world === 'universe' || version === '2.0.0') expect(response).toEqual(COMMON.components.responses[name])
        else expect(response).toBeUndefined()
      }
    }
  })

  it.each(WORLDS)('are unknown to API version 1.0.0, in the %s document', (world) => {
    const { paths, tags, servers } = describeWorld(world, '1.0.0')
    expect(JSON.stringify([Object.keys(paths), tags, servers])).not.toMatch(/universe/i)
  })

  it('have their own address in their examples, which in the common world is below it', () => {
    const urlOf = ({ components }: Document) => Object(components.examples.Universe_example1?.value).url
    expect(urlOf(COMMON)).toBe(EXAMPLE_UNIVERSE_URL)
    expect(urlOf(UNIVERSE)).toBe(EXAMPLE_ORIGIN)
  })

  it.each([
    ['/openapi.json', '2.0.0'],
    ['/openapi/1.0.0.json', '1.0.0'],
  ] as const)('serve their own document: %s', async (path, version) => {
    const host = `http://${EXAMPLE_UNIVERSE_ID}.worlds.example`
    const universe = new FakeUniverse(EXAMPLE_UNIVERSE_ID, new Date())
    const client = createClient({ world: 'universe', universe, baseUrlOf: () => host })
    const document: Document = await bodyOf(await client.get(path))
    expect(document.servers[0]?.url).toBe(host)
    expect(idsOf(operationsOf(document))).toEqual(idsOf(operationsOf(describeWorld('universe', version))))
  })
})
