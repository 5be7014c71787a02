import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Tab } from '../support/browser.ts'
import { getTokens, PKCE, registerClient, type Send } from '../support/oauth.ts'
import { type Answer, type DocumentedOperation, ReferencePage } from '../support/reference-page.ts'
import {
  chromium,
  findOperation,
  operations,
  PASSWORD,
  PICTURE,
  REFERENCE_CLIENT,
  signInAndAllow,
  useBrowser,
} from './in-browser.ts'

describe.skipIf(!chromium)('in a browser', () => {
  const here = useBrowser()

  describe('a call from the API reference', () => {
    const NEW_PASSWORD = `${PASSWORD}-and-moons`
    const account = { email: `browser-${Date.now()}@example.com`, password: PASSWORD, name: 'Browser' }
    let tab: Tab
    let reference: ReferencePage

    /** What calls need of the answers to earlier ones. */
    interface Known {
      token: string
      client: { client_id: string; client_secret: string }
      accessToken: string
      /** Where callbacks may go without leaving the service. */
      inbox: string
      /** For the path. */
      parameters: Record<string, string>
    }
    let known: Known = {
      token: '',
      client: { client_id: '', client_secret: '' },
      accessToken: '',
      inbox: '',
      parameters: {},
    }

    beforeAll(async () => {
      tab = await here.open()
      reference = new ReferencePage(tab.page, here.galaxy.url)
      await reference.open()
    })
    // A page of scripts that is shown as an answer must not run them, and Chromium says so.
    const isSandboxed = /^error: Blocked script execution in 'blob:/
    afterEach(async () => expect(await tab.recording.takeFaults(isSandboxed)).toEqual([]))
    afterAll(here.closeTabs)

    async function fillIn(parameters: Record<string, string>): Promise<void> {
      for (const [name, value] of Object.entries(parameters)) await reference.setParameter(name, value)
    }

    /** What only the caller can know. The rest is sent as the page offers it. */
    const FILL_IN: Record<string, () => Promise<void>> = {
      createUser: () => reference.setBody(JSON.stringify(account)),
      getToken: () => reference.setBody(JSON.stringify({ email: account.email, password: PASSWORD })),
      uploadImage: () => reference.chooseFile('image', { name: 'a.png', mimeType: 'image/png', buffer: PICTURE }),
      setPassword: () => reference.setBody(JSON.stringify({ currentPassword: PASSWORD, newPassword: NEW_PASSWORD })),
      deleteMe: async () => {
        const credentials = { email: account.email, password: NEW_PASSWORD }
        await reference.enterToken(await getToken(credentials))
        await reference.setBody(JSON.stringify({ password: NEW_PASSWORD }))
      },
      createWebhook: () => reference.setBody(JSON.stringify({ url: known.inbox, events: ['newPlanet'] })),
      registerClient: async () => {
        await reference.enterToken(known.token)
        const metadata = { token_endpoint_auth_method: 'client_secret_post', grant_types: ['client_credentials'] }
        await reference.setBody(JSON.stringify(metadata))
      },
      issueTokens: () => fillIn({ ...known.client, grant_type: 'client_credentials', scope: 'read:account' }),
      introspectToken: () => fillIn({ ...known.client, token: known.accessToken }),
      revokeToken: () => fillIn({ ...known.client, token: known.accessToken }),
      // The page offers a value for every filter.
      listDeliveries: () => reference.leaveOut('planetId', 'event', 'status'),
      authorizeByForm: () => fillIn(authorizationRequest()),
      signIn: () => fillIn({ email: account.email, password: PASSWORD }),
      consent: () => fillIn({ decision: 'allow' }),
      endConsent: async () => fillIn({ clientId: await allowOwnClient() }),
    }

    const authorizationRequest = () => ({
      response_type: 'code',
      client_id: REFERENCE_CLIENT,
      redirect_uri: `${here.galaxy.url}/docs/oauth2-redirect`,
      code_challenge: PKCE.challenge,
      code_challenge_method: 'S256',
    })

    /** What is no success, and rightly so: the forms of our pages are only taken from our pages. */
    const REFUSED: Record<string, number> = { signIn: 403, consent: 403 }

    /** What later calls need of an answer. */
    const KEEP: Record<string, (answer: Answer) => unknown> = {
      getToken: ({ text }) => (known.token = JSON.parse(text).token),
      createPlanet: ({ text }) => (known.parameters.planetId = String(JSON.parse(text).id)),
      // Others have something to do with a planet too.
      explodePlanet: async () => {
        known.parameters.planetId = await makePlanet()
      },
      uploadImage: ({ text }) => (known.parameters.key = JSON.parse(text).imageUrl.replace(/^.*\/images\//, '')),
      createApiKey: ({ text }) => (known.parameters.keyId = String(JSON.parse(text).id)),
      registerClient: ({ text }) => {
        const { client_id, client_secret } = JSON.parse(text)
        known.client = { client_id, client_secret }
        known.parameters.clientId = client_id
      },
      listGrants: ({ text }) => (known.parameters.grantId = JSON.parse(text).data.at(-1).id),
      createInbox: ({ text }) => {
        const { id, url } = JSON.parse(text)
        known.inbox = url
        known.parameters.inboxId = id
      },
      createWebhook: ({ text }) => (known.parameters.webhookId = String(JSON.parse(text).id)),
      listDeliveries: ({ text }) => (known.parameters.deliveryId = String(JSON.parse(text).data[0].id)),
      issueTokens: ({ text }) => (known.accessToken = JSON.parse(text).access_token),
    }

    /** Lets the user allow a client of the user's own something: that is remembered. @returns Its id */
    async function allowOwnClient(): Promise<string> {
      const send: Send = (path, init) => fetch(new URL(path, here.galaxy.url), { redirect: 'manual', ...init })
      const own = await registerClient(send, {}, `Bearer ${known.token}`)
      await getTokens(send, { email: account.email, password: PASSWORD }, own)
      return own.id
    }

    async function getToken(credentials: object): Promise<string> {
      const headers = { 'Content-Type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(credentials) }
      return Object(await (await fetch(`${here.galaxy.url}/auth/token`, init)).json()).token
    }

    async function makePlanet(): Promise<string> {
      const headers = { Authorization: `Bearer ${known.token}`, 'Content-Type': 'application/json' }
      const response = await fetch(`${here.galaxy.url}/planets`, {
        method: 'POST',
        headers,
        body: '{"name":"Arrakis"}',
      })
      return String(Object(await response.json()).id)
    }

    async function prepare(operation: DocumentedOperation): Promise<void> {
      if (reference.hasShownMuch) await reference.open()
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
      expect(JSON.parse(text).detail).toMatch(/^Authentication is required\. Send /)
    })

    const FIRST = ['createUser', 'getToken', 'createPlanet', 'uploadImage', 'getImage', 'createApiKey']
    const THEN = ['createInbox', 'registerClient', 'issueTokens', 'introspectToken', 'revokeToken']
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
      await KEEP[operation.operationId]?.(answer)
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
        await KEEP[operation.operationId]?.(answer)
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
        await page.getByRole('heading', { name: 'This request cannot be completed' }).waitFor()
      })
    })

    /** After which there is nobody left who could do anything. */
    const END = 'deleteMe'
    const deletions = operations.filter(({ method, operationId }) => method === 'delete' && operationId !== END)

    it.each([...deletions, findOperation(LAST), findOperation(END)])('$method $path succeeds', async (operation) => {
      await prepare(operation)
      await FILL_IN[operation.operationId]?.()
      expect((await reference.send(operation)).status).toBe(operation.success)
    })
  })
})
