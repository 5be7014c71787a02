import { beforeAll, describe, expect, it } from 'vitest'
import { HEADERS } from '../../../../src/http/headers.ts'
import { type Account, type Client, createAccount, createClient, createPlanet } from '../../../support/app.ts'
import { makePicture } from '../../../support/pictures.ts'
import { SCRIPT_PAYLOADS } from '../../../support/script-payloads.ts'
import { loadShippedPlanets, SHIPPED } from '../../../support/shipped.ts'

const JUPITER = 5

let client: Client
let account: Account

beforeAll(async () => {
  await loadShippedPlanets()
  client = createClient()
  account = await createAccount(client, 'Ada')
})

async function readPage(id: number | string): Promise<string> {
  const response = await client.get(`/explore/planets/${id}`)
  expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
  return await response.text()
}

/** Parses a page. @returns Its elements with their attributes, without their order, and its text */
async function parse(page: string): Promise<{ elements: string[]; texts: string[] }> {
  const elements: string[] = []
  const texts: string[] = []
  let text = ''
  const rewriter = new HTMLRewriter().on('*', {
    element({ tagName, attributes }) {
      elements.push([tagName, ...[...attributes].map(([name = '']) => name)].join(' '))
    },
    text(chunk) {
      text += chunk.text
      if (!chunk.lastInTextNode) return
      texts.push(decode(text))
      text = ''
    },
  })
  await rewriter.transform(new Response(page)).text()
  return { elements, texts }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const decode = (text: string) => text.replaceAll(/&(#?\w+);/g, (whole, name) => ENTITIES[name] ?? whole)

describe('the page about a shipped planet', () => {
  it('has its figures with units, its moons, and where they come from', async () => {
    const { texts } = await parse(await readPage(JUPITER))
    const text = texts.join(' ')
    for (const part of [
      'Jupiter',
      '318 Earth masses',
      '317.8 Earth masses',
      'Earth radii',
      'Surface gravity',
      'Ganymede',
      '1,070,000',
      '1,070,400',
      '500,000 km long',
      'Open Exoplanet Catalogue',
      'Galaxy has computed the type',
    ]) {
      expect(text).toContain(part)
    }
  })

  it('says that its type follows from its size, and not what it is made of', async () => {
    const { texts } = await parse(await readPage(JUPITER))
    expect(texts).toContain('Gas giant')
    expect(texts).toContain('The type follows from the size alone.')
    expect(texts.join(' ')).not.toContain('Made of')
  })

  it('tells only the year of its discovery', async () => {
    const { texts } = await parse(await readPage(10))
    expect(texts).toContain('2008')
    expect(texts).toContain('The catalogue has only the year.')
  })

  it.each([1, JUPITER, 10, SHIPPED])('has the documents and the headers of the API: planet %i', async (id) => {
    const { texts } = await parse(await readPage(id))
    const json = await client.get(`/planets/${id}`)
    const xml = await client.get(`/planets/${id}`, { Accept: 'application/xml' })
    expect(texts).toContain(JSON.stringify(await json.json(), null, 2))
    expect(texts.map((text) => text.replaceAll(/\n */g, ''))).toContain((await xml.text()).replace('\n', ''))
    for (const response of [json, xml]) {
      for (const name of ['ETag', 'Last-Modified', 'Vary', 'Content-Type']) {
        expect(texts).toContain(response.headers.get(name) ?? 'missing')
      }
    }
    const shown = Object.keys(HEADERS).filter((name) => texts.includes(name))
    const sent = Object.keys(HEADERS).filter((name) => json.headers.has(name) && !name.startsWith('Access-Control-'))
    expect(
      sent.filter(
        (name) => !shown.includes(name) && !/^X-D1-|^Server-Timing|^X-Content|^Ref|^Cross|^X-Frame/.test(name),
      ),
    ).toEqual([])
  })

  it('leads to the planets before and after it', async () => {
    const first = await readPage(1)
    expect(first).not.toContain('rel="prev"')
    expect(first).toContain('href="/explore/planets/2"')
    expect(await readPage(JUPITER)).toMatch(/explore\/planets\/4".*explore\/planets\/6"/s)
  })
})

describe('the page about a planet of a user', () => {
  it('has all that its creator has set, and says who that is', async () => {
    const { id } = await createPlanet(client, account, {
      name: 'Arrakis',
      description: 'Dune',
      type: 'super_earth',
      habitabilityIndex: 0.1,
      physicalProperties: { mass: 1e-7, orbitalPeriod: 353, spice: -12345.678, temperature: { min: 280, night: 3 } },
      atmosphere: [{ compound: 'N2', percentage: 75.4, smell: 'cinnamon' }],
      discoveredAt: '1965-08-01T12:00:00+02:00',
      image: 'https://images.example/dune.png',
      tags: ['desert'],
    })
    const page = await readPage(id)
    const { texts } = await parse(page)
    for (const text of [
      'Arrakis',
      'Dune',
      'Super-Earth',
      'Heavier than Earth, lighter than Neptune',
      '1e−7 Earth masses',
      '280 K (7 °C)',
      'Temperature: night',
      'spice',
      '−12,345.678',
      '353',
      'cinnamon',
      '1965-08-01T12:00:00+02:00',
      'https://images.example/dune.png',
      'desert',
      'Ada',
    ]) {
      expect(texts).toContain(text)
    }
    expect(page).not.toContain('<img')
    expect(page).not.toContain('353 days')
    expect(texts.join('')).toContain('Nobody has checked these facts.')
    expect(texts).toContain('This planet has no satellites in Galaxy.')
  })

  it('shows a picture that was uploaded', async () => {
    const { id } = await createPlanet(client, account, { name: 'Caladan', image: 'https://images.example/sea.png' })
    await client.upload(`/planets/${id}/image`, makePicture(), account)
    const page = await readPage(id)
    const [, source = ''] = /<img[^>]* src="([^"]+)"/.exec(page) ?? []
    expect(page).toContain('alt="Uploaded by its creator"')
    expect(source).toMatch(/^\/images\//)
    expect((await client.get(source)).status).toBe(200)
  })

  it('shows every text as text', async () => {
    const planetOf = (text: string) => ({
      name: text,
      description: text,
      tags: [text],
      image: text,
      physicalProperties: { [text]: 1, temperature: { [text]: 1 } },
      atmosphere: [{ compound: text, [text]: text }],
      satellites: [
        { name: text, description: text, orbit: { distance: 1 } },
        { name: text, orbit: { distance: 0 } },
        { name: text },
      ],
    })
    const mallory = async (text: string) => {
      const creator = await createAccount(client, text)
      return await parse(await readPage((await createPlanet(client, creator, planetOf(text))).id))
    }
    const { elements } = await mallory('harmless')
    for (const payload of SCRIPT_PAYLOADS) {
      const attacked = await mallory(payload)
      expect(attacked.elements, payload).toEqual(elements)
      expect(attacked.texts, payload).toContain(payload)
    }
  })

  it('shows the beginning of a long document', async () => {
    const satellites = Array.from({ length: 100 }, (_, index) => ({
      name: `Moon ${index}`,
      description: 'Very long. '.repeat(100),
      orbit: { distance: 1000 * (index + 1) },
    }))
    const { id } = await createPlanet(client, account, { name: 'Of many moons', satellites })
    const { texts } = await parse(await readPage(id))
    expect(texts).toContain('Moon 99')
    expect(texts.join('')).toMatch(/The whole text has \d+ characters/)
    expect(texts).toContain('The drawing names the nearest 16. The table contains all.')
  })
})

describe('a planet that does not exist', () => {
  it.each(['999999999', '0', 'abc', '1.5', '-1', '%3Cscript%3E', '9007199254740993'])(
    'has a page that says so: %s',
    async (id) => {
      const response = await client.get(`/explore/planets/${id}`)
      expect(response.status).toBe(404)
      expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
      const page = await response.text()
      expect(page).toContain('role="alert"')
      expect(page).not.toContain('<script')
    },
  )
})
