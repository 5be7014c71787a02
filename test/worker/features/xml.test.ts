import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type * as z from 'zod'
import type { ProblemCode } from '../../../src/domain/problems.ts'
import { ImageUploadedMessage } from '../../../src/schemas/image.ts'
import { Planet, PlanetInput, PlanetPage } from '../../../src/schemas/planet.ts'
import { Problem } from '../../../src/schemas/problem.ts'
import { Index } from '../../../src/schemas/service-index.ts'
import { Credentials, SignUp, Token, User } from '../../../src/schemas/user.ts'
import { decodeXml } from '../../../src/xml/decode.ts'
import { encodeXml } from '../../../src/xml/encode.ts'
import { parseTree } from '../../../src/xml/tree.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  ORIGIN,
} from '../../support/app.ts'
import { eachRow } from '../../support/each-row.ts'
import { failingDatabase } from '../../support/failing-database.ts'
import { makePicture } from '../../support/pictures.ts'
import { namespaceOf, readProblem, withoutAdditions } from '../../support/xml.ts'

const JSON_TYPE = 'application/json'
const XML_TYPE = 'application/xml'
const TEXT_XML = 'text/xml; charset=utf-8'
const FORMATS = [JSON_TYPE, XML_TYPE] as const
type MediaType = (typeof FORMATS)[number]

let client: Client
let account: Account
/** A planet of another account. */
let foreign: number

beforeAll(async () => {
  // The clock stands still, so that two responses to the same request are the same.
  const now = new Date()
  client = createClient({ now: () => now })
  account = await createAccount(client, 'Ada & <co>')
  foreign = (await createPlanet(client, await createAccount(client), { name: 'Foreign' })).id
})

const PLANET = PlanetInput.parse({
  name: '007 <b>&amp;</b>',
  description: null,
  type: 'dwarf',
  habitabilityIndex: 0.5,
  physicalProperties: { mass: 1e21, 'surface pressure': -1, temperature: { min: 0, 'at noon': 1e-7 } },
  atmosphere: [{ compound: 'CO2', percentage: 95.3, note: '1' }, {}],
  discoveredAt: '1610-01-07T00:00:00Z',
  image: null,
  satellites: [
    { name: ' ', description: null, diameter: 1, type: 'moon', orbit: { orbitalPeriod: 1.5 } },
    { name: 'b', orbit: {} },
  ],
  tags: ['one'],
  successCallbackUrl: 'https://example.com/?a=1&b=2',
})

/** Sends a body in one format, for a response in a format. */
async function send<Schema extends z.ZodType>(
  method: string,
  path: string,
  [schema, value, sent]: readonly [Schema, z.input<Schema>, MediaType],
  accepted: MediaType,
  headers: Record<string, string> = authorization(account),
): Promise<Response> {
  const body = sent === XML_TYPE ? encodeXml(value, schema) : JSON.stringify(value)
  return client.send(path, { method, body, headers: { 'Content-Type': sent, Accept: accepted, ...headers } })
}

/** The content of a response, in the one of the two formats that it must have. */
async function read<Schema extends z.ZodType>(
  response: Response,
  schema: Schema,
  mediaType: string,
): Promise<z.output<Schema>> {
  expect(response.headers.get('Content-Type')).toBe(mediaType)
  expect(response.headers.get('Vary')).toMatch(/\bAccept\b/)
  const text = await response.text()
  if (/json$/.test(mediaType)) return schema.parse(JSON.parse(text))
  expect(text).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n</)
  if (mediaType === 'application/problem+xml') return schema.parse(readProblem(text))
  expect(namespaceOf(text)).toBeUndefined()
  const { value, faults } = decodeXml(text, schema)
  expect(faults).toEqual([])
  return schema.parse(value)
}

async function rootOf(response: Response): Promise<string> {
  return parseTree(await response.clone().text()).name
}

