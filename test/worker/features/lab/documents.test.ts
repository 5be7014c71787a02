import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { VERSIONS } from '../../../../laboratory/case.ts'
import { SUITE } from '../../../../laboratory/suite/suite.ts'
import { IDS, ONLY_IN_32, SINCE_31, TABLE, UNTIL_31, versionsOf } from '../../../../laboratory/test/table.ts'
import { bodyOf, type Client, createClient } from '../../../support/app.ts'
import { eachRow } from '../../../support/each-row.ts'
import { oneOfEach } from '../../../support/one-of-each.ts'
import { ADDRESSES, BASE_URL } from '../../../support/world.ts'

/** Where the documents are. */
const PLACES = ['/lab', '/lab/try']
const NAMES = ['openapi.json', 'openapi.yaml', 'openapi-3.0.json', 'openapi-3.2.json', 'openapi-3.2.yaml']
/** One function sends a document at both places, so that one at the second is enough. */
const PATHS = [...NAMES.map((name) => `/lab/${name}`), '/lab/try/openapi.json']

let client: Client

beforeAll(() => {
  client = createClient()
})

interface Operation {
  operationId: string
  tags: string[]
  externalDocs: { url: string }
}

interface Document {
  openapi: string
  info: { version: string }
  servers: { url: string }[]
  security: unknown[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas?: Record<string, unknown> }
}

async function read(path: string, base?: string): Promise<Document> {
  const response = await client.get(base === undefined ? path : base + path)
  expect(response.status).toBe(200)
  const text = await textOf(response)
  return path.includes('.yaml') ? parse(text, { version: '1.1' }) : JSON.parse(text)
}

/** The runtime warns about the text of YAML, whose type is not `text/*`. */
async function textOf(response: Response): Promise<string> {
  return new TextDecoder().decode(await response.arrayBuffer())
}

const groupOf = (id: string) => id.split('/')[0]
const idOf = (path: string) => path.split('/').slice(1, 3).join('/')
const idsIn = ({ paths }: Document) => Object.keys(paths).map(idOf)
/** The names of components that a document refers to. */
const referencesIn = (document: Document) =>
  new Set([...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name))

describe('the catalogue', () => {
  it('has all cases in their order', async () => {
    const { suite, cases } = await bodyOf(await client.get('/lab/cases'))
    expect(suite).toBe(SUITE)
    expect(cases.map(({ id }: { id: string }) => id)).toEqual(IDS)
  })
})

describe.each(['/lab/cases', ...PATHS])('%s', (path) => {
  it('can be read again under a condition', async () => {
    const first = await client.get(path)
    const etag = first.headers.get('ETag') ?? ''
    expect(etag).toMatch(/^".+"$/)
    const again = await client.get(path, { 'If-None-Match': etag })
    expect([again.status, await textOf(again)]).toEqual([304, ''])
    expect((await client.get(path, { 'If-Match': '"other"' })).status).toBe(412)
  })

  it('answers HEAD without a body, and every origin', async () => {
    const response = await client.send(path, { method: 'HEAD', headers: { Origin: 'https://tool.example' } })
    expect([response.status, await textOf(response)]).toEqual([200, ''])
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
  })

  it('knows no other method', async () => {
    expect((await client.send(path, { method: 'POST' })).status).toBe(405)
  })
})

it.each(NAMES)('%s is the same at both of its places', async (name) => {
  const [first, second] = await Promise.all(
    PLACES.map(async (place) => await textOf(await client.get(`${place}/${name}`))),
  )
  expect(second).toBe(first)
})

async function expectOnly(path: string, id: string): Promise<void> {
  const document = await read(`${path}?only=${id}`)
  expect(idsIn(document)).toEqual([id])
  expect(document.tags.map(({ name }) => name)).toEqual([groupOf(id)])
  expect(new Set(Object.keys(document.components.schemas ?? {}))).toEqual(referencesIn(document))
}

const NO_CASES = [
  ['only=query/nothing', '/only/0'],
  ['only=query/reserved,nothing/*', '/only/1'],
  ['only=', '/only/0'],
  ['only=*', '/only/0'],
  ['only=query', '/only/0'],
  ['without=query/reserved,,path/*', '/without/1'],
  ['only=__proto__/*', '/only/0'],
  ['only=constructor', '/only/0'],
] as const

