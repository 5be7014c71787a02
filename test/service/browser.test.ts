import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/wrangler.ts'
import { findChromium, launchBrowser, openTab, type Tab } from '../support/browser.ts'
import { Conformance } from '../support/conformance.ts'
import { PKCE } from '../support/oauth.ts'
import {
  type Answer,
  type DocumentedOperation,
  linkTo,
  listOperations,
  ReferencePage,
} from '../support/reference-page.ts'
import { bodyOf, freePort, type Galaxy, makeStateFolder, startGalaxy } from './galaxy.ts'

const chromium = findChromium()
if (!chromium) {
  console.warn('THE BROWSER TESTS DID NOT RUN: there is no Chromium. CHROMIUM can name one.')
}

const document = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'))
const operations = listOperations(document.paths)
const conformance = new Conformance(document)
const PROBLEM_CODES: string[] = document.components.parameters.code.schema.enum
/** The client that the API reference is. */
const REFERENCE_CLIENT = 'galaxy-reference'
const CURRENT_PLANET = { name: 'Arrakis', description: 'Dune' }
const PASSWORD = 'i-love-planets'
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

describe.skipIf(!chromium)('in a browser', () => {
  let state: Awaited<ReturnType<typeof makeStateFolder>>
  let galaxy: Galaxy
  let browser: Browser
  let tabs: Tab[] = []

  beforeAll(async () => {
    state = await makeStateFolder()
    const unlimited = ['--var', 'TOKEN_RATE_LIMIT:1000', '--var', 'SIGNUP_RATE_LIMIT:1000']
    galaxy = await startGalaxy(['--port', String(await freePort()), '--persist-to', state.folder, ...unlimited])
    browser = await launchBrowser(chromium ?? '')
  })

  afterAll(async () => {
    await browser.close()
    await galaxy.stop()
    await state.remove()
  })

  /** A tab that is closed with its group of tests. */
  async function open(options: Parameters<typeof openTab>[3] = {}): Promise<Tab> {
    const tab = await openTab(browser, galaxy.url, conformance, options)
    tabs.push(tab)
    return tab
  }

  async function closeTabs(): Promise<void> {
    await Promise.all(tabs.map((tab) => tab.close()))
    tabs = []
  }

  describe('the API reference', () => {
    let tab: Tab
    let page: Page
    let reference: ReferencePage

    beforeAll(async () => {
      tab = await open()
      page = tab.page
      reference = new ReferencePage(page, galaxy.url)
      await reference.open()
    })
    afterEach(async () => expect(await tab.recording.takeFaults()).toEqual([]))
    afterAll(closeTabs)

    it('has a title and a heading', async () => {
      expect(await page.title()).toBe('Galaxy API reference')
      expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Galaxy'])
    })

    it('lists every operation in its navigation', async () => {
      const links = page.getByRole('complementary').getByRole('link')
      const listed = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))
      expect(listed).toEqual(expect.arrayContaining(operations.map(linkTo)))
    })

    it('becomes dark, and stays it when it is loaded again', async () => {
      await page.getByRole('button', { name: 'Set dark mode' }).click()
      await page.locator('body.dark-mode').waitFor()
      await page.reload()
      await page.locator('body.dark-mode').waitFor()
      await page.getByRole('button', { name: 'Set light mode' }).click()
      await page.locator('body.light-mode').waitFor()
    })

    it('finds an operation by its search', async () => {
      await page.keyboard.press('Control+k')
      const search = page.getByRole('dialog')
      await search.getByRole('textbox').or(search.getByRole('combobox')).first().fill('upload an image')
      await search.getByRole('option', { name: 'Upload an image to a planet' }).first().click()
      await search.waitFor({ state: 'hidden' })
      await page.waitForURL((url) => url.hash === linkTo(findOperation('uploadImage')))
    })

    it('shows the models', async () => {
      await page.goto(`${galaxy.url}/docs#models`)
      await page.getByRole('heading', { name: 'Models' }).first().waitFor()
      await page.getByRole('button', { name: 'PlanetInput' }).first().click()
    })

    it('has a menu, an operation and a client that fit a phone', async () => {
      const phone = await open(PHONE)
      const onPhone = new ReferencePage(phone.page, galaxy.url)
      await onPhone.open()
      await phone.page.getByRole('button', { name: 'Open Menu' }).first().tap()
      const createPlanet = findOperation('createPlanet')
      await phone.page.getByRole('link', { name: createPlanet.summary }).tap()
      await phone.page.waitForURL('**#tag/planets/POST/planets')
      await onPhone.openClient(createPlanet)
      expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.viewport.width)
      for (const part of await onPhone.client.getByRole('region').or(onPhone.sendButton(createPlanet)).all()) {
        const { x = 0, width = 0 } = (await part.boundingBox()) ?? {}
        expect(x + width, (await part.textContent()) ?? '').toBeLessThanOrEqual(PHONE.viewport.width)
      }
      expect(await phone.recording.takeFaults()).toEqual([])
    })
  })

  describe('a call from the API reference', () => {
    const account = { email: `browser-${Date.now()}@example.com`, password: PASSWORD, name: 'Browser' }
    let tab: Tab
    let reference: ReferencePage

    /** What calls need of the answers to earlier ones. */
    interface Known {
      token: string
      client: { client_id: string; client_secret: string }
      accessToken: string
      /** For the path. */
      parameters: Record<string, string>
    }
    let known: Known = { token: '', client: { client_id: '', client_secret: '' }, accessToken: '', parameters: {} }

    beforeAll(async () => {
      tab = await open()
      reference = new ReferencePage(tab.page, galaxy.url)
      await reference.open()
    })
    // A page of scripts that is shown as an answer must not run them, and Chromium says so.
    const isSandboxed = /^error: Blocked script execution in 'blob:/
    afterEach(async () => expect(await tab.recording.takeFaults(isSandboxed)).toEqual([]))
    afterAll(closeTabs)

    async function fillIn(parameters: Record<string, string>): Promise<void> {
      for (const [name, value] of Object.entries(parameters)) await reference.setParameter(name, value)
    }

    /** What only the caller can know. The rest is sent as the page offers it. */
    const FILL_IN: Record<string, () => Promise<void>> = {
      createUser: () => reference.setBody(JSON.stringify(account)),
      getToken: () => reference.setBody(JSON.stringify({ email: account.email, password: PASSWORD })),
      uploadImage: () => reference.chooseFile('image', { name: 'a.png', mimeType: 'image/png', buffer: PICTURE }),
      setPassword: () =>
        reference.setBody(JSON.stringify({ currentPassword: PASSWORD, newPassword: `${PASSWORD}-and-moons` })),
      registerClient: async () => {
        await reference.enterToken(known.token)
        const metadata = { token_endpoint_auth_method: 'client_secret_post', grant_types: ['client_credentials'] }
        await reference.setBody(JSON.stringify(metadata))
      },
      issueTokens: () => fillIn({ ...known.client, grant_type: 'client_credentials', scope: 'read:account' }),
      introspectToken: () => fillIn({ ...known.client, token: known.accessToken }),
      revokeToken: () => fillIn({ ...known.client, token: known.accessToken }),
      authorizeByForm: () => fillIn(authorizationRequest()),
      signIn: () => fillIn({ email: account.email, password: PASSWORD }),
      consent: () => fillIn({ decision: 'allow' }),
    }

    const authorizationRequest = () => ({
      response_type: 'code',
      client_id: REFERENCE_CLIENT,
      redirect_uri: `${galaxy.url}/docs/oauth2-redirect`,
      code_challenge: PKCE.challenge,
      code_challenge_method: 'S256',
    })

    /** What is no success, and rightly so: the forms of our pages are only taken from our pages. */
    const REFUSED: Record<string, number> = { signIn: 403, consent: 403 }

    /** What later calls need of an answer. */
    const KEEP: Record<string, (answer: Answer) => void> = {
      getToken: ({ text }) => (known.token = JSON.parse(text).token),
      createPlanet: ({ text }) => (known.parameters.planetId = String(JSON.parse(text).id)),
      uploadImage: ({ text }) => (known.parameters.key = JSON.parse(text).imageUrl.replace(/^.*\/images\//, '')),
      createApiKey: ({ text }) => (known.parameters.keyId = String(JSON.parse(text).id)),
      registerClient: ({ text }) => {
        const { client_id, client_secret } = JSON.parse(text)
        known.client = { client_id, client_secret }
        known.parameters.clientId = client_id
      },
      listGrants: ({ text }) => (known.parameters.grantId = JSON.parse(text).data.at(-1).id),
      issueTokens: ({ text }) => (known.accessToken = JSON.parse(text).access_token),
    }

    async function prepare(operation: DocumentedOperation): Promise<void> {
      await reference.try(operation)
      if (operation.schemes.includes('bearerAuth')) await reference.enterToken(known.token)
      else if (operation.schemes.length > 0) await authorizeOnce()
      const own = Object.entries(known.parameters).filter(([name]) => operation.path.includes(`{${name}}`))
      await fillIn(Object.fromEntries(own))
    }

    /** Gets an access token from the user, unless the page has one. */
    async function authorizeOnce(): Promise<void> {
      await reference.credentials.choose('oAuth2')
      if (await reference.credentials.hasToken()) return
      await signInAndAllow(await reference.credentials.openPopup(), account)
      await reference.credentials.waitForToken()
    }

    it('without a token is refused where one is needed', async () => {
      const getMe = findOperation('getMe')
      await reference.try(getMe)
      const { shown, sent, text } = await reference.send(getMe)
      expect(shown).toBe('401 Unauthorized')
      // A field that was left empty is no credential, so the answer says what would be one.
      expect(sent.headers).not.toHaveProperty('authorization')
      expect(JSON.parse(text).detail).toMatch(/^This needs a credential: /)
    })

    const FIRST = ['createUser', 'getToken', 'createPlanet', 'uploadImage', 'getImage', 'createApiKey']
    const THEN = ['registerClient', 'issueTokens', 'introspectToken', 'revokeToken']
    /** Ends all that was made before. */
    const LAST = 'setPassword'
    const lasting = operations.filter(({ method, operationId }) => method !== 'delete' && operationId !== LAST)
    const inOrder = new Set([...[...FIRST, ...THEN].map(findOperation), ...lasting])

    it.each([...inOrder])('$method $path is where its link leads, and does what it should', async (operation) => {
      await prepare(operation)
      await FILL_IN[operation.operationId]?.()
      const answer = await reference.send(operation)
      const expected = REFUSED[operation.operationId] ?? operation.success
      expect(answer.status, answer.text.slice(0, 1000)).toBe(expected)
      expect(answer.shown).toMatch(String(expected))
      KEEP[operation.operationId]?.(answer)
    })

    describe('with the body that is offered as XML', () => {
      const ofJson = known
      beforeAll(async () => {
        known = { ...known, token: '', parameters: {} }
        await reference.open()
      })
      afterAll(() => {
        known = ofJson
      })

      const inXml = [...inOrder, findOperation(LAST)].filter(({ bodyTypes }) => bodyTypes.includes('application/xml'))

      it.each(inXml)('$method $path succeeds as it is', async (operation) => {
        await prepare(operation)
        await reference.chooseBodyFormat('XML')
        const answer = await reference.send(operation)
        expect(answer.status, answer.text.slice(0, 1000)).toBe(operation.success)
        KEEP[operation.operationId]?.(answer)
      })
    })

    describe('that is refused', () => {
      beforeAll(() => reference.open())

      it('shows what is wrong with its body', async () => {
        const createPlanet = findOperation('createPlanet')
        await prepare(createPlanet)
        await reference.setBody('{"name":""}')
        expect((await reference.send(createPlanet)).shown).toBe('400 Bad Request')
        await reference.shownBody().getByText('/problems/invalid-body').waitFor()
        await reference.shownBody().getByText('"/name"').waitFor()
      })

      it('shows 404 as a problem document for a planet that there is not', async () => {
        const getPlanet = findOperation('getPlanet')
        await reference.try(getPlanet)
        await reference.setParameter('planetId', '999999999')
        expect((await reference.send(getPlanet)).shown).toBe('404 Not Found')
        await reference.shownBody().getByText('/problems/not-found').waitFor()
      })

      it('shows the page that says why', async () => {
        const authorize = findOperation('authorize')
        await reference.try(authorize)
        await reference.setParameter('client_id', 'nobody')
        expect((await reference.send(authorize)).shown).toBe('400 Bad Request')
        const page = reference.shownBody().frameLocator('iframe')
        await page.getByRole('heading', { name: 'This cannot go on' }).waitFor()
      })
    })

    const deletions = operations.filter(({ method }) => method === 'delete')

    it.each([...deletions, findOperation(LAST)])('$method $path succeeds', async (operation) => {
      await prepare(operation)
      await FILL_IN[operation.operationId]?.()
      expect((await reference.send(operation)).status).toBe(operation.success)
    })
  })

  describe('the credentials of a call from the API reference', () => {
    const account = { email: `schemes-${Date.now()}@example.com`, password: PASSWORD, name: 'Schemes' }
    const createPlanet = findOperation('createPlanet')
    let tab: Tab
    let reference: ReferencePage
    let token = ''
    let key = ''

    beforeAll(async () => {
      await post('/user/signup', account)
      token = (await post('/auth/token', account)).token
      key = (await post('/me/api-keys', {}, token)).key
      tab = await open()
      reference = new ReferencePage(tab.page, galaxy.url)
      await reference.open()
    })
    afterEach(async () => expect(await tab.recording.takeFaults()).toEqual([]))
    afterAll(closeTabs)

    async function post(path: string, body: object, bearer?: string) {
      const headers = { 'Content-Type': 'application/json', ...(bearer && { Authorization: `Bearer ${bearer}` }) }
      return await bodyOf(
        await fetch(new URL(path, galaxy.url), { method: 'POST', headers, body: JSON.stringify(body) }),
      )
    }

    /** Makes a planet with the credential that was entered. @returns The call, which the account itself must have made */
    async function succeed(): Promise<Answer['sent']> {
      const { status, text, sent } = await reference.send(createPlanet)
      expect(status, text).toBe(201)
      expect(JSON.parse(text).creator.name).toBe(account.name)
      return sent
    }

    /** Every credential that a call carries. */
    function carried({ url, headers }: Answer['sent']): Record<string, string> {
      const { authorization, 'x-api-key': inHeader } = headers
      const inQuery = url.searchParams.get('api_key')
      const inCookie = /(?:^|; )api_key=([^;]*)/.exec(headers.cookie ?? '')?.[1]
      return {
        ...(authorization && { authorization }),
        ...(inHeader && { inHeader }),
        ...(inQuery && { inQuery }),
        ...(inCookie && { inCookie }),
      }
    }

    interface Attempt {
      enter(): Promise<unknown>
      carries: () => Record<string, unknown>
    }

    /** How each scheme is used on the page, and what its call then carries. */
    const ATTEMPTS: Record<string, Attempt> = {
      bearerAuth: {
        enter: () => reference.credentials.enter('Bearer Token', token),
        carries: () => ({ authorization: `Bearer ${token}` }),
      },
      basicAuth: {
        async enter() {
          await reference.credentials.enter('Username', account.email)
          await reference.credentials.enter('Password', account.password)
        },
        carries: () => ({ authorization: `Basic ${btoa(`${account.email}:${account.password}`)}` }),
      },
      apiKeyHeader: { enter: () => reference.credentials.enter('Value', key), carries: () => ({ inHeader: key }) },
      apiKeyQuery: { enter: () => reference.credentials.enter('Value', key), carries: () => ({ inQuery: key }) },
      apiKeyCookie: { enter: () => reference.credentials.enter('Value', key), carries: () => ({ inCookie: key }) },
      oAuth2: {
        async enter() {
          await signInAndAllow(await reference.credentials.openPopup(), account)
          await reference.credentials.waitForToken()
        },
        carries: () => ({ authorization: accessTokenFor('write:planets') }),
      },
      openIdConnect: {
        async enter() {
          await reference.credentials.discover()
          await reference.credentials.chooseFlow('authorizationCode')
          await reference.credentials.enter('Client ID', REFERENCE_CLIENT)
          await reference.credentials.chooseAllScopes()
          await signInAndAllow(await reference.credentials.openPopup(), account)
          await reference.credentials.waitForToken()
        },
        carries: () => ({ authorization: accessTokenFor('openid') }),
      },
    }

    it.each(Object.keys(document.components.securitySchemes))('%s succeeds', async (scheme) => {
      const attempt = ATTEMPTS[scheme]
      await reference.try(createPlanet)
      await reference.credentials.choose(scheme)
      await attempt?.enter()
      expect(carried(await succeed())).toEqual(attempt?.carries())
    })

    it('a key that has what a cookie cannot hold is sent as it is, and no cookie is left behind', async () => {
      const odd = 'glx_; Path=/elsewhere, "ü" 100%'
      await reference.try(createPlanet)
      await reference.credentials.choose('apiKeyCookie')
      await reference.credentials.enter('Value', odd)
      const { status, sent } = await reference.send(createPlanet)
      expect(status).toBe(401)
      expect(decodeURIComponent(carried(sent).inCookie ?? '')).toBe(odd)
      expect((await tab.page.context().cookies()).map(({ name }) => name)).not.toContain('api_key')
    })

    describe('on a page that has no token yet', () => {
      beforeEach(() => reference.open())

      it('the Bearer field can have its token from the user, in a popup', async () => {
        await reference.try(createPlanet)
        await reference.credentials.choose('bearerAuth')
        await signInAndAllow(await reference.credentials.openPopup('Authorize via oAuth2'), account)
        await reference.credentials.waitFor('Bearer Token')
        expect(carried(await succeed())).toEqual({ authorization: accessTokenFor('read:account write:account') })
      })

      it('a client of the account itself can have its token without a popup', async () => {
        const metadata = { token_endpoint_auth_method: 'client_secret_basic', grant_types: ['client_credentials'] }
        const { client_id, client_secret } = await post('/oauth/register', metadata, token)
        await reference.try(createPlanet)
        await reference.credentials.choose('oAuth2')
        await reference.credentials.chooseFlow('clientCredentials')
        await reference.credentials.enter('Client ID', client_id)
        await reference.credentials.enter('Client Secret', client_secret)
        await reference.credentials.authorize()
        await reference.credentials.waitForToken()
        expect(carried(await succeed())).toEqual({ authorization: accessTokenFor('write:planets') })
      })

      it('flows of OAuth that are switched off are not offered', async () => {
        await reference.try(createPlanet)
        await reference.credentials.choose('oAuth2')
        expect(await reference.credentials.listFlows()).toEqual(['authorizationCode', 'clientCredentials'])
      })

      it('a user who denies leads to a message that says so', async () => {
        await reference.try(createPlanet)
        await reference.credentials.choose('oAuth2')
        const popup = await reference.credentials.openPopup()
        await signIn(popup, account)
        await popup.getByRole('button', { name: 'Deny' }).click()
        await tab.page.getByText('OAuth error: access_denied').first().waitFor()
        // The bundle writes down what it shows.
        const faults = await tab.recording.takeFaults()
        expect(faults).toEqual([expect.stringContaining('OAuth error: access_denied')])
      })
    })
  })

  describe('where the legacy flows of OAuth are switched on, in the API reference', () => {
    const account = { email: 'legacy@example.com', password: PASSWORD }
    let elsewhere: Awaited<ReturnType<typeof makeStateFolder>>
    let legacy: Galaxy
    let tab: Tab
    let reference: ReferencePage

    beforeAll(async () => {
      elsewhere = await makeStateFolder()
      const options = ['--port', String(await freePort()), '--persist-to', elsewhere.folder]
      legacy = await startGalaxy([...options, '--var', 'OAUTH_LEGACY_FLOWS:on'])
      const headers = { 'Content-Type': 'application/json' }
      await fetch(new URL('/user/signup', legacy.url), { method: 'POST', headers, body: JSON.stringify(account) })
      tab = await openTab(browser, legacy.url, conformance)
      reference = new ReferencePage(tab.page, legacy.url)
    })
    afterEach(async () => expect(await tab.recording.takeFaults()).toEqual([]))
    afterAll(async () => {
      await tab.close()
      await legacy.stop()
      await elsewhere.remove()
    })

    const OBTAIN = {
      async implicit() {
        await signInAndAllow(await reference.credentials.openPopup(), account)
      },
      async password() {
        await reference.credentials.enter('Username', account.email)
        await reference.credentials.enter('Password', account.password)
        await reference.credentials.authorize()
      },
    }

    it.each(['implicit', 'password'] as const)('%s is offered, and its token succeeds', async (flow) => {
      const createPlanet = findOperation('createPlanet')
      await reference.open()
      await reference.try(createPlanet)
      await reference.credentials.choose('oAuth2')
      await reference.credentials.chooseFlow(flow)
      await OBTAIN[flow]()
      await reference.credentials.waitForToken()
      expect((await reference.send(createPlanet)).status).toBe(201)
    })
  })

  describe('a page of another origin', () => {
    let elsewhere: Server
    let tab: Tab
    let page: Page
    let token = ''
    const read = new Map<string, string>()

    beforeAll(async () => {
      elsewhere = createServer((_, response) => {
        // Under this policy a page shows pictures of others only where they allow it.
        response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp')
        response.setHeader('Content-Type', 'text/html')
        response.end('<!doctype html><link rel="icon" href="data:,"><title>Elsewhere</title>')
      })
      const port = await freePort()
      await new Promise<void>((resolve) => elsewhere.listen(port, '127.0.0.1', resolve))
      tab = await open()
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
      await closeTabs()
      await new Promise((resolve) => elsewhere.close(resolve))
    })

    interface Call {
      method?: string
      headers?: Record<string, string>
      body?: string
      credentials?: 'include'
    }

    /** A call by that page, with all that it may read of the answer. */
    async function call(path: string, init: Call = {}) {
      const answer = await page.evaluate(
        async ([url, options]) => {
          const response = await fetch(url, options)
          const headers = Object.fromEntries(response.headers.entries())
          return { status: response.status, headers, text: await response.text() }
        },
        [new URL(path, galaxy.url).href, init] as const,
      )
      for (const [name, value] of Object.entries(answer.headers)) read.set(name, value)
      return answer
    }

    const json = { 'Content-Type': 'application/json' }
    const post = (body: object): Call => ({ method: 'POST', headers: json, body: JSON.stringify(body) })
    const mine = () => ({ ...json, Authorization: `Bearer ${token}` })
    const makePlanet = async () => {
      const { headers, text } = await call('/planets', { ...post({ name: 'Arrakis' }), headers: mine() })
      return { location: headers.location ?? '', path: `/planets/${JSON.parse(text).id}` }
    }

    it('may read a list and what its headers say', async () => {
      const { status, headers, text } = await call('/planets?limit=2')
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

    it('may make a planet, and learns where it is', async () => {
      const { location, path } = await makePlanet()
      expect(location).toBe(galaxy.url + path)
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
      const { path } = await makePlanet()
      const { status, headers } = await call(path, { method: 'DELETE', headers: mine() })
      expect(status).toBe(204)
      expect(headers.deprecation).toMatch(/^@\d+$/)
    })

    it('learns why it is refused', async () => {
      const { status, headers } = await call('/me')
      expect(status).toBe(401)
      expect(headers['www-authenticate']).toMatch(/^Bearer /)
    })

    it('learns how long it has to wait', async () => {
      const body = { email: 'you@example.com', password: PASSWORD }
      const { status, headers } = await call('/auth/token', { ...post(body), headers: { ...json, Prefer: 'code=429' } })
      expect(status).toBe(429)
      expect(headers).toMatchObject({
        'retry-after': expect.stringMatching(/^\d+$/),
        'x-ratelimit-limit': expect.stringMatching(/^\d+$/),
        'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
        'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
        'preference-applied': 'code=429',
      })
    })

    it('may be an OAuth client, and learns that its tokens are not to be kept', async () => {
      const { authorization_servers } = JSON.parse((await call('/.well-known/oauth-protected-resource')).text)
      const metadata = JSON.parse((await call(`${authorization_servers[0]}/.well-known/openid-configuration`)).text)
      const wanted = { token_endpoint_auth_method: 'client_secret_post', grant_types: ['client_credentials'] }
      const registered = await call(metadata.registration_endpoint, { ...post(wanted), headers: mine() })
      const { client_id, client_secret } = JSON.parse(registered.text)
      const { status, headers } = await call(metadata.token_endpoint, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: String(new URLSearchParams({ client_id, client_secret, grant_type: 'client_credentials' })),
      })
      expect(status).toBe(200)
      expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' })
    })

    it('learns which methods a path has', async () => {
      const { status, headers } = await call('/planets/1', { method: 'POST' })
      expect(status).toBe(405)
      expect(headers.allow?.split(', ').toSorted()).toEqual(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PUT'])
    })

    it('shows a picture of the service, and may read a part of it', async () => {
      const { path } = await makePlanet()
      const form = new FormData()
      form.set('image', new Blob([PICTURE]))
      const headers = { Authorization: `Bearer ${token}` }
      const upload = await fetch(new URL(`${path}/image`, galaxy.url), { method: 'POST', headers, body: form })
      const { imageUrl } = JSON.parse(await upload.text())
      const part = await call(imageUrl, { headers: { Range: 'bytes=0-9' } })
      expect(part.status).toBe(206)
      expect(part.headers['content-range']).toBe(`bytes 0-9/${PICTURE.length}`)
      await page.setContent(`<img src="${imageUrl}" alt="Arrakis">`, { waitUntil: 'load' })
      expect(await page.evaluate('document.images[0].naturalWidth')).toBe(1)
    })

    it('may read every header that it was told it may', async () => {
      const raw = await fetch(galaxy.url)
      const exposed = raw.headers.get('Access-Control-Expose-Headers')?.toLowerCase().split(',') ?? []
      expect(exposed.filter((name) => !read.has(name.trim()))).toEqual([])
    })

    it('cannot read the pages that ask its reader', async () => {
      await expect(call('/oauth/authorize')).rejects.toThrow('Failed to fetch')
    })

    it('cannot call with the cookies of its reader', async () => {
      await expect(call('/planets', { credentials: 'include' })).rejects.toThrow('Failed to fetch')
    })
  })

  describe('the page of the address itself', () => {
    let tab: Tab
    beforeAll(async () => {
      tab = await open()
      await tab.page.goto(galaxy.url)
    })
    afterEach(async () => expect(await tab.recording.takeFaults()).toEqual([]))
    afterAll(closeTabs)

    it('has links that work', async () => {
      const links = await tab.page.getByRole('link').all()
      expect(links.length).toBeGreaterThanOrEqual(4)
      for (const link of links) {
        const response = await tab.page.request.get(new URL((await link.getAttribute('href')) ?? '', galaxy.url).href)
        expect(response.status(), response.url()).toBe(200)
      }
    })

    it('leads to the API reference with the keyboard alone', async () => {
      await tab.page.keyboard.press('Tab')
      expect(await tab.page.locator(':focus').textContent()).toBe('API reference')
      await tab.page.keyboard.press('Enter')
      await tab.page.waitForURL('**/docs')
      await tab.page.getByRole('heading', { level: 1 }).first().waitFor()
    })
  })

  describe.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])('with %o', (options) => {
    let tab: Tab
    beforeAll(async () => {
      tab = await open(options)
    })
    afterEach(async () => expect(await tab.recording.takeFaults()).toEqual([]))
    afterAll(closeTabs)

    it.each(['/', ...PROBLEM_CODES.map((code) => `/problems/${code}`)])('%s is a page to read', async (path) => {
      const { page } = tab
      await page.goto(new URL(path, galaxy.url).href)
      expect(await page.title()).not.toBe('')
      expect(await page.locator('html').getAttribute('lang')).toBe('en')
      const main = page.getByRole('main')
      expect(await main.count()).toBe(1)
      expect(await main.getByRole('heading', { level: 1 }).count()).toBe(1)
      expect(await page.getByRole('heading', { level: 1 }).textContent()).not.toBe('')
      await page.keyboard.press('Tab')
      expect(await page.locator('a:focus').count()).toBe(1)
    })
  })
})

function findOperation(operationId: string): DocumentedOperation {
  const operation = operations.find((one) => one.operationId === operationId)
  if (!operation) throw new Error(`the document has no operation ${operationId}`)
  return operation
}

/** Answers the window that asks the user of the API reference. The browser may know who that is. */
async function signInAndAllow(popup: Page, account: { email: string; password: string }): Promise<void> {
  await signIn(popup, account)
  await popup.getByRole('button', { name: 'Allow' }).click()
}

async function signIn(popup: Page, { email, password }: { email: string; password: string }): Promise<void> {
  const allow = popup.getByRole('button', { name: 'Allow' })
  if (await allow.isVisible()) return
  await popup.getByLabel('E-mail address').fill(email)
  await popup.getByLabel('Password').fill(password)
  await popup.getByRole('button', { name: 'Sign in' }).click()
  await allow.waitFor()
}

/** An access token of OAuth (RFC 9068) with these scopes, as it is sent. */
function accessTokenFor(scopes: string): unknown {
  const isOne = (authorization: string) => {
    const [header, claims] = authorization.replace('Bearer ', '').split('.')
    const read = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())
    return read(header).typ === 'at+jwt' && read(claims).scope.includes(scopes)
  }
  return expect.toSatisfy(isOne)
}