describe('every read has the same content in XML', () => {
  let id: number

  beforeAll(async () => {
    id = (await createPlanet(client, account, PLANET)).id
  })

  it.each<[string, string, z.ZodObject, () => string]>([
    ['a planet', 'planet', Planet, () => `/planets/${id}`],
    ['a list', 'planets', PlanetPage, () => '/planets?limit=3'],
    ['the last page of a list', 'planets', PlanetPage, () => '/planets?limit=1&offset=1'],
    ['a page past the end', 'planets', PlanetPage, () => '/planets?offset=99999'],
    ['the caller', 'user', User, () => '/me'],
    ['the index', 'index', Index, () => '/'],
  ])('%s', async (_, root, schema, path) => {
    const json = await client.get(path(), { Accept: JSON_TYPE, ...authorization(account) })
    const xml = await client.get(path(), { Accept: XML_TYPE, ...authorization(account) })
    expect([json.status, xml.status]).toEqual([200, 200])
    expect(await rootOf(xml)).toBe(root)
    const empty = path().includes('99999') ? { data: [] } : {}
    expect({ ...empty, ...(await readLoosely(xml, schema)) }).toEqual(await read(json, schema, JSON_TYPE))
  })

  /** Parses as a client that does not know which elements are lists. */
  async function readLoosely(response: Response, schema: z.ZodObject): Promise<object> {
    return await read(response, schema.partial(), XML_TYPE)
  }

  it('HEAD has the headers of GET and no body', async () => {
    const headers = { Accept: XML_TYPE }
    const head = await client.send(`/planets/${id}`, { method: 'HEAD', headers })
    expect(head.headers.get('Content-Type')).toBe(XML_TYPE)
    expect(head.headers.get('ETag')).toBe((await client.get(`/planets/${id}`, headers)).headers.get('ETag'))
    expect(await head.text()).toBe('')
  })

  it('the headers of a list are the same', async () => {
    const [json, xml] = await Promise.all(FORMATS.map((type) => client.get('/planets?limit=2', { Accept: type })))
    for (const name of ['Link', 'X-Pagination-Total', 'X-Pagination-Page', 'X-Pagination-Per-Page', 'Cache-Control']) {
      expect(xml?.headers.get(name)).toBe(json?.headers.get(name))
      expect(json?.headers.get(name)).toBeTruthy()
    }
  })

  it('documents that are JSON by their own standard are not offered in XML', async () => {
    expect((await client.get('/.well-known/jwks.json', { Accept: XML_TYPE })).status).toBe(406)
  })
})

describe.each(FORMATS)('a body of %s', (sent) => {
  describe.each(FORMATS)('with a response in %s', (accepted) => {
    it('creates a planet', async () => {
      const response = await send('POST', '/planets', [PlanetInput, PLANET, sent], accepted)
      expect(response.status).toBe(201)
      const format = accepted === XML_TYPE ? 'xml' : 'json'
      expect(response.headers.get('ETag')).toBe(`"1-${format}"`)
      if (accepted === XML_TYPE) expect(await rootOf(response)).toBe('planet')
      const made = await read(response, Planet, accepted)
      expect(response.headers.get('Location')).toBe(`${ORIGIN}/planets/${made.id}`)
      expect(made.creator).toEqual({ id: account.id, name: 'Ada & <co>' })
      expect(withoutAdditions(made)).toEqual(PLANET)
      expect(await bodyOf(await client.get(`/planets/${made.id}`))).toEqual(made)
    })

    it('replaces a planet, whose satellites keep their ids', async () => {
      const made = await createPlanet(client, account, { name: 'Before', satellites: PLANET.satellites, tags: ['x'] })
      const response = await send('PUT', `/planets/${made.id}`, [PlanetInput, PLANET, sent], accepted)
      expect(response.status).toBe(200)
      if (accepted === XML_TYPE) expect(await rootOf(response)).toBe('planet')
      const put = await read(response, Planet, accepted)
      expect(withoutAdditions(put)).toEqual(PLANET)
      expect(put.satellites).toEqual(
        made.satellites.map((one: { orbit?: object }) => ({
          ...one,
          orbit: { ...one.orbit, planet: { id: made.id, name: PLANET.name } },
        })),
      )
      expect(await bodyOf(await client.get(`/planets/${made.id}`))).toEqual(put)
    })

    it('creates an account that can sign in', async () => {
      const headers = { 'CF-Connecting-IP': crypto.randomUUID() }
      const credentials = { email: `${crypto.randomUUID()}@galaxy.test`, password: ' <1e3> &amp; ' }
      const user = [SignUp, { ...credentials, name: '007' }, sent] as const
      const signedUp = await send('POST', '/user/signup', user, accepted, headers)
      expect(signedUp.status).toBe(201)
      if (accepted === XML_TYPE) expect(await rootOf(signedUp)).toBe('user')
      const { id, name } = await read(signedUp, User, accepted)
      expect(name).toBe('007')

      const answer = await send('POST', '/auth/token', [Credentials, credentials, sent], accepted, headers)
      expect(answer.status).toBe(201)
      if (accepted === XML_TYPE) expect(await rootOf(answer)).toBe('token')
      const { token } = await read(answer, Token, accepted)
      const me = await client.get('/me', { Accept: accepted, Authorization: `Bearer ${token}` })
      expect(await read(me, User, accepted)).toEqual({ id, name })
    })

    it('is rejected with the same errors', async () => {
      const value = {
        name: '',
        tags: [''],
        physicalProperties: { mass: -1, x: 'y' },
        atmosphere: [{ percentage: 101 }],
      }
      const response = await send('POST', '/planets', [PlanetInput, value as never, sent], accepted)
      const problem = await read(response, Problem, accepted.replace('/', '/problem+'))
      expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([
        '/name',
        '/physicalProperties/mass',
        '/physicalProperties/x',
        '/atmosphere/0/percentage',
        '/tags/0',
      ])
    })
  })
})

