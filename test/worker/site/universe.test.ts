import { describe, expect, it } from 'vitest'
import { UNIVERSE_ROUTES } from '../../../src/app.ts'
import { makeUniverseId } from '../../../src/domain/universe-address.ts'
import { HTML } from '../../../src/http/pages.ts'
import { createClient } from '../../support/app.ts'
import { FakeMaker, FakeUniverse } from '../../support/fake-universe.ts'
import { contentOf, linksOf, policyOf } from '../../support/pages.ts'

const NOW = new Date()
const ID = makeUniverseId()
const AS_PAGE = { Accept: 'text/html' }
const BAR = /<aside class="universe".*?<\/aside>/s
const BUTTON = 'Create your own universe'

const inside = { world: 'universe', worldId: ID, universe: new FakeUniverse(ID, NOW) } as const

async function open(client: ReturnType<typeof createClient>, path: string): Promise<string> {
  return await (await client.get(path, AS_PAGE)).text()
}

/** Paths at which a page is without anything in their query. */
const PAGES = [
  ...UNIVERSE_ROUTES.filter(({ method, responses }) => method === 'get' && responses[200]?.files?.includes(HTML))
    .map(({ path }) => path)
    .filter((path) => !path.includes('{')),
  '/problems/not-found',
  // A refusal as a page.
  '/explore/planets/999999',
  '/echo/some/path.html',
]

describe('the bar of a universe', () => {
  const byPath = createClient({ ...inside, baseUrlOf: (url) => `${url.origin}/u/${ID}` })
  const byHost = createClient(inside)

  it.each(PAGES)('is on the page %s, with its script only if the page may call the API', async (path) => {
    const response = await byPath.get(path, AS_PAGE)
    const bar = BAR.exec(await response.text())?.[0] ?? ''
    expect(bar).toContain(`<code title="${ID}">${ID.slice(0, 6)}…</code>`)
    const mayCall = policyOf(response)['connect-src'] === "'self'"
    expect(bar.includes(`<script type="module" src="/u/${ID}/assets/universe-`)).toBe(mayCall)
  })

  it('leads back to the common world if that is at the same host', async () => {
    expect(linksOf(BAR.exec(await open(byPath, '/problems'))?.[0] ?? '')).toEqual(['/'])
    expect(linksOf(BAR.exec(await open(byHost, '/problems'))?.[0] ?? '')).toEqual([])
  })

  it('says whether its owner has fixed the end', async () => {
    const fixed = new FakeUniverse(ID, NOW)
    fixed.change({ expiresAt: NOW })
    expect(await open(createClient({ ...inside, universe: fixed }), '/walk')).toContain(
      'id="universe-state" data-fixed',
    )
    expect(await open(byPath, '/walk')).not.toContain('data-fixed')
  })

  it.each(PAGES)('is not on the page %s of the common world', async (path) => {
    const page = await open(createClient(), path)
    expect(page).not.toContain('universe-bar')
    expect(page).not.toContain('<!--')
  })
})

describe('the offer to create a universe', () => {
  const maker = new FakeMaker(NOW)

  it.each(['/', '/walk'])('is on the page %s', async (path) => {
    const page = contentOf(await open(createClient({ universes: maker }), path))
    expect(page).toContain(BUTTON)
    expect(page).toContain('id="universe-outcome"')
  })

  it.each(['/', '/walk'])('is not on the page %s if the operator has switched universes off', async (path) => {
    expect(await open(createClient({ universes: maker, config: { universesOn: false } }), path)).not.toContain(BUTTON)
  })

  it.each(['/', '/walk'])('is not on the page %s of a universe', async (path) => {
    expect(await open(createClient(inside), path)).not.toContain(BUTTON)
  })
})

describe('the footer', () => {
  const FOOTER = /<footer.*<\/footer>/s
  const footerAt = async (client: ReturnType<typeof createClient>, path: string) =>
    FOOTER.exec(await open(client, path))?.[0]

  it.each(PAGES)('of the page %s says of the planets what is true in its world', async (path) => {
    const blank = new FakeUniverse(ID, NOW)
    blank.state.seed = 'blank'
    expect(await footerAt(createClient(), path)).toContain('The planets are real')
    const ofCatalogue = await footerAt(createClient(inside), path)
    expect(ofCatalogue).toContain('This universe began with the planets of the')
    const ofBlank = await footerAt(createClient({ ...inside, universe: blank }), path)
    expect(ofBlank).toContain('This universe began without planets.')
    for (const footer of [ofCatalogue, ofBlank]) expect(footer).not.toMatch(/\breal\b/)
  })
})

describe('the explorer of a universe', () => {
  it('does not say that its planets are real, because their owner can change them', async () => {
    const page = contentOf(await open(createClient(inside), '/'))
    expect(page).toContain('A private universe')
    expect(page).not.toMatch(/\breal\b/)
  })
})
