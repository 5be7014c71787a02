import { beforeAll, describe, expect, it } from 'vitest'
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
import { BASE_HOST, BASE_ORIGIN, BASE_PATH, UNIVERSE_HOST, UNIVERSE_ID, WORLD } from '../../support/world.ts'

// Where the header Destination of a COPY leads.

const LENGTH_MAX = 2048

let client: Client
let account: Account
let sourceId: number
let ownId: number

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
  sourceId = (await createPlanet(client, account, { name: 'Source' })).id
  ownId = (await createPlanet(client, account, { name: 'Own' })).id
})

const copy = (destination: string, of = client) =>
  of.send(`/planets/${sourceId}`, {
    method: 'COPY',
    headers: { ...authorization(account), Destination: destination },
  })

/** The form of an id in which each digit is percent-encoded. */
const encoded = (id: number) => String(id).replaceAll(/\d/g, (digit) => `%3${digit}`)

/** A reference to the list of planets with this number of characters. */
const ofLength = (length: number) => `/planets${'/.'.repeat(length)}`.slice(0, length)

describe('a Destination', () => {
  it.each<[string, () => string]>([
    ['a path', () => '/planets'],
    ['a path with a slash', () => '/planets/'],
    ['a path with dots', () => '/planets/./../planets/.'],
    ['a URL', () => `${ORIGIN}/planets`],
    ['a URL with a slash', () => `${ORIGIN}/planets/`],
    ['a URL with capital letters', () => `${ORIGIN}/planets`.replace(BASE_ORIGIN, BASE_ORIGIN.toUpperCase())],
    ['a URL with the usual port', () => `${ORIGIN}/planets`.replace(BASE_HOST, `${BASE_HOST}:80`)],
    ['a network path', () => `//${BASE_HOST}${BASE_PATH}/planets`],
    ['a path with the base path', () => `${BASE_PATH}/planets`],
    ['a path from the source', () => '../planets'],
    ['the folder of the source', () => './'],
    ['the longest', () => ofLength(LENGTH_MAX)],
  ])('can be %s, and the service chooses the id', async (_, destination) => {
    const response = await copy(destination())
    expect(response.status).toBe(201)
    expect((await bodyOf(response)).id).toBeGreaterThan(ownId)
  })

  it.each<[string, () => string]>([
    ['a path', () => `/planets/${ownId}`],
    ['an encoded path', () => `/planets/${encoded(ownId)}`],
    ['a URL', () => `${ORIGIN}/planets/${ownId}`],
    ['a network path', () => `//${BASE_HOST}${BASE_PATH}/planets/${ownId}`],
    ['a path with the base path', () => `${BASE_PATH}/planets/${ownId}`],
    ['a path from the source', () => String(ownId)],
    ['a longer path from the source', () => `../planets/./${ownId}`],
  ])('can be a planet as %s', async (_, destination) => {
    const response = await copy(destination())
    expect(response.status).toBe(200)
    expect((await bodyOf(response)).id).toBe(ownId)
  })

  it.runIf(WORLD !== 'common')('can have either address of a universe', async () => {
    const known = createClient({ config: { publicUrl: 'http://galaxy.test' } })
    for (const base of [`http://galaxy.test/u/${UNIVERSE_ID}`, `http://${UNIVERSE_ID}.${UNIVERSE_HOST}`]) {
      expect((await copy(`${base}/planets`, known)).status).toBe(201)
      expect((await copy(`${base}/planets/${ownId}`, known)).status).toBe(200)
    }
  })

  it('can have any host at which the operator says that the service answers, and no other', async () => {
    const path = WORLD === 'common' ? '' : `/u/${UNIVERSE_ID}`
    const at = (host: string, of = client) => copy(`http://${host}${path}/planets/${ownId}`, of)
    const known = createClient({ config: { ownAddresses: ['192.0.2.7:8787'] } })
    expect((await at('192.0.2.7:8787', known)).status).toBe(200)
    for (const host of ['192.0.2.7', '192.0.2.8:8787'])
      expect([host, (await at(host, known)).status]).toEqual([host, 400])
    expect((await at('192.0.2.7:8787')).status).toBe(400)
  })

  it('can have https if a proxy in front of the service speaks it', async () => {
    expect((await copy(`${ORIGIN.replace('http:', 'https:')}/planets/${ownId}`)).status).toBe(200)
  })

  it.each<[string, () => string]>([
    ['a word', () => 'planets'],
    ['the root', () => '/'],
    ['another path', () => '/celestial-bodies'],
    ['a path that only begins like it', () => '/planetsoids'],
    ['a path below the planet', () => `/planets/${ownId}/image`],
    ['a planet with a slash', () => `/planets/${ownId}/`],
    ['two slashes', () => '/planets//'],
    ['a path twice', () => '/planets/planets'],
    ['another route', () => '/planets/search'],
    ['the id 0', () => '/planets/0'],
    ['a leading zero', () => `/planets/0${ownId}`],
    ['a sign', () => `/planets/+${ownId}`],
    ['a fraction', () => `/planets/${ownId}.0`],
    ['an id above 2^53', () => '/planets/9007199254740993'],
    ['an encoded slash', () => `/planets%2F${ownId}`],
    ['a query', () => '/planets?limit=1'],
    ['an empty query', () => `/planets/${ownId}?`],
    ['a fragment', () => `/planets/${ownId}#top`],
    ['an empty fragment', () => '/planets#'],
    ['another host', () => 'https://elsewhere.example/planets'],
    ['another host as a network path', () => `//elsewhere.example/planets/${ownId}`],
    ['another port', () => `${BASE_ORIGIN}:8080${BASE_PATH}/planets`],
    ['a user', () => `${ORIGIN}/planets`.replace('://', '://ada:secret@')],
    ['another scheme', () => 'ftp://galaxy.test/planets'],
    ['no path', () => 'mailto:ada@galaxy.test'],
    ['another universe', () => `http://galaxy.test/u/${'a'.repeat(24)}/planets`],
    ['another universe by host', () => `http://${'a'.repeat(24)}.${UNIVERSE_HOST}/planets`],
    ['a broken URL', () => 'http://[/planets'],
    ['two references', () => '/planets, /planets'],
    ['a placeholder', () => '<string>'],
    ['a backslash', () => '\\planets'],
    ['a broken escape', () => '/planets/%zz'],
    ['a character beyond ASCII', () => '/planets/é'],
    ['too long', () => ofLength(LENGTH_MAX + 1)],
  ])('is 400 if it is %s', async (_, destination) => {
    const response = await copy(destination())
    const { type, detail } = await bodyOf(response)
    expect([response.status, type]).toEqual([400, `${ORIGIN}/problems/bad-request`])
    expect(detail).toMatch(/^Destination /)
  })

  it.runIf(WORLD !== 'common')('is 400 if it is the common world', async () => {
    expect((await copy('http://galaxy.test/planets')).status).toBe(400)
  })

  it.runIf(WORLD === 'common')('is 400 if it is empty', async () => {
    expect((await copy('')).status).toBe(400)
  })
})