it.each(FORMATS)('an upload is answered in %s', async (accepted) => {
  const { id } = await createPlanet(client, account, { name: 'Pictured' })
  const body = new FormData()
  body.set('image', new File([makePicture()], 'a.png'))
  const headers = { Accept: accepted, ...authorization(account) }
  const response = await client.send(`/planets/${id}/image`, { method: 'POST', body, headers })
  expect(response.status).toBe(200)
  if (accepted === XML_TYPE) expect(await rootOf(response)).toBe('imageUploadedMessage')
  const message = await read(response, ImageUploadedMessage, accepted)
  expect(message).toMatchObject({ message: 'Image uploaded successfully', fileSize: 100, mimeType: 'image/png' })
  expect((await bodyOf(await client.get(`/planets/${id}`))).image).toBe(message.imageUrl)
  // A planet with an upload can be sent back as it was read, and keeps the upload.
  const text = await (await client.get(`/planets/${id}`, { Accept: XML_TYPE })).text()
  expect((await putXml(id, text)).status).toBe(200)
  expect((await bodyOf(await client.get(`/planets/${id}`))).image).toBe(message.imageUrl)
})

describe('an error that only XML can have is reported with its pointer', () => {
  it('to the member that it is about', () =>
    eachRow(
      [
        ['an element twice', '<planet><name>a</name><name>b</name></planet>', ['/name']],
        ['text beside elements', '<planet>x<name>a</name></planet>', ['']],
        ['a reserved name', '<planet><name>a</name><__proto__/></planet>', ['/__proto__']],
        ['a name with U+0000', '<planet><name>a</name><_x0000_/></planet>', ['']],
        [
          'a name with half a character',
          '<planet><physicalProperties><_xD800_>1</_xD800_></physicalProperties></planet>',
          ['/physicalProperties'],
        ],
        ['a long name', `<planet><${'x'.repeat(201)}/></planet>`, ['']],
        ['an unknown element', '<planet><name>a</name><moons/></planet>', ['/moons']],
        [
          'a reserved additional name',
          '<planet><name>a</name><physicalProperties><constructor>1</constructor></physicalProperties></planet>',
          ['/physicalProperties/constructor'],
        ],
        [
          'null where none may be',
          '<planet><name xsi:nil="true"/><tags xsi:nil="true"/></planet>',
          ['/name', '/tags/0'],
        ],
        ['null at the top', '<planet xsi:nil="true"/>', ['']],
        ['elements where text is expected', '<planet><name><b>Mars</b></name></planet>', ['/name']],
        [
          'an invalid number',
          '<planet><name>a</name><habitabilityIndex>0x1</habitabilityIndex></planet>',
          ['/habitabilityIndex'],
        ],
        [
          'a number that is too large',
          '<planet><name>a</name><physicalProperties><x>1e400</x></physicalProperties></planet>',
          ['/physicalProperties/x'],
        ],
        ['an empty number', '<planet><name>a</name><habitabilityIndex/></planet>', ['/habitabilityIndex']],
      ],
      async ([, text, pointers]) => {
        const response = await postXml(text)
        expect(response.status).toBe(400)
        expect((await bodyOf(response)).errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers)
      },
    ))
})