describe.each(PATHS)('the document at %s', (path) => {
  const version = VERSIONS.find((one) => path.includes(one)) ?? '3.1'
  const known = IDS.filter((id) => versionsOf(id).includes(version))

  it('has every case that its version can say, one a path', async () => {
    const document = await read(path)
    expect(document.openapi).toBe({ '3.0': '3.0.4', '3.1': '3.1.1', '3.2': '3.2.0' }[version])
    expect(document.info.version).toBe(SUITE.replaceAll('-', '.'))
    expect(document.security).toEqual([])
    expect(idsIn(document)).toEqual(known)
    expect(document.tags.map(({ name }) => name)).toEqual(Object.keys(TABLE))
  })

  it.each(ADDRESSES)('has the bench at %s as its only server', async (base) => {
    const document = await read(path, base)
    expect(document.servers.map(({ url }) => url)).toEqual([`${base}/lab/try`])
    const { externalDocs } = document.paths['/query/reserved']?.get ?? {}
    expect(externalDocs?.url).toBe(`${base}/lab/cases/query/reserved`)
  })

  // Each case is cut out in test/service/lab-documents.test.ts.
  it('has only one case, whole, if a caller wants no more', () =>
    eachRow(oneOfEach(known, groupOf), (id) => expectOnly(path, id)))

  it('has whole groups, and leaves out what `without` names', async () => {
    const groups = await read(`${path}?only=cookie/*,xml/wrapped&without=cookie/two`)
    const cookies = known.filter((id) => id.startsWith('cookie/') && id !== 'cookie/two')
    expect(idsIn(groups)).toEqual([...cookies, 'xml/wrapped'])
    const rest = await read(`${path}?without=path/*,query/*,response/*`)
    expect(idsIn(rest)).toEqual(known.filter((id) => !/^(?:path|query|response)\//.test(id)))
    expect(new Set(Object.keys(rest.components.schemas ?? {}))).toEqual(referencesIn(rest))
  })

  it('has no paths if nothing is left', async () => {
    const document = await read(`${path}?only=body/tuple&without=body/*`)
    expect(document).toMatchObject({ tags: [], paths: {}, components: {} })
  })

  it('refuses what is no case and no group', () =>
    eachRow(NO_CASES, async ([query, pointer]) => {
      const response = await client.get(`${path}?${query}`)
      expect(response.status).toBe(400)
      const problem = await bodyOf(response)
      expect(problem).toMatchObject({ errors: [{ pointer }] })
      expect(problem.type).toContain('invalid-query')
    }))

  it('names all faults of both parameters', async () => {
    const { errors } = await bodyOf(await client.get(`${path}?only=a/b&without=path/*,c/d`))
    expect(errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/only/0', '/without/1'])
  })

  it('names at most 20 faults, and takes at most 8,192 characters', async () => {
    const many = await bodyOf(await client.get(`${path}?only=${','.repeat(30)}`))
    expect(many.errors).toHaveLength(20)
    const fitting = 'path/*,'.repeat(1171)
    expect((await client.get(`${path}?only=${fitting.slice(0, 8189)}`)).status).toBe(200)
    expect((await client.get(`${path}?only=${fitting.slice(0, 8193)}`)).status).toBe(400)
  })

  it('refuses a parameter that is there twice', async () => {
    expect((await client.get(`${path}?only=path/*&only=query/*`)).status).toBe(400)
  })
})

describe('a case that a version cannot say', () => {
  it.each([
    ['openapi-3.0.json', SINCE_31],
    ['openapi.json', ONLY_IN_32],
    ['openapi-3.2.json', UNTIL_31],
  ])('leaves %s without paths', (name, ids) =>
    eachRow(ids, async (id) => {
      expect(await read(`/lab/${name}?only=${id}`)).toMatchObject({ tags: [], paths: {}, components: {} })
    }),
  )
})

describe('the name that the document in OpenAPI 3.2 has for itself', () => {
  const selfOf = async (path: string) => (await read(path)) as Document & { $self: string }
  const referenceIn = ({ paths }: Document) =>
    /"\$ref":"(?!#)([^"]+)"/.exec(JSON.stringify(paths['/body/self-reference']))?.[1] ?? ''

  it.each([
    ['/lab/openapi-3.2.json', ''],
    ['/lab/try/openapi-3.2.yaml', ''],
    ['/lab/openapi-3.2.json?only=body/self-reference', '?only=body/self-reference'],
    ['/lab/openapi-3.2.yaml?only=body/*&without=body/jsonl', '?only=body/*&without=body/jsonl'],
  ])('is what its reference leads to: %s', async (path, query) => {
    for (const base of ADDRESSES) {
      const document = await selfOf(base + path)
      expect(document.$self).toBe(`${base}/lab/try/self/openapi-3.2${query}`)
      const reference = referenceIn(document)
      expect(reference).toBe(`openapi-3.2${query}#/components/schemas/BodySelfReferenceValue`)
      expect(new URL(reference, document.$self).href.split('#')[0]).toBe(document.$self)
    }
  })

  it('serves nothing', async () => {
    expect((await client.get('/lab/try/self/openapi-3.2')).status).toBe(404)
  })
})

describe('the notations', () => {
  it('say the same', async () => {
    for (const name of ['openapi', 'openapi-3.2']) {
      const [json, yaml] = [await read(`/lab/${name}.json`), await read(`/lab/${name}.yaml`)]
      expect(yaml).toEqual(json)
    }
    const only = `?only=${ONLY_IN_32.join()}`
    const [json, yaml] = [await read(`/lab/openapi-3.2.json${only}`), await read(`/lab/openapi-3.2.yaml${only}`)]
    expect(yaml).toEqual(json)
  })

  it.each([
    ['/lab/openapi.json', /"example": 9007199254740993\b/],
    ['/lab/openapi.yaml', /example: 9007199254740993\b/],
    ['/lab/openapi.json', /"example": -0\b/],
    ['/lab/openapi.yaml', /example: -0\b/],
  ])('%s has exact numbers: %s', async (path, pattern) => {
    expect(await textOf(await client.get(path))).toMatch(pattern)
  })

  it('writes a small number so that readers of YAML 1.1 take it for one', async () => {
    const text = await textOf(await client.get('/lab/openapi.yaml?only=body/double'))
    expect(text).toContain('- 1.0e-07\n')
    expect(text).toContain('- 5.0e-324\n')
  })
})

describe('operations', () => {
  const operationsOf = ({ paths }: Document) =>
    Object.entries(paths).flatMap(([path, { additionalOperations, ...item }]) =>
      Object.entries({ ...item, ...(additionalOperations as unknown as typeof item) }).map(([method, operation]) => ({
        path,
        method,
        ...operation,
      })),
    )

  it.each(['/lab/openapi.json', '/lab/openapi-3.0.json', '/lab/openapi-3.2.json'])(
    'have ids that differ also without case and signs: %s',
    async (path) => {
      const document = await read(path)
      const ids = operationsOf(document).map(({ operationId }) => operationId)
      const plain = ids.map((id) => id.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))
      expect(new Set(plain).size).toBe(ids.length)
      const components = Object.keys(document.components.schemas ?? {})
      expect(new Set(components.map((name) => name.toLowerCase())).size).toBe(components.length)
      for (const name of components) expect(name).toMatch(/^[A-Z][A-Za-z0-9]*$/)
    },
  )

  it('of a response are GET, and PUT with `Report` at the end of its id', async () => {
    for (const { path, method, operationId } of operationsOf(await read('/lab/openapi.json?only=response/*'))) {
      if (path === '/response/accept') expect(method).toBe('get')
      else expect(operationId.endsWith('Report')).toBe(method === 'put')
    }
  })

  it('of a request are one a path, but that which comes before a POST', async () => {
    for (const [path, item] of Object.entries((await read('/lab/openapi.json?without=response/*')).paths)) {
      const ids = Object.values(item).map(({ operationId }) => operationId)
      expect(ids).toHaveLength(path === '/retry/post-once' ? 2 : 1)
      if (path === '/retry/post-once') expect(ids).toEqual(['retryPostOnceFirst', 'retryPostOnce'])
    }
  })
})

it(`works at ${BASE_URL}`, async () => {
  const index = await bodyOf(await client.get('/openapi.json'))
  expect(Object.keys(index.paths).filter((path) => path.startsWith('/lab'))).toEqual(
    expect.arrayContaining(['/lab/cases', ...PATHS]),
  )
})
