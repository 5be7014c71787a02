import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import type { Tab } from '../support/browser.ts'
import { narrowDocument } from '../support/part-of-document.ts'
import { linkTo, listOperations, PLAIN, ReferencePage } from '../support/reference-page.ts'
import { bodyOf } from './galaxy.ts'
import { chromium, completeDocument, findOperation, operations, PASSWORD, PICTURE, useBrowser } from './in-browser.ts'
import { freePort } from './ports.ts'

const PROBLEM_CODES: string[] = completeDocument.components.parameters.code.schema.enum
const PROBLEM_PAGES = PROBLEM_CODES.map((code) => `/problems/${code}`)
const in32 = listOperations(JSON.parse(readFileSync(join(ROOT, 'documents/out/openapi-3.2.json'), 'utf8')).paths)
const CURRENT_PLANET = { name: 'Arrakis', description: 'Dune' }
/** How long an operation may take to appear. The page renders tens of thousands of elements. */
const SHOWN_MS = 60_000
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

describe.skipIf(!chromium)('in a browser', () => {
  const here = useBrowser()

  describe('the API reference', () => {
    let tab: Tab
    let page: Page

    beforeAll(async () => {
      tab = await here.open()
      page = tab.page
      await new ReferencePage(page, here.galaxy.url).open()
    })
    afterEach(async () => expect(await tab.recording.takeFaults()).toEqual([]))
    afterAll(here.closeTabs)

    it('has a title and a heading', async () => {
      await expect.poll(() => page.title()).toBe('Galaxy API reference')
      await expect.poll(() => page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Galaxy'])
    })

    it('lists every operation in its navigation', async () => {
      const links = page.getByRole('complementary').getByRole('link')
      const list = () => links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))
      await expect.poll(list).toEqual(expect.arrayContaining(operations.map(linkTo)))
    })

    it('finds an operation by its search', async () => {
      await page.keyboard.press('Control+k')
      const search = page.getByRole('dialog')
      await search.getByRole('textbox').or(search.getByRole('combobox')).first().fill('upload an image')
      await search.getByRole('option', { name: 'Upload an image to a planet' }).first().click()
      await search.waitFor({ state: 'hidden' })
      await page.waitForURL((url) => url.hash === linkTo(findOperation('uploadImage')))
    })

    it('has links with legal fragments only', async () => {
      const links = page.getByRole('link')
      const list = () => links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
      // RFC 3986, section 3.5.
      await expect
        .poll(async () =>
          (await list()).filter((href) => !/^[^#]*(?:#(?:[\w.~!$&'()*+,;=:@/?-]|%[\dA-F]{2})*)?$/i.test(href)),
        )
        .toEqual([])
      await expect.poll(async () => (await list()).length).toBeGreaterThan(operations.length)
    })

    // The navigation has a link to each operation. reference-calls.test.ts calls one of each kind.
    it('shows the last operation where its link leads, with a button to try it', async () => {
      const last = operations.at(-1)
      if (!last) throw new Error('the document has no operations')
      await page.goto(`${here.galaxy.url}/docs${linkTo(last)}`)
      const place = page.locator(`[id$="${linkTo(last).slice(1)}"]`)
      const button = place.locator('button', { hasText: `Test Request(${last.method} ${last.path})` })
      await button.first().waitFor({ timeout: SHOWN_MS })
    })
  })

  describe('the API reference in OpenAPI 3.2', () => {
    afterEach(here.closeTabs)

    it('is one link away, and sends a QUERY', async () => {
      const { page, recording } = await here.open()
      await page.addInitScript(PLAIN)
      const base = here.galaxy.url
      const reference = new ReferencePage(page, base)
      for (const name of ['openapi', 'openapi-3.2'])
        await narrowDocument(page, `${base}/${name}.json`, ['getAllData', 'queryPlanets'])
      await reference.open()
      const choice = page.getByRole('navigation', { name: 'Version of OpenAPI' })
      const findQuery = () => page.getByRole('link', { name: 'Query planets' }).count()
      await page.getByText('OpenAPI 3.1.1').first().waitFor()
      expect(await findQuery()).toBe(0)
      await choice.getByRole('link', { name: 'OpenAPI 3.2' }).click()
      await page.getByText('OpenAPI 3.2.0').first().waitFor()
      await expect.poll(findQuery).toBeGreaterThan(0)
      const queryPlanets = in32.find(({ operationId }) => operationId === 'queryPlanets')
      if (!queryPlanets) throw new Error('the document has no QUERY')
      await page.getByRole('link', { name: 'Query planets' }).first().click()
      await page.waitForURL((url) => url.search === '?document=3.2' && url.hash === linkTo(queryPlanets))
      await reference.openClient(queryPlanets)
      await reference.setBody('{"name":"mars","fields":["type"]}')
      const { sent, text, shown } = await reference.send(queryPlanets)
      expect({ shown, url: sent.url.href }).toEqual({ shown: '200 OK', url: `${base}/planets` })
      // Other tests may have made planets with such a name.
      expect(JSON.parse(text).data[0]).toMatchObject({ id: 4, name: 'Mars', type: 'terrestrial' })
      await reference.closeClient()
      await choice.getByRole('link', { name: 'OpenAPI 3.1' }).click()
      await page.getByText('OpenAPI 3.1.1').first().waitFor()
      expect(await recording.takeFaults()).toEqual([])
    })

    it('sends a COPY, and a batch of observations, as they are filled in', async () => {
      const { page, recording } = await here.open()
      await page.addInitScript(PLAIN)
      const base = here.galaxy.url
      const reference = new ReferencePage(page, base)
      await narrowDocument(page, `${base}/openapi-3.2.json`, ['copyPlanet', 'uploadObservations'])
      await page.goto(`${base}/docs?document=3.2`)
      const token = await getToken()
      for (const [operationId, status] of [
        ['copyPlanet', 201],
        ['uploadObservations', 202],
      ] as const) {
        const operation = in32.find((one) => one.operationId === operationId)
        if (!operation) throw new Error(`the document has no ${operationId}`)
        await page.getByRole('link', { name: operation.summary }).first().click()
        await reference.openClient(operation)
        if (operationId === 'copyPlanet') await reference.enterToken(token)
        expect([operationId, (await reference.send(operation)).status]).toEqual([operationId, status])
        await reference.closeClient()
      }
      expect(await recording.takeFaults()).toEqual([])
    })

    async function getToken(): Promise<string> {
      const account = { email: `${crypto.randomUUID()}@galaxy.test`, password: PASSWORD }
      const post = (path: string) =>
        fetch(here.galaxy.url + path, {
          method: 'POST',
          body: JSON.stringify(account),
          headers: { 'Content-Type': 'application/json' },
        })
      await post('/user/signup')
      return (await bodyOf(await post('/auth/token'))).token
    }
  })

  describe('the API reference of one operation', () => {
    const createPlanet = findOperation('createPlanet')
    const getPlanet = findOperation('getPlanet')

    /** Opens it in a new tab. What is tested here does not depend on the other operations. */
    async function open(narrowed = [createPlanet], options?: Parameters<typeof here.open>[0]) {
      const { page, recording } = await here.open(options)
      const reference = new ReferencePage(page, here.galaxy.url)
      await reference.narrow(narrowed)
      await reference.open()
      return { page, recording, reference }
    }
    afterEach(here.closeTabs)

    it('is found by an older link, when the page is loaded and later', async () => {
      const { page, recording } = await open([createPlanet, getPlanet])
      const current = linkTo(getPlanet)
      for (const parameter of ['{planetId}', '%7BplanetId%7D']) {
        await page.goto(`${here.galaxy.url}/docs#tag/planets/GET/planets/${parameter}`)
        await page.waitForURL((url) => url.hash === current)
      }
      await page.goto('about:blank')
      await page.goto(`${here.galaxy.url}/docs#tag/planets/GET/planets/{planetId}`)
      await page.waitForURL((url) => url.hash === current)
      await page.getByRole('heading', { name: 'Get a planet' }).first().waitFor()
      expect(await recording.takeFaults()).toEqual([])
    })

    it('has the models of what it sends', async () => {
      const { page, recording } = await open()
      await page.goto(`${here.galaxy.url}/docs#models`)
      await page.getByRole('heading', { name: 'Models' }).first().waitFor()
      await page.getByRole('button', { name: 'PlanetInput' }).first().click()
      expect(await recording.takeFaults()).toEqual([])
    })

    it('can be made dark, and stays dark when it is loaded again', async () => {
      const { page, recording } = await open()
      await page.getByRole('button', { name: 'Set dark mode' }).click()
      await page.locator('body.dark-mode').waitFor()
      await page.reload()
      await page.locator('body.dark-mode').waitFor()
      await page.getByRole('button', { name: 'Set light mode' }).click()
      await page.locator('body.light-mode').waitFor()
      expect(await recording.takeFaults()).toEqual([])
    })

    it('has a menu, an operation and a client that fit a phone, and calls from there', async () => {
      const { page, recording, reference } = await open([createPlanet], PHONE)
      await page.getByRole('button', { name: 'Open Menu' }).first().tap()
      await page.getByRole('link', { name: createPlanet.summary }).tap()
      await page.waitForURL('**#tag/planets/POST/planets')
      await reference.openClient(createPlanet)
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.viewport.width)
      const parts = reference.client.getByRole('region').or(reference.sendButton(createPlanet))
      const findWide = () =>
        parts.evaluateAll(
          (all, width) =>
            all.filter((part) => part.getBoundingClientRect().right > width).map((part) => part.outerHTML),
          PHONE.viewport.width,
        )
      await expect.poll(findWide).toEqual([])
      await expect.poll(() => parts.count()).toBeGreaterThan(1)
      expect((await reference.send(createPlanet)).shown).toBe('401 Unauthorized')
      expect(await recording.takeFaults()).toEqual([])
    })
  })

  describe('a page of another origin', () => {
    let elsewhere: Server
    let tab: Tab
    let page: Page
    let token = ''

    beforeAll(async () => {
      elsewhere = createServer((_, response) => {
        // With this header, a page shows images of other origins only if they allow it.
        response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp')
        response.setHeader('Content-Type', 'text/html')
        response.end('<!doctype html><link rel="icon" href="data:,"><title>Elsewhere</title>')
      })
      const port = await freePort()
      await new Promise<void>((resolve) => elsewhere.listen(port, '127.0.0.1', resolve))
      tab = await here.open()
      page = tab.page
      await page.goto(`http://127.0.0.1:${port}`)
      const account = { email: `elsewhere-${Date.now()}@example.com`, password: PASSWORD }
      await call('/user/signup', post(account))
      token = JSON.parse((await call('/auth/token', post(account))).text).token
    })
    const isOwn = /^a request to http:\/\/127\.0\.0\.1:/
    const isForbidden =
      /^error: (?:Access to fetch (?:.* credentials mode|at '.*\/oauth\/authorize')|Failed to load resource: net::ERR_FAILED)/
    afterEach(async () => expect(await tab.recording.takeFaults(isOwn, isForbidden)).toEqual([]))
    afterAll(async () => {
      await here.closeTabs()
      await new Promise((resolve) => elsewhere.close(resolve))
    })

    interface Call {
      method?: string
      headers?: Record<string, string>
      body?: string
      credentials?: 'include'
    }

    /** Sends a request from that page. @returns Everything that the page may read of the response */
    async function call(path: string, init: Call = {}) {
      return await page.evaluate(
        async ([url, options]) => {
          const response = await fetch(url, options)
          const headers = Object.fromEntries(response.headers.entries())
          return { status: response.status, headers, text: await response.text() }
        },
        [new URL(path, here.galaxy.url).href, init] as const,
      )
    }

    const json = { 'Content-Type': 'application/json' }
    const post = (body: object): Call => ({ method: 'POST', headers: json, body: JSON.stringify(body) })
    const mine = () => ({ ...json, Authorization: `Bearer ${token}` })
    const makePlanet = async () => {
      const { headers, text } = await call('/planets', { ...post({ name: 'Arrakis' }), headers: mine() })
      return { headers, path: `/planets/${JSON.parse(text).id}` }
    }

    /** Uploads an image of a new planet. @returns Its URL */
    async function upload(): Promise<string> {
      const { path } = await makePlanet()
      const form = new FormData()
      form.set('image', new Blob([PICTURE]))
      const headers = { Authorization: `Bearer ${token}` }
      const response = await fetch(new URL(`${path}/image`, here.galaxy.url), { method: 'POST', headers, body: form })
      return JSON.parse(await response.text()).imageUrl
    }

    async function register() {
      const { authorization_servers } = JSON.parse((await call('/.well-known/oauth-protected-resource')).text)
      const metadata = JSON.parse((await call(`${authorization_servers[0]}/.well-known/openid-configuration`)).text)
      const wanted = { token_endpoint_auth_method: 'client_secret_post', grant_types: ['client_credentials'] }
      const registered = await call(metadata.registration_endpoint, { ...post(wanted), headers: mine() })
      return { tokenEndpoint: metadata.token_endpoint, ...JSON.parse(registered.text) }
    }

    /** Responses that together have every header. */
    const read = {
      list: () => call('/planets?limit=2'),
      created: makePlanet,
      async deleted() {
        const { path } = await makePlanet()
        return await call(path, { method: 'DELETE', headers: mine() })
      },
      refused: () => call('/me'),
      limited: () =>
        call('/auth/token', {
          ...post({ email: 'you@example.com', password: PASSWORD }),
          headers: { ...json, Prefer: 'code=429' },
        }),
      async token() {
        const { client_id, client_secret, tokenEndpoint } = await register()
        return await call(tokenEndpoint, {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: String(new URLSearchParams({ client_id, client_secret, grant_type: 'client_credentials' })),
        })
      },
      wrongMethod: () => call('/planets/1', { method: 'POST' }),
      wrongType: () => call('/auth/token', { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: 'a' }),
      compressed: () => call('/auth/token', { ...post({}), headers: { ...json, 'Content-Encoding': 'br' } }),
      async wrongPatch() {
        const { path } = await makePlanet()
        return await call(path, { method: 'PATCH', headers: { ...mine(), 'Content-Type': 'text/csv' }, body: 'a' })
      },
      part: (imageUrl: string) => call(imageUrl, { headers: { Range: 'bytes=0-9' } }),
      async universe() {
        const { text } = await call('/universes', { method: 'POST' })
        return await call(`${JSON.parse(text).url}/universe`)
      },
      async replayed() {
        const again = {
          ...post({ name: 'Arrakis' }),
          headers: { ...mine(), 'Idempotency-Key': crypto.randomUUID() },
        }
        return [await call('/planets', again), await call('/planets', again)] as const
      },
    }

    it('may read a list and what its headers say', async () => {
      const { status, headers, text } = await read.list()
      expect(status).toBe(200)
      expect(JSON.parse(text).data).toHaveLength(2)
      expect(headers).toMatchObject({
        'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        'x-pagination-total': expect.stringMatching(/^\d+$/),
        'x-pagination-page': '1',
        'x-pagination-per-page': '2',
        link: expect.stringContaining('rel="next"'),
      })
    })

    it('may send a QUERY after a preflight, and learns the equivalent GET', async () => {
      const { status, headers, text } = await call('/planets', { ...post({ name: 'mars' }), method: 'QUERY' })
      expect([status, JSON.parse(text).data[0].name]).toEqual([200, 'Mars'])
      expect(headers['accept-query']).toContain('application/json')
      expect(headers.location).toBe(`${here.galaxy.url}/planets?name=mars&limit=10&offset=0`)
    })

    it('may send a COPY after a preflight, and learns where the copy is', async () => {
      const headers = { ...mine(), Destination: '/planets', Overwrite: 'F' }
      const { status, headers: answered } = await call('/planets/1', { method: 'COPY', headers })
      expect([status, answered.location]).toEqual([201, expect.stringContaining(`${here.galaxy.url}/planets/`)])
    })

    it('may make a planet, and learns where it is', async () => {
      const { headers, path } = await read.created()
      expect(headers.location).toBe(here.galaxy.url + path)
    })

    it('may replace a planet after a preflight, and learns its new entity tag', async () => {
      const { path } = await makePlanet()
      const { headers } = await call(path)
      const body = JSON.stringify(CURRENT_PLANET)
      const replaced = await call(path, {
        method: 'PUT',
        headers: { ...mine(), 'If-Match': headers.etag ?? '' },
        body,
      })
      expect(replaced.status).toBe(200)
      expect(JSON.parse(replaced.text)).toMatchObject(CURRENT_PLANET)
      expect((await call(path)).headers.etag).not.toBe(headers.etag)
    })

    it('may delete a planet, and learns that it should not', async () => {
      const { status, headers } = await read.deleted()
      expect(status).toBe(204)
      expect(headers.deprecation).toMatch(/^@\d+$/)
    })

    it('learns why a request is refused', async () => {
      const { status, headers } = await read.refused()
      expect(status).toBe(401)
      expect(headers['www-authenticate']).toMatch(/^Bearer /)
    })

    it('learns how long it has to wait', async () => {
      const { status, headers } = await read.limited()
      expect(status).toBe(429)
      expect(headers).toMatchObject({
        'retry-after': expect.stringMatching(/^\d+$/),
        'x-ratelimit-limit': expect.stringMatching(/^\d+$/),
        'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
        'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
        'preference-applied': 'code=429',
      })
    })

    it('may be an OAuth client, and learns that responses with tokens must not be cached', async () => {
      const { status, headers } = await read.token()
      expect(status).toBe(200)
      expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' })
    })

    it('learns which methods a path has', async () => {
      const { status, headers } = await read.wrongMethod()
      expect(status).toBe(405)
      expect(headers.allow?.split(', ').toSorted()).toEqual([
        'COPY',
        'DELETE',
        'GET',
        'HEAD',
        'OPTIONS',
        'PATCH',
        'PUT',
      ])
    })

    it('shows a picture of the service, and may read a part of it', async () => {
      const imageUrl = await upload()
      const part = await read.part(imageUrl)
      expect(part.status).toBe(206)
      expect(part.headers['content-range']).toBe(`bytes 0-9/${PICTURE.length}`)
      await page.setContent(`<img src="${imageUrl}" alt="Arrakis">`, { waitUntil: 'load' })
      await expect.poll(() => page.evaluate('document.images[0].naturalWidth')).toBe(1)
    })

    it('may read when a universe ends', async () => {
      const { headers } = await read.universe()
      expect(Date.parse(headers.sunset ?? '')).toBeGreaterThan(Date.now())
    })

    it('may send a request again, and learns that it has the first response', async () => {
      const [first, second] = await read.replayed()
      expect([first.status, second.status]).toEqual([201, 201])
      expect(second.headers).toMatchObject({ location: first.headers.location, 'idempotency-replayed': 'true' })
    })

    it('may read every header that the service exposes', async () => {
      const raw = await fetch(here.galaxy.url)
      const exposed = raw.headers.get('Access-Control-Expose-Headers')?.toLowerCase().split(',') ?? []
      const { part, replayed, ...others } = read
      const responses: { headers: object }[] = [await part(await upload()), ...(await replayed())]
      for (const get of Object.values(others)) responses.push(await get())
      const names = new Set(responses.flatMap(({ headers }) => Object.keys(headers)))
      expect(exposed.length).toBeGreaterThan(0)
      expect(exposed.filter((name) => !names.has(name.trim()))).toEqual([])
    })

    it('cannot read the pages on which a user signs in', async () => {
      await expect(call('/oauth/authorize')).rejects.toThrow('Failed to fetch')
    })

    it('cannot send requests with the cookies of its user', async () => {
      await expect(call('/planets', { credentials: 'include' })).rejects.toThrow('Failed to fetch')
    })
  })

  describe('the index page', () => {
    let tab: Tab
    beforeAll(async () => {
      tab = await here.open()
      await tab.page.goto(here.galaxy.url)
    })
    afterEach(async () => expect(await tab.recording.takeFaults()).toEqual([]))
    afterAll(here.closeTabs)

    it('has links that work', async () => {
      // Read in one call, because the page changes while others create and delete planets.
      const addresses = await tab.page
        .getByRole('link')
        .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href))
      expect(addresses.length).toBeGreaterThanOrEqual(4)
      for (const address of new Set(addresses)) {
        const response = await tab.page.request.get(address)
        const [, shown] = /\/explore\/planets\/(\d+)$/.exec(response.url()) ?? []
        // The page shows what others create. If they have deleted a planet since, the API does not have it either.
        const isGone = shown !== undefined && response.status() === 404
        const status = isGone ? (await fetch(`${here.galaxy.url}/planets/${shown}`)).status : response.status()
        expect(status, response.url()).toBe(isGone ? 404 : 200)
      }
    })

    it('leads to the API reference with the keyboard alone', async () => {
      const reference = new ReferencePage(tab.page, here.galaxy.url)
      await reference.narrow([findOperation('getPlanet')])
      for (const name of ['Skip to content', 'Galaxy', 'Explorer', 'Tour', 'API reference']) {
        await tab.page.keyboard.press('Tab')
        await expect.poll(() => tab.page.locator(':focus').textContent()).toBe(name)
      }
      await tab.page.keyboard.press('Enter')
      await tab.page.waitForURL('**/docs')
      await reference.waitUntilShown()
    })
  })

  // The pages of problems share a layout, with the same script. So with JavaScript, one of them is enough.
  describe.each([
    { javaScriptEnabled: true, paths: ['/', ...PROBLEM_PAGES.slice(0, 1)] },
    { javaScriptEnabled: false, paths: ['/', ...PROBLEM_PAGES] },
  ])('with javaScriptEnabled $javaScriptEnabled', ({ paths, ...options }) => {
    let tab: Tab
    beforeAll(async () => {
      tab = await here.open(options)
    })
    afterEach(async () => expect(await tab.recording.takeFaults()).toEqual([]))
    afterAll(here.closeTabs)

    it.each(paths)('%s is a page to read', async (path) => {
      const { page } = tab
      await page.goto(new URL(path, here.galaxy.url).href)
      await expect.poll(() => page.title()).not.toBe('')
      await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('en')
      const main = page.getByRole('main')
      await expect.poll(() => main.count()).toBe(1)
      await expect.poll(() => main.getByRole('heading', { level: 1 }).count()).toBe(1)
      await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).not.toBe('')
      await page.keyboard.press('Tab')
      await expect.poll(() => page.locator('a:focus').count()).toBe(1)
    })
  })
})