describe('every problem has the same content in XML', () => {
  const requestId = '0f8fad5b-d9cb-469f-a165-70867728950e'
  const body = JSON.stringify({ name: 'Terra' })

  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
  })

  afterEach(() => {
    vi.restoreAllMocks()
  })

  type Send = (path: string, init: RequestInit & { headers?: Record<string, string> }) => Promise<Response>
  const failing = (message: string) => createClient({ database: failingDatabase(message) })
  const signUp = (user: object): Parameters<Send> => [
    '/user/signup',
    {
      method: 'POST',
      body: JSON.stringify(user),
      headers: { 'Content-Type': JSON_TYPE, 'CF-Connecting-IP': crypto.randomUUID() },
    },
  ]
  const post = (content: BodyInit, headers = {}): Parameters<Send> => [
    '/planets',
    { method: 'POST', body: content, headers: { 'Content-Type': JSON_TYPE, ...authorization(account), ...headers } },
  ]

  it.each<[ProblemCode, () => Parameters<Send>, (() => Client)?]>([
    ['malformed-body', () => post('{')],
    ['malformed-body', () => post('<planet>', { 'Content-Type': XML_TYPE })],
    ['invalid-body', () => post('{"name":"","<b>&":1}')],
    ['invalid-query', () => ['/planets?limit=0&offset=-1', {}]],
    [
      'invalid-image',
      () => [`/planets/${foreign}/image`, { method: 'POST', body: new FormData(), headers: authorization(account) }],
    ],
    ['bad-request', () => ['/planets', { headers: { 'X-D1-Bookmark': '<page>' } }]],
    ['bad-request', () => ['/planets', { headers: { 'API-Version': '<3>' } }]],
    ['unauthorized', () => ['/me', {}]],
    ['unauthorized', () => ['/me', { headers: { Authorization: 'Bearer <forged>' } }]],
    ['forbidden', () => [`/planets/${foreign}`, { method: 'DELETE', headers: authorization(account) }]],
    [
      'signup-closed',
      () => signUp({ email: 'a@b.co', password: 'secret' }),
      () => createClient({ config: { signupOpen: false } }),
    ],
    ['not-found', () => ['/<nowhere>', {}]],
    ['not-found', () => ['/planets/9007199254740991', {}]],
    ['method-not-allowed', () => ['/me', { method: 'PUT' }]],
    ['conflict', () => signUp({ email: account.email, password: 'secret' })],
    ['precondition-failed', () => [`/planets/${foreign}`, { headers: { 'If-Match': '"<other>"' } }]],
    ['content-too-large', () => post('x'.repeat(256 * 1024 + 1))],
    ['unsupported-media-type', () => post(body, { 'Content-Type': 'text/<b>&amp;' })],
    ['unprocessable-content', () => signUp({ email: 'short@galaxy.test', password: '<&>' })],
    ['internal-error', () => ['/planets', {}], () => failing('<secret>')],
    ['service-unavailable', () => ['/planets', {}], () => failing('D1_ERROR: D1 DB is overloaded.')],
  ])('%s', async (code, request, make = () => client) => {
    const answers = await Promise.all(
      FORMATS.map((type) => {
        const [path, init] = request()
        const headers = { ...init.headers, Accept: type, 'X-Request-ID': requestId }
        return make().send(path, { ...init, headers })
      }),
    )
    const [json, xml] = answers as [Response, Response]
    expect(xml.status).toBe(json.status)
    expect(await rootOf(xml)).toBe('problem')
    const problem = await read(xml, Problem, 'application/problem+xml')
    expect(problem).toEqual(await read(json, Problem, 'application/problem+json'))
    expect(problem).toMatchObject({ type: `${ORIGIN}/problems/${code}`, status: xml.status })
    for (const name of ['Allow', 'WWW-Authenticate', 'Retry-After', 'Cache-Control']) {
      expect(xml.headers.get(name)).toBe(json.headers.get(name))
    }
  })

  it('too many attempts', async () => {
    const limited = createClient({ config: { passwordAttempts: 1 } })
    const attempt = (accept: string) =>
      limited.send('/auth/token', {
        method: 'POST',
        body: encodeXml({ email: 'a@b.co', password: 'secret' }, Credentials),
        headers: { 'Content-Type': XML_TYPE, Accept: accept, 'CF-Connecting-IP': 'attempts' },
      })
    expect((await attempt(XML_TYPE)).status).toBe(401)
    const response = await attempt(XML_TYPE)
    expect(response.status).toBe(429)
    expect(await read(response, Problem, 'application/problem+xml')).toMatchObject({ status: 429 })
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0)
  })

  it('a range that an image does not have', async () => {
    const { id } = await createPlanet(client, account, { name: 'Pictured' })
    const { imageUrl } = await bodyOf(await client.upload(`/planets/${id}/image`, makePicture(), account))
    const response = await client.get(imageUrl, { Accept: XML_TYPE, Range: 'bytes=1000-' })
    expect(await read(response, Problem, 'application/problem+xml')).toMatchObject({ status: 416 })
  })

  it('of a client that cannot be served decides about the error too', () =>
    eachRow(
      [
        ['application/problem+xml', 'application/problem+xml'],
        ['application/problem+json', 'application/problem+json'],
        ['application/problem+xml, application/problem+json', 'application/problem+json'],
        ['application/problem+json;q=0.5, application/problem+xml', 'application/problem+xml'],
        ['image/png', 'application/problem+json'],
        ['text/*', 'application/problem+json'],
      ],
      async ([accept, type]) => {
        const response = await client.get('/planets/1', { Accept: accept })
        expect(await read(response, Problem, type)).toMatchObject({ status: 406 })
        expect((await client.get('/nowhere', { Accept: accept })).headers.get('Content-Type')).toBe(type)
      },
    ))
})

