import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTab, type Tab } from '../support/browser.ts'
import { type Answer, PLAIN, ReferencePage } from '../support/reference-page.ts'
import { bodyOf, type Galaxy, startGalaxy } from './galaxy.ts'
import {
  chromium,
  conformance,
  document,
  findOperation,
  PASSWORD,
  REFERENCE_CLIENT,
  signIn,
  signInAndAllow,
  useBrowser,
} from './in-browser.ts'
import { freePort } from './ports.ts'
import { makePreparedState } from './prepared-state.ts'

/** The operations that are called with each credential. The page contains no others, because all send it alike. */
const createPlanet = findOperation('createPlanet')

const SCHEMES = Object.keys(document.components.securitySchemes)
/** Whether an authorization server issues the credential of a scheme. */
const isOfOAuth = (scheme: string) =>
  ['oauth2', 'openIdConnect'].includes(document.components.securitySchemes[scheme].type)

describe.skipIf(!chromium)('in a browser', () => {
  const here = useBrowser()

  describe('the credentials of a call from the API reference', () => {
    const account = { email: `schemes-${Date.now()}@example.com`, password: PASSWORD, name: 'Schemes' }
    let tab: Tab
    let reference: ReferencePage
    let token = ''
    let key = ''

    beforeAll(async () => {
      await post('/user/signup', account)
      token = (await post('/auth/token', account)).token
      key = (await post('/me/api-keys', {}, token)).key
      tab = await here.open()
      await tab.page.addInitScript(PLAIN)
      reference = new ReferencePage(tab.page, here.galaxy.url)
      await reference.narrow([createPlanet])
    })
    afterEach(async () => expect(await tab.recording.takeFaults()).toEqual([]))
    afterAll(here.closeTabs)

    async function post(path: string, body: object, bearer?: string) {
      const headers = { 'Content-Type': 'application/json', ...(bearer && { Authorization: `Bearer ${bearer}` }) }
      return await bodyOf(
        await fetch(new URL(path, here.galaxy.url), { method: 'POST', headers, body: JSON.stringify(body) }),
      )
    }

    /** Creates a planet with the entered credential. @returns The call. It must have been made as the account itself */
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

    /** Registry: how each scheme is used on the page, and which credential its call then carries. */
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

    /** Uses a scheme on the page, and compares the credential that the call carries. */
    async function expectSuccess(scheme: string): Promise<void> {
      const attempt = ATTEMPTS[scheme]
      await reference.try(createPlanet)
      await reference.credentials.choose(scheme)
      await attempt?.enter()
      expect(carried(await succeed())).toEqual(attempt?.carries())
    }

    describe('on a page that stays open:', () => {
      // These tests use one page. A call carries only the chosen credential, even if others were entered before.
      beforeAll(() => reference.open())

      it.each(SCHEMES.filter((scheme) => !isOfOAuth(scheme)))('%s succeeds', expectSuccess)

      it('a key with characters that a cookie cannot contain is sent unchanged, and no cookie remains', async () => {
        const odd = 'glx_; Path=/elsewhere, "ü" 100%'
        await reference.try(createPlanet)
        await reference.credentials.choose('apiKeyCookie')
        await reference.credentials.enter('Value', odd)
        const { status, sent } = await reference.send(createPlanet)
        expect(status).toBe(401)
        expect(decodeURIComponent(carried(sent).inCookie ?? '')).toBe(odd)
        expect((await tab.page.context().cookies()).map(({ name }) => name)).not.toContain('api_key')
      })

      it('disabled OAuth flows are not offered', async () => {
        await reference.try(createPlanet)
        await reference.credentials.choose('oAuth2')
        await expect.poll(() => reference.credentials.listFlows()).toEqual(['authorizationCode', 'clientCredentials'])
      })

      it('a user who denies leads to a message that says so', async () => {
        await reference.try(createPlanet)
        await reference.credentials.choose('oAuth2')
        const popup = await reference.credentials.openPopup()
        await signIn(popup, account)
        await popup.getByRole('button', { name: 'Deny' }).click()
        await tab.page.getByText('OAuth error: access_denied').first().waitFor()
        // The bundle also logs the error that it shows.
        const faults = await tab.recording.takeFaults()
        expect(faults).toEqual([expect.stringContaining('OAuth error: access_denied')])
      })
    })

    describe('on a page that is opened again:', () => {
      // A page that has a token does not ask for one. A page that was opened again has none.
      beforeEach(() => reference.open())

      it.each(SCHEMES.filter(isOfOAuth))('%s succeeds', expectSuccess)

      it('the Bearer field can get its token in a popup, from the user', async () => {
        await reference.try(createPlanet)
        await reference.credentials.choose('bearerAuth')
        await signInAndAllow(await reference.credentials.openPopup('Authorize via oAuth2'), account)
        await reference.credentials.waitFor('Bearer Token')
        expect(carried(await succeed())).toEqual({ authorization: accessTokenFor('read:account write:account') })
      })

      it('a client that belongs to the account can get its token without a popup', async () => {
        const metadata = { token_endpoint_auth_method: 'client_secret_basic', grant_types: ['client_credentials'] }
        const { client_id, client_secret } = await post('/oauth/register', metadata, token)
        await reference.try(createPlanet)
        await reference.credentials.choose('oAuth2')
        await reference.credentials.chooseFlow('clientCredentials')
        // Each flow keeps its own token.
        await expect.poll(() => reference.credentials.hasToken()).toBe(false)
        await reference.credentials.enter('Client ID', client_id)
        await reference.credentials.enter('Client Secret', client_secret)
        await reference.credentials.authorize()
        await reference.credentials.waitForToken()
        expect(carried(await succeed())).toEqual({ authorization: accessTokenFor('write:planets') })
      })
    })
  })

  describe('if the legacy flows of OAuth are enabled, in the API reference', () => {
    const account = { email: 'legacy@example.com', password: PASSWORD }
    let elsewhere: Awaited<ReturnType<typeof makePreparedState>>
    let legacy: Galaxy
    let tab: Tab
    let reference: ReferencePage

    beforeAll(async () => {
      elsewhere = await makePreparedState()
      const options = ['--port', String(await freePort()), '--persist-to', elsewhere.folder]
      legacy = await startGalaxy([...options, '--var', 'OAUTH_LEGACY_FLOWS:on'])
      const headers = { 'Content-Type': 'application/json' }
      await fetch(new URL('/user/signup', legacy.url), { method: 'POST', headers, body: JSON.stringify(account) })
      tab = await openTab(here.browser, legacy.url, conformance)
      await tab.page.addInitScript(PLAIN)
      reference = new ReferencePage(tab.page, legacy.url)
      await reference.narrow([createPlanet])
      await reference.open()
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
      await reference.try(createPlanet)
      await reference.credentials.choose('oAuth2')
      await reference.credentials.chooseFlow(flow)
      // Each flow keeps its own token.
      await expect.poll(() => reference.credentials.hasToken()).toBe(false)
      await OBTAIN[flow]()
      await reference.credentials.waitForToken()
      expect((await reference.send(createPlanet)).status).toBe(201)
    })
  })
})

/** An access token of OAuth (RFC 9068) with these scopes, as it is sent. */
function accessTokenFor(scopes: string): unknown {
  const isOne = (authorization: string) => {
    const [header, claims] = authorization.replace('Bearer ', '').split('.')
    const read = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())
    return read(header).typ === 'at+jwt' && read(claims).scope.includes(scopes)
  }
  return expect.toSatisfy(isOne)
}
