import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bundleBrowser } from '../../../scripts/lib/browser-files.ts'
import { ROOT } from '../../../scripts/lib/root.ts'
import { PLAIN_HOST } from '../../support/browser.ts'
import { authorizationPath, registerClient } from '../../support/oauth.ts'
import { PLAIN, ReferencePage } from '../../support/reference-page.ts'
import { chromium, findOperation, PASSWORD, signInAndAllow, useBrowser } from '../in-browser.ts'
import { ownAddress } from '../own-address.ts'
import { findTabFaults } from './pages.ts'
import { STEPS, WalkPage } from './walk-page.ts'

// The service over http at a host that is not localhost, as in a container or in a local network. Browsers offer its
// pages only a part of their functions (https://w3c.github.io/webappsec-secure-contexts).

/**
 * Chromium says that it ignores a header of the API reference there. Nothing depends on it, as long as all is one
 * origin.
 */
const COOP_IGNORED = /^error: The Cross-Origin-Opener-Policy header has been ignored/

describe.skipIf(!chromium)('over http, at a host that is not localhost,', () => {
  const here = useBrowser()
  let origin = ''

  beforeAll(() => {
    origin = here.galaxy.url.replace('localhost', PLAIN_HOST)
  })
  afterEach(here.closeTabs)

  /** Opens a tab there. The number of inboxes and universes of one address is limited. */
  async function open() {
    const tab = await here.openAt(origin)
    await tab.page.setExtraHTTPHeaders(ownAddress())
    return tab
  }

  it('every page opens', async () => {
    const tab = await open()
    const send = (path: string, init?: RequestInit) => fetch(new URL(path, here.galaxy.url), init)
    const { id } = await registerClient(send, { client_name: 'Atlas' })
    const created = await send('/universes', { method: 'POST', headers: ownAddress() })
    const universe = new URL((await created.json()).url).pathname
    // The pages of a universe run the same scripts, and have a bar besides.
    for (const path of [...PAGES, `${universe}/account`]) {
      await tab.page.goto(origin + path, { waitUntil: 'networkidle' })
      await expect.poll(() => tab.page.evaluate('isSecureContext'), { message: path }).toBe(false)
      expect(await findTabFaults(tab, COOP_IGNORED), path).toEqual([])
    }
    await tab.page.goto(origin + authorizationPath(id))
    await tab.page.getByRole('link', { name: 'Create an account' }).click()
    await tab.page.getByRole('heading', { name: 'Create a Galaxy account' }).waitFor()
    expect(await findTabFaults(tab)).toEqual([])
  })

  it('the tour can be made, and computes signatures', async () => {
    const tab = await open()
    const { page } = tab
    const walk = new WalkPage(page)
    await walk.open(origin)
    for (const step of STEPS) {
      await walk.click(step)
      if (step !== 'verify') continue
      await page.getByText('They are equal').waitFor()
      await page.getByRole('button', { name: 'Change one character of the body' }).click()
      await page.getByText('They differ').waitFor()
      await page.getByRole('button', { name: 'Put the character back' }).click()
      await page.getByText('They are equal').waitFor()
    }
    await page.getByText('The four ids are equal: it is one event.').waitFor()
    await page
      .getByRole('button', { name: /^Copy / })
      .last()
      .click()
    await page.getByText('The text is selected.').waitFor()
    await expect.poll(() => page.evaluate('String(getSelection())')).toMatch(/^(?:curl|\S)/)
    await page.getByRole('button', { name: 'Start again' }).click()
    await page.getByText('0 of 13 steps are done.').waitFor()
    expect(await findTabFaults(tab)).toEqual([])
  })

  it('the account page signs up and in, and creates a key that can be copied', async () => {
    const tab = await open()
    const { page } = tab
    await page.goto(`${origin}/account#sign-up`)
    await page.getByLabel('E-mail address').fill(`${crypto.randomUUID()}@galaxy.test`)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByRole('button', { name: 'Copy the key' }).click()
    await page.getByText('The text is selected.').waitFor()
    await expect.poll(() => page.evaluate('String(getSelection())')).toMatch(/^glx_/)
    await page.getByRole('link', { name: 'Inboxes' }).click()
    await page.getByRole('button', { name: /inbox/ }).first().click()
    await page.getByText('webhook-signature').or(page.getByText('No request')).first().waitFor()
    expect(await findTabFaults(tab)).toEqual([])
  })

  it('the page about live events connects', async () => {
    const tab = await open()
    await tab.page.goto(`${origin}/docs/events`)
    await tab.page.getByRole('button', { name: 'Connect' }).click()
    await tab.page.getByText('Connected', { exact: true }).waitFor()
    await tab.page.getByRole('button', { name: 'Copy the address of the socket' }).click()
    await tab.page.getByText('The text is selected.').waitFor()
    expect(await findTabFaults(tab)).toEqual([])
  })

  it('a universe can be created, used and reset', async () => {
    const tab = await open()
    const { page } = tab
    await page.goto(`${origin}/`)
    await page.getByRole('button', { name: 'Create your own universe' }).click()
    await page.waitForURL(/\/u\//)
    await page.getByRole('button', { name: 'Copy the Password' }).click()
    await page.getByText('The text is selected.').waitFor()
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await page.getByRole('button', { name: 'Reset', exact: true }).click()
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Reset it' }).click()])
    await page.getByRole('button', { name: 'Reset', exact: true }).waitFor()
    expect(await findTabFaults(tab)).toEqual([])
  })

  it('the API reference signs in with OAuth, and calls with the token', async () => {
    const createPlanet = findOperation('createPlanet')
    const account = { email: `${crypto.randomUUID()}@galaxy.test`, password: PASSWORD }
    const headers = { 'Content-Type': 'application/json', ...ownAddress() }
    await fetch(`${here.galaxy.url}/user/signup`, { method: 'POST', headers, body: JSON.stringify(account) })
    const tab = await open()
    await tab.page.addInitScript(PLAIN)
    const reference = new ReferencePage(tab.page, origin)
    await reference.narrow([createPlanet])
    await reference.open()
    await reference.try(createPlanet)
    await reference.credentials.choose('oAuth2')
    await signInAndAllow(await reference.credentials.openPopup(), account)
    await reference.credentials.waitForToken()
    expect((await reference.send(createPlanet)).status).toBe(201)
    expect(await tab.recording.takeFaults(COOP_IGNORED)).toEqual([])
  })

  it('no code of a page needs what only secure contexts have', async () => {
    const secure = await here.openAt(here.galaxy.url)
    const plain = await open()
    await secure.page.goto(`${here.galaxy.url}/problems`)
    await plain.page.goto(`${origin}/problems`)
    const everywhere = new Set(await plain.page.evaluate<string[]>(LIST_NAMES))
    const names = (await secure.page.evaluate<string[]>(LIST_NAMES)).filter((name) => !everywhere.has(name))
    expect(names).toEqual(
      expect.arrayContaining(['crypto.randomUUID', 'crypto.subtle', 'navigator.clipboard', 'caches']),
    )
    const { metafile } = await bundleBrowser()
    const inputs = Object.keys(metafile.inputs).filter((path) => /\.[jt]sx?$/.test(path))
    const uses = await Promise.all(
      inputs.map(async (path) => {
        const text = (await readFile(join(ROOT, path), 'utf8')).replaceAll(COMMENT, '')
        return names.filter((name) => usePatternOf(name).test(text)).map((name) => `${path}: ${name}`)
      }),
    )
    expect(uses.flat().toSorted()).toEqual(WITH_FALLBACK)
  })
})

const PAGES = [
  '/',
  '/walk',
  '/docs',
  '/docs/events',
  '/docs/oauth2-redirect',
  '/account',
  '/account#sign-up',
  '/lab',
  '/guides/live',
  '/problems',
  '/problems/invalid-body',
  '/explore/planets/4',
  '/explore/planets/999999999',
  '/echo/planets.html?tag=a',
  '/oauth/end-session',
  '/oauth/authorize?client_id=nobody',
]

/** What pages use nevertheless, because it is there, or because they do without. */
const WITH_FALLBACK = [
  // Without a clipboard, the text is selected.
  'browser/lib/clipboard.ts: navigator.clipboard',
  // It provides what is missing.
  'browser/lib/web-crypto.ts: crypto.subtle',
  // It uses what web-crypto.ts provides.
  'src/domain/webhook-keys.ts: crypto.subtle',
]

/**
 * Runs in a page: the names of all globals, and of the members of the objects that have most of the functions of a
 * browser.
 */
const LIST_NAMES = `(() => {
  const membersOf = (object) => {
    const names = []
    for (let one = object; one && one !== Object.prototype; one = Object.getPrototypeOf(one)) names.push(...Object.getOwnPropertyNames(one))
    return names
  }
  const owners = { crypto, navigator, document, performance, screen, history, location }
  return [
    ...membersOf(globalThis),
    ...Object.entries(owners).flatMap(([owner, object]) => membersOf(object).map((name) => owner + '.' + name)),
  ]
})()`

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/ .*/g

/** Finds uses of a member of an object, or of a global: not of a member of the same name, and not of a key. */
function usePatternOf(name: string): RegExp {
  return name.includes('.')
    ? new RegExp(`\\b${name.replace('.', '\\??\\.')}\\b`)
    : new RegExp(`(?:\\bnew ${name}\\b|(?:globalThis|window)\\.${name}\\b|(?<![\\w.$'"\`-])${name}(?:\\.|\\())`)
}