it('of a client that wants XML gets errors in XML', () =>
  eachRow(
    ['text/xml', 'text/xml, application/json;q=0.9', 'text/html;q=0.5, application/problem+xml;q=0.9'],
    async (accept) => {
      for (const path of ['/nowhere', '/planets/999999', '/planets?limit=x']) {
        const response = await client.get(path, { Accept: accept })
        await read(response, Problem, 'application/problem+xml')
      }
    },
  ))

describe('Accept', () => {
  it('leads to the format that it prefers, as RFC 9110 says', () =>
    eachRow(
      [
        [undefined, JSON_TYPE],
        ['', JSON_TYPE],
        ['*/*', JSON_TYPE],
        ['application/*', JSON_TYPE],
        ['application/xml', XML_TYPE],
        ['APPLICATION/XML', XML_TYPE],
        ['application/xml; charset=utf-8', XML_TYPE],
        ['application/xml;q=0.001', XML_TYPE],
        ['application/xml, */*;q=0.1', XML_TYPE],
        ['image/png, application/xml;q=0.2', XML_TYPE],
        // Ties: the service's first format wins.
        ['application/xml, application/json', JSON_TYPE],
        ['application/xml, */*', JSON_TYPE],
        ['application/xml;q=0.5, application/json;q=0.5', JSON_TYPE],
        ['application/json;q=0.9, application/xml', XML_TYPE],
        ['application/json, application/xml;q=0.9', JSON_TYPE],
        ['application/*;q=0.5, application/xml;q=0.4', JSON_TYPE],
        ['application/*;q=0.5, application/json;q=0.4', XML_TYPE],
        ['*/*;q=0.9, application/json;q=0.1', XML_TYPE],
        ['application/json;q=0, */*', XML_TYPE],
        ['application/json;q=0, application/*;q=0.1', XML_TYPE],
        ['application/xml;q=0, */*', JSON_TYPE],
        ['application/xml;q=0, application/json;q=0.001', JSON_TYPE],
        // The other name of the same media type (RFC 7303, section 9.2).
        ['text/xml', TEXT_XML],
        ['TEXT/XML; charset=iso-8859-1', TEXT_XML],
        ['text/xml, application/xhtml+xml', TEXT_XML],
        ['text/xml, application/json;q=0.1', TEXT_XML],
        ['text/xml;q=0.1, application/json', JSON_TYPE],
        ['text/xml, application/json', JSON_TYPE],
        ['text/xml, */*', JSON_TYPE],
        ['text/xml, */*;q=0.9', TEXT_XML],
        ['text/xml, application/xml', XML_TYPE],
        ['text/xml;q=0.5, application/xml;q=0.4', TEXT_XML],
        ['text/xml;q=0.4, application/xml;q=0.5', XML_TYPE],
        ['text/xml;q=0, application/xml', XML_TYPE],
        ['text/xml, text/html;q=0.9', TEXT_XML],
        ['text/xml, text/html', JSON_TYPE],
        ['text/xml;q=0.9, text/html', JSON_TYPE],
        // Browsers, which list text/html.
        ['text/html', JSON_TYPE],
        ['text/html, application/xml', JSON_TYPE],
        ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', JSON_TYPE],
        [
          'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/png,image/svg+xml,*/*;q=0.8',
          JSON_TYPE,
        ],
        [
          'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
          JSON_TYPE,
        ],
        ['application/xml,application/xhtml+xml,text/html;q=0.9,text/plain;q=0.8,image/png,*/*;q=0.5', JSON_TYPE],
        ['application/xml, text/html;q=0.9', XML_TYPE],
        ['application/xml, text/html;q=0.9, */*;q=0.8', XML_TYPE],
        ['application/xml;q=0.9, text/html;q=0.8, application/json;q=0.1', XML_TYPE],
        ['application/xml;q=0.9, text/html;q=0.8, application/json', JSON_TYPE],
        ['text/html;q=0, application/xml', XML_TYPE],
      ],
      async ([accept, type]) => {
        const response = await client.get('/planets/1', accept === undefined ? {} : { Accept: accept })
        expect([response.status, response.headers.get('Content-Type')]).toEqual([200, type])
        expect(response.headers.get('Vary')).toMatch(/\bAccept\b/)
      },
    ))

  it('of nothing that exists is 406', () =>
    eachRow(
      [
        'text/xml;q=0',
        'text/*',
        'application/problem+xml',
        'application/atom+xml',
        'application/xml;q=0',
        'application/xml;q=0.0, application/json;q=0.000',
        'application/*;q=0, application/pdf',
        '*/*;q=0',
      ],
      async (accept) => {
        expect((await client.get('/planets/1', { Accept: accept })).status).toBe(406)
      },
    ))
})

