import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Tab } from '../../support/browser.ts'
import { SCRIPT_PAYLOADS } from '../../support/script-payloads.ts'
import { chromium, hasRun, PASSWORD, useBrowser } from '../in-browser.ts'
import { ownAddress } from '../own-address.ts'
import { addApplications, createPlanet, makePerson, type Person, sendAs, untilDelivered } from './account-world.ts'
import { press, type } from './keyboard.ts'
import { findPageFaults, findTabFaults, JUDGED_SCREENS, openOn, type ScreenName, takeScreenshot } from './pages.ts'

const SECTIONS = ['deliveries', 'subscriptions', 'inboxes', 'keys', 'applications', 'profile']
const NEW_PASSWORD = 'i-love-moons'
/** Lets the time that a call may take pass ten times as fast. */
const HASTY_CALLS = `{
  const { get, set } = Object.getOwnPropertyDescriptor(XMLHttpRequest.prototype, 'timeout')
  Object.defineProperty(XMLHttpRequest.prototype, 'timeout', { get, set(ms) { set.call(this, ms / 10) } })
}`
const OFFLINE = /ERR_INTERNET_DISCONNECTED/

describe.skipIf(!chromium)('the account page', () => {
  const here = useBrowser()
  let tab: Tab
  let page: Page
  /** A user with two deliveries, one of them pending, and with keys and applications. */
  let person: Person
  let inboxId = ''

  beforeAll(async () => {
    person = await makePerson(here.galaxy.url)
    const inbox = await person.make('POST', '/inboxes')
    inboxId = inbox.id
    await person.send('POST', '/planets', { name: 'Arrakis', successCallbackUrl: inbox.url })
    await untilDelivered(person)
    await person.send('PUT', `/inboxes/${inboxId}`, { status: 503, body: 'Not today' })
    await person.send('POST', '/planets', { name: 'Caladan', successCallbackUrl: inbox.url })
    const tested = await person.make('POST', '/inboxes')
    await person.send('POST', '/webhooks', { url: tested.url, events: ['newPlanet'] })
    await person.send('POST', '/me/api-keys', { name: 'Build server', scopes: ['read:planets', 'write:planets'] })
    await addApplications(here.galaxy.url, person, 'Atlas')
  })

  afterEach(() => here.closeTabs())

  async function open(screen: ScreenName, hash = ''): Promise<void> {
    tab = await openOn(here, screen)
    page = tab.page
    await page.setExtraHTTPHeaders(ownAddress())
    await page.goto(`${here.galaxy.url}/account${hash}`)
  }

  async function signIn({ email }: Pick<Person, 'email'>): Promise<void> {
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
  }

  const goTo = (hash: string) => page.goto(`${here.galaxy.url}/account${hash}`)
  const expectNoFaults = async (...expected: RegExp[]) => expect(await findPageFaults(tab, ...expected)).toEqual([])
  /** For a place that is judged with everything else in another test. */
  const expectNoTabFaults = async (...expected: RegExp[]) => expect(await findTabFaults(tab, ...expected)).toEqual([])
  const button = (name: string | RegExp) => page.getByRole('button', { name })
  const read = (text: string | RegExp) => page.getByText(text).first().waitFor()

  /** Follows a link or presses a button that leads to another place, whose heading then has the focus. */
  async function visit(name: string | RegExp, heading = name): Promise<void> {
    await press(page, name)
    await page.getByRole('heading', { name: heading, exact: true }).and(page.locator(':focus')).waitFor()
  }

  it.each(JUDGED_SCREENS)('shows every section: %s', async (screen) => {
    await open(screen)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await expectNoFaults()
    await takeScreenshot(page, screen, 'account-sign-in')
    await signIn(person)
    for (const section of SECTIONS) {
      await goTo(`#${section}`)
      await page.getByText('Loading …').first().waitFor({ state: 'detached' })
      await page.locator('details.same-calls > summary').click()
      await expectNoFaults()
      await takeScreenshot(page, screen, `account-${section}`)
    }
    // The subscription of this user also gets the planets of other tests, which can fill the first page.
    await goTo('#deliveries?event=planetCreated')
    await page
      .getByRole('link', { name: /^planetCreated/ })
      .first()
      .click()
    await read('the receiver returned 503')
    await page.getByText('The body that is sent').click()
    await expectNoFaults()
    await takeScreenshot(page, screen, 'account-delivery')
    await goTo(`#inboxes/${inboxId}`)
    await page.getByText('x-signature is valid').first().click()
    await expectNoFaults()
    await takeScreenshot(page, screen, 'account-inbox')
  })

  it.each(JUDGED_SCREENS)('tests the receiver of a subscription with one click: %s', async (screen) => {
    await open(screen, '#subscriptions')
    await signIn(person)
    await button(/^Send the test/).click()
    await read('The receiver is right.')
    await page.getByLabel('Send to its receiver').selectOption('body-changed')
    await button(/^Send the test/).click()
    await read('The receiver is wrong. The receiver returned 200. A 4xx other than 408 and 429 was due.')
    const facts = page.locator('.facts').last()
    await expect
      .poll(() => facts.locator('dt').allTextContents())
      .toEqual(['Sent', 'The receiver answered', 'Right is'])
    await expect
      .poll(() => facts.locator('dd').allTextContents())
      .toEqual(['the body changed after signing', '200', '4xx, but not 408 or 429'])
    await expectNoFaults()
    await takeScreenshot(page, screen, 'account-test')
    await page.getByRole('link', { name: 'Its delivery in the log' }).click()
    await read('The receiver is wrong.')
    await expect.poll(() => button('Redeliver now').count()).toBe(0)
  })

  it('offers no tests of receivers if the operator has switched them off', async () => {
    await open('desktop-light', '#subscriptions')
    await page.route('**/account', async (route) => {
      const response = await route.fetch()
      const html = await response.text()
      expect(html).toContain(' data-tests=""')
      await route.fulfill({ response, body: html.replace(' data-tests=""', '') })
    })
    await page.reload()
    await signIn(person)
    await page.locator('.entry').first().waitFor()
    await expect.poll(() => page.locator('main').textContent()).not.toMatch(/\bsend|\/tests/i)
    await expectNoFaults()
  })

  it.each(['desktop-dark', 'phone-light'] as const)('shows questions and failures: %s', async (screen) => {
    await open(screen, '#keys')
    await signIn(person)
    await button('Revoke Build server').click()
    await page.getByRole('dialog').waitFor()
    await expectNoFaults()
    await takeScreenshot(page, screen, 'account-question')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await goTo('#deliveries/999999999')
    await read('You have no delivery with this id.')
    await goTo('#deliveries?status=failed')
    await read('No delivery matches.')
    await expectNoFaults()
    await takeScreenshot(page, screen, 'account-no-match')
    await page.context().setOffline(true)
    await button('Refresh').click()
    await read('The service cannot be reached.')
    await takeScreenshot(page, screen, 'account-unreachable')
    await expectNoFaults(OFFLINE)
    await page.context().setOffline(false)
    await button('Refresh').click()
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await expectNoTabFaults(OFFLINE)
  })

  it('a session that has ended is renewed in place, and nothing that was typed is lost', async () => {
    await open('phone-dark', '#keys')
    await signIn(person)
    await page.getByLabel('Name (optional)').fill('Backup')
    await page.getByLabel('write:account').uncheck()
    await page.evaluate(
      `sessionStorage.setItem('galaxy.session', JSON.stringify({ email: '${person.email}', token: 'old' }))`,
    )
    await button('Create the key').click()
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
    await expectNoFaults()
    await takeScreenshot(page, 'phone-dark', 'account-expired')
    // Who closes the window can still come back to it, and a reload keeps what was typed.
    await page.keyboard.press('Escape')
    await read('Your session has ended.')
    await page.reload()
    const window = page.getByRole('dialog')
    await window.getByLabel('Password').fill('wrong')
    await page.keyboard.press('Enter')
    await read('The e-mail address or the password is wrong.')
    await window.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await window.waitFor({ state: 'detached' })
    await expect.poll(() => page.getByLabel('Name (optional)').inputValue()).toBe('Backup')
    await expect.poll(() => page.getByLabel('write:account').isChecked()).toBe(false)
    await button('Create the key').click()
    await read('This is your new key.')
    await takeScreenshot(page, 'phone-dark', 'account-new-key')
    const key = await page.locator('.new-key code').textContent()
    await page.reload()
    await expect.poll(() => page.locator('.new-key code').textContent()).toBe(key)
    await button('I have saved it').click()
    await read('read:account, read:planets, write:planets')
    await page.reload()
    await read('Backup')
    await expect.poll(() => page.locator('.new-key').count()).toBe(0)
    await expectNoTabFaults()
  })

  it('a limit of attempts says how long to wait', async () => {
    await open('desktop-light')
    const headers = {
      'Retry-After': '37',
      'RateLimit-Limit': '10',
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': '37',
    }
    const problem = { type: `${here.galaxy.url}/problems/too-many-requests`, title: 'Too Many Requests', status: 429 }
    const body = JSON.stringify({ ...problem, detail: 'There were too many attempts.', instance: 'urn:uuid:0' })
    const answer = { status: 429, headers, contentType: 'application/problem+json', body }
    await page.route('**/auth/token', (route) => route.fulfill(answer))
    await page.getByLabel('E-mail address').fill(person.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await read('Wait 37 seconds, then try again.')
    await takeScreenshot(page, 'desktop-light', 'account-limited')
    await expect.poll(() => page.getByLabel('Password').inputValue()).toBe(PASSWORD)
  })

  it('a call that is never answered ends, and the page can be used afterwards', async () => {
    await open('desktop-light')
    await page.addInitScript(HASTY_CALLS)
    await page.reload()
    await page.route('**/auth/token', () => undefined)
    await page.getByLabel('E-mail address').fill(person.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await read('The service did not answer in 30 seconds.')
    await page.unroute('**/auth/token')
    await signIn(person)
  })

  it('a changed password stays changed if the service then refuses the sign-in', async () => {
    const { email } = await makePerson(here.galaxy.url)
    await open('phone-dark', '#profile')
    await signIn({ email })
    await page.route('**/auth/token', (route) => route.abort())
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByLabel('New password').fill(NEW_PASSWORD)
    await page.keyboard.press('Enter')
    await read('Your password was changed. Sign in again.')
    await expectNoFaults(/ERR_FAILED/)
    await page.unroute('**/auth/token')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(NEW_PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
  })

  it('never acts as another user than the one whom it names', async () => {
    const [first, second] = await Promise.all([makePerson(here.galaxy.url), makePerson(here.galaxy.url)])
    await open('desktop-dark', '#keys')
    await signIn(first)
    await page.getByLabel('Name (optional)').fill('Of the first user')
    await page.evaluate(
      `sessionStorage.setItem('galaxy.session', JSON.stringify({ email: '${second.email}', token: '${second.token}' }))`,
    )
    await button('Create the key').click()
    await page.locator('.account-header').getByText(second.email).waitFor()
    await read('You have no API keys yet.')
    // As the browser does when it shows a page that it has kept.
    await page.evaluate('sessionStorage.removeItem("galaxy.session")')
    await page.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await expectNoTabFaults()
  })

  it('works if the browser blocks the storage of sites', async () => {
    await open('phone-light', '#profile')
    await page.addInitScript(`Object.defineProperty(window, 'sessionStorage', {
      get() { throw new DOMException('Access is denied for this document.', 'SecurityError') },
    })`)
    await page.reload()
    await signIn(person)
    await read(/^Everybody sees it beside your planets\. Your user id is/)
    await goTo('#inboxes')
    await button('Create an inbox').click()
    await read('No request has arrived yet.')
    await expectNoTabFaults()
  })

  it('text from strangers is shown as text', async () => {
    const victim = await makePerson(here.galaxy.url)
    const { id, url } = await victim.make('POST', '/inboxes', { body: SCRIPT_PAYLOADS.join('\n').slice(0, 4096) })
    const headers = { 'Content-Type': 'text/plain', 'User-Agent': SCRIPT_PAYLOADS[1] ?? '' }
    await fetch(`${url}?${encodeURIComponent(SCRIPT_PAYLOADS[9] ?? '')}`, {
      method: 'POST',
      headers,
      body: SCRIPT_PAYLOADS.join('\n'),
    })
    await victim.send('POST', '/planets', { name: SCRIPT_PAYLOADS[2], successCallbackUrl: url })
    await untilDelivered(victim)
    const names = SCRIPT_PAYLOADS.slice(0, 95)
    await Promise.all(names.map((name) => victim.send('POST', '/me/api-keys', { name })))
    await addApplications(here.galaxy.url, victim, SCRIPT_PAYLOADS[8] ?? '')
    await open('phone-light', '#keys')
    await signIn(victim)
    const findMissing = async () => {
      const text = (await page.locator('main').textContent()) ?? ''
      return names.filter((name) => !text.includes(name))
    }
    await expect.poll(findMissing).toEqual([])
    await goTo('#applications')
    await read(SCRIPT_PAYLOADS[8] ?? '')
    await goTo(`#inboxes/${id}`)
    await page.locator('li details summary').last().click()
    await read(SCRIPT_PAYLOADS[1] ?? '')
    await goTo('#deliveries')
    await page.getByRole('link', { name: /^planetCreated/ }).click()
    await read(SCRIPT_PAYLOADS[3] ?? '')
    await expectNoTabFaults()
    expect(await hasRun(page)).toBe(false)
  })

  it('is used with the keyboard alone, from sign-up to the deletion of the account', async () => {
    await open('desktop-light', '#sign-up')
    const email = `${crypto.randomUUID()}@galaxy.test`
    await press(page, 'Sign in')
    await press(page, 'Create one')
    await type(page, 'Name (optional)', 'Grace')
    await type(page, 'E-mail address', email)
    await type(page, 'Password', PASSWORD)
    await page.keyboard.press('Enter')
    await read('There are no deliveries yet.')
    await page.locator('#section-heading:focus').waitFor()
    await expect.poll(() => new URL(page.url()).hash).toBe('')

    await visit('Inboxes')
    await visit('Create an inbox', 'Inbox')
    await read('No request has arrived yet.')
    const url = await page.locator('.address code').textContent()
    await type(page, 'Status', '503')
    await press(page, 'Set')
    await read('The inbox responds with 503 from now on.')
    await createPlanet(page, url)
    await read('1 request has arrived.')
    await press(page, /^POST \/callbacks/)
    await read('planetCreated')

    await visit('Deliveries')
    await visit(/^planetCreated/, /^Delivery/)
    await read('the receiver returned 503')
    await press(page, 'Redeliver now')
    await page.getByText('Attempt 2').waitFor()
    await visit('Inboxes')
    await visit(url?.split('/')[4] ?? '', 'Inbox')
    await type(page, 'Status', '200')
    await page.keyboard.press('Enter')
    await read('The inbox responds with 200 from now on.')
    await visit('Deliveries')
    await visit(/^planetCreated/, /^Delivery/)
    await press(page, 'Redeliver now')
    await read('The receiver accepted it.')
    await expectNoFaults()

    await visit('API keys')
    await type(page, 'Name (optional)', 'Build server')
    await press(page, 'Create the key')
    await read('This is your new key.')
    await press(page, 'I have saved it')
    await press(page, 'Revoke Build server')
    await press(page, 'Revoke')
    await read('Build server was revoked.')
    await addApplications(here.galaxy.url, { email, send: sendAs(page) }, 'Atlas')
    await visit('Applications')
    await press(page, 'Revoke Atlas')
    await press(page, 'Revoke')
    await read('Atlas was revoked.')
    await press(page, 'Delete Atlas')
    await press(page, 'Delete')
    await read('Atlas was deleted.')

    await visit('Profile')
    await type(page, 'Name (optional)', 'Ada')
    await page.keyboard.press('Enter')
    await read('Your name is Ada now.')
    await type(page, 'Current password', PASSWORD)
    await type(page, 'New password', NEW_PASSWORD)
    await page.keyboard.press('Enter')
    await read('Your password was changed.')
    await press(page, 'Delete the account …')
    await type(page, 'Password', PASSWORD)
    await press(page, 'Delete everything')
    await read('The password is wrong. Correct the password, then try again.')
    await takeScreenshot(page, 'desktop-light', 'account-deletion')
    await type(page, 'Password', NEW_PASSWORD)
    await press(page, 'Delete everything')
    await read('Your account was deleted.')
    await expectNoTabFaults()
    await expect.poll(() => page.evaluate('sessionStorage.getItem("galaxy.session")')).toBeNull()
  })
})
