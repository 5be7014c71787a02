import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Tab } from '../support/browser.ts'
import { type DocumentedOperation, PLAIN, ReferencePage } from '../support/reference-page.ts'
import { chromium, findOperation, operations, PICTURE, signInAndAllow, useBrowser } from './in-browser.ts'
import { type Call, chooseCalls, credentialOf } from './kinds-of-calls.ts'
import { World } from './world.ts'

// One call of each kind, from an API reference that contains only these operations, because what a call sends depends
// only on its operation. browser.test.ts tests that the API reference has every operation of the document.
// imports.test.ts tests that every operation succeeds with what the document offers.

/** Its response does not end. live-clients.test.ts tests it. */
const ENDLESS = ['streamPlanetEvents']
const calls = chooseCalls(operations.filter(({ operationId }) => !ENDLESS.includes(operationId)))
/** The operations whose calls are to be refused. */
const REFUSED = ['getMe', 'createPlanet', 'getPlanet']
/** The names of formats on the page. It has none for other types of one operation, and shows these themselves. */
const FORMATS: Readonly<Record<string, string>> = {
  'application/json': 'JSON',
  'application/xml': 'XML',
  'application/merge-patch+json': 'application/merge-patch+json',
  'application/json-patch+json': 'application/json-patch+json',
}

describe.skipIf(!chromium)('in a browser', () => {
  const here = useBrowser()

  describe('a call from the API reference', () => {
    let tab: Tab
    let reference: ReferencePage

    beforeAll(async () => {
      tab = await here.open()
      await tab.page.addInitScript(PLAIN)
      reference = new ReferencePage(tab.page, here.galaxy.url)
      await reference.narrow([...calls.map(({ operation }) => operation), ...REFUSED.map(findOperation)])
      await reference.open()
    })
    afterEach(async () => expect(await tab.recording.takeFaults()).toEqual([]))
    afterAll(here.closeTabs)

    async function fillIn(parameters: Record<string, string>): Promise<void> {
      for (const [name, value] of Object.entries(parameters)) await reference.setParameter(name, value)
    }

    /** Opens the reference's client for an operation, with the credential of a user and with existing ids. */
    async function prepare(operation: DocumentedOperation, world: World): Promise<void> {
      if (reference.hasShownMuch) await reference.open()
      await reference.try(operation)
      await enterCredential(credentialOf(operation), world)
      await fillIn(await world.parametersOf(operation))
    }

    async function enterCredential(scheme: string | undefined, world: World): Promise<void> {
      if (scheme === undefined) return
      if (scheme === 'bearerAuth') return await reference.enterToken(world.token)
      await reference.credentials.choose(scheme)
      await signInAndAllow(await reference.credentials.openPopup(), world.account)
      await reference.credentials.waitForToken()
    }

    /**
     * Chooses the format of a body, and fills in what only the caller can know. The rest stays as the page fills it in.
     */
    async function enterBody({ operation, bodyType = '' }: Call, world: World): Promise<void> {
      const format = FORMATS[bodyType]
      if (format) await reference.chooseBodyFormat(format)
      const own = world.bodyOf(operation)
      if (own) await reference.setBody(format === 'XML' ? writeXml(own) : JSON.stringify(own))
      await fillIn(await world.formOf(operation))
      if (bodyType === 'multipart/form-data') {
        await reference.chooseFile('image', { name: 'a.png', mimeType: 'image/png', buffer: PICTURE })
      }
    }

    it.each(calls.map((call) => ({ ...call, ...call.operation, body: call.bodyType ?? 'no body' })))(
      '$method $path with $body does what it should',
      async (call) => {
        const world = await World.open(here.galaxy.url)
        await prepare(call.operation, world)
        await enterBody(call, world)
        const answer = await reference.send(call.operation)
        expect(answer.status, answer.text.slice(0, 1000)).toBe(call.success)
        expect(answer.shown).toMatch(String(call.success))
        expect(answer.sent.headers['content-type'] ?? 'no body').toContain(call.body)
      },
    )

    it('without a token is refused if the operation needs one', async () => {
      const getMe = findOperation('getMe')
      await reference.try(getMe)
      await reference.enterToken('')
      const { shown, sent, text } = await reference.send(getMe)
      expect(shown).toBe('401 Unauthorized')
      // An empty field is no credential, so the response says which credentials are accepted.
      expect(sent.headers).not.toHaveProperty('authorization')
      expect(JSON.parse(text).detail).toMatch(/^Authentication is required\. Send /)
    })

    it('shows what is wrong with its body', async () => {
      const createPlanet = findOperation('createPlanet')
      await prepare(createPlanet, await World.open(here.galaxy.url))
      await reference.chooseBodyFormat('JSON')
      await reference.setBody('{"name":""}')
      expect((await reference.send(createPlanet)).shown).toBe('400 Bad Request')
      await reference.shownBody().getByText('/problems/invalid-body').waitFor()
      await reference.shownBody().getByText('"/name"').waitFor()
    })

    it('shows 404 as a problem document for a planet that does not exist', async () => {
      const getPlanet = findOperation('getPlanet')
      await reference.try(getPlanet)
      await reference.setParameter('planetId', '999999999')
      expect((await reference.send(getPlanet)).shown).toBe('404 Not Found')
      await reference.shownBody().getByText('/problems/not-found').waitFor()
    })
  })
})

/** A document of texts. */
function writeXml(members: object): string {
  const elements = Object.entries(members).map(([name, value]) => `<${name}>${value}</${name}>`)
  return `<root>${elements.join('')}</root>`
}