describe('Content-Type', () => {
  it('of XML is read as XML', () =>
    eachRow(
      [
        'application/xml',
        'text/xml',
        'Application/XML',
        'application/xml; charset=utf-8',
        'text/xml;charset="UTF-8"',
        'application/xml; version=1.0',
      ],
      async (type) => {
        expect((await postXml('<planet><name>a</name></planet>', { 'Content-Type': type })).status).toBe(201)
      },
    ))

  it('of anything else is 415, and the error lists XML', () =>
    eachRow(
      [
        'application/atom+xml',
        'application/problem+xml',
        'image/svg+xml',
        'application/xhtml+xml',
        'application/xml-dtd',
        'application/xml-external-parsed-entity',
        'xml',
      ],
      async (type) => {
        const response = await postXml('<planet><name>a</name></planet>', { 'Content-Type': type })
        expect(response.status).toBe(415)
        expect((await bodyOf(response)).detail).toContain('application/xml')
      },
    ))

  it('one format under the name of the other is 400', async () => {
    expect((await postXml('{"name":"a"}')).status).toBe(400)
    const text = '<planet><name>a</name></planet>'
    expect((await client.sendJson('POST', '/planets', text, account)).status).toBe(400)
    expect(
      (
        await client.send('/planets', {
          method: 'POST',
          body: new TextEncoder().encode(text),
          headers: authorization(account),
        })
      ).status,
    ).toBe(400)
  })

  it('a byte-order mark is ignored, a second one is not', async () => {
    expect((await postXml('\ufeff<?xml version="1.0"?><planet><name>a</name></planet>')).status).toBe(201)
    expect((await postXml('\ufeff\ufeff<planet><name>a</name></planet>')).status).toBe(400)
  })

  it('256 KiB are accepted, one byte more is 413', async () => {
    const text = '<planet><name>a</name></planet>'
    expect((await postXml(text.padEnd(256 * 1024))).status).toBe(201)
    expect((await postXml(text.padEnd(256 * 1024 + 1))).status).toBe(413)
  })
})

describe('each format has its own tag', () => {
  let id: number
  let tags: Record<MediaType, string>

  beforeEach(async () => {
    id = (await createPlanet(client, account, { name: 'Tagged' })).id
    tags = { [JSON_TYPE]: await tagOf(JSON_TYPE), [XML_TYPE]: await tagOf(XML_TYPE) }
  })

  const get = (accept: string, headers = {}) => client.get(`/planets/${id}`, { Accept: accept, ...headers })
  const tagOf = async (accept: string) => (await get(accept)).headers.get('ETag') ?? ''

  it('which differ and are strong', () => {
    expect(tags[JSON_TYPE]).not.toBe(tags[XML_TYPE])
    for (const tag of Object.values(tags)) expect(tag).toMatch(/^"[^"]+"$/)
  })

  it('If-None-Match gives 304 only for the format that the reader has', async () => {
    expect((await get(XML_TYPE, { 'If-None-Match': tags[XML_TYPE] })).status).toBe(304)
    expect((await get(JSON_TYPE, { 'If-None-Match': tags[JSON_TYPE] })).status).toBe(304)
    expect((await get(XML_TYPE, { 'If-None-Match': tags[JSON_TYPE] })).status).toBe(200)
    expect((await get(JSON_TYPE, { 'If-None-Match': tags[XML_TYPE] })).status).toBe(200)
    expect((await get(XML_TYPE, { 'If-None-Match': `${tags[JSON_TYPE]}, ${tags[XML_TYPE]}` })).status).toBe(304)
  })

  it('a 304 names the headers that the format depends on, for caches (RFC 9110, section 15.4.5)', async () => {
    const response = await get(XML_TYPE, { 'If-None-Match': tags[XML_TYPE] })
    expect(response.headers.get('Vary')).toMatch(/\bAccept\b/)
    expect(response.headers.get('ETag')).toBe(tags[XML_TYPE])
  })

  const writes = [
    [
      'PUT',
      200,
      (headers: object) =>
        send('PUT', `/planets/${id}`, [PlanetInput, { name: 'New' }, XML_TYPE], XML_TYPE, {
          ...authorization(account),
          ...headers,
        }),
    ],
    [
      'DELETE',
      204,
      (headers: object) =>
        client.send(`/planets/${id}`, { method: 'DELETE', headers: { ...authorization(account), ...headers } }),
    ],
  ] as const

  describe.each(writes)('%s', (_, success, write) => {
    it.each(FORMATS)('with the tag of %s in If-Match succeeds once', async (type) => {
      expect((await write({ 'If-Match': tags[type] })).status).toBe(success)
      expect((await write({ 'If-Match': tags[type] })).status).toBe(success === 204 ? 404 : 412)
    })

    it.each(FORMATS)('with the tag of %s in If-None-Match is rejected', async (type) => {
      expect((await write({ 'If-None-Match': tags[type] })).status).toBe(412)
    })

    it('with a tag of no format is rejected', async () => {
      expect((await write({ 'If-Match': tags[XML_TYPE].replace('xml', 'yaml') })).status).toBe(412)
    })
  })

  it('an account has them too', async () => {
    const me = (accept: string, headers = {}) =>
      client.get('/me', { Accept: accept, ...authorization(account), ...headers })
    const xml = (await me(XML_TYPE)).headers.get('ETag') ?? ''
    expect(xml).not.toBe((await me(JSON_TYPE)).headers.get('ETag'))
    expect((await me(XML_TYPE, { 'If-None-Match': xml })).status).toBe(304)
    expect((await me(JSON_TYPE, { 'If-None-Match': xml })).status).toBe(200)
  })
})

function postXml(text: string, headers: Record<string, string> = {}): Promise<Response> {
  return client.send('/planets', {
    method: 'POST',
    body: text,
    headers: { 'Content-Type': XML_TYPE, ...authorization(account), ...headers },
  })
}

function putXml(id: number, text: string): Promise<Response> {
  const headers = { 'Content-Type': XML_TYPE, ...authorization(account) }
  return client.send(`/planets/${id}`, { method: 'PUT', body: text, headers })
}
