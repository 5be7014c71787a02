import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { EVENT_HEADER } from '../../../src/domain/webhook-signature.ts'
import { chromium, useBrowser } from '../in-browser.ts'
import { makePerson, untilDelivered } from './account-world.ts'
import { untilStill } from './pages.ts'
import { WalkPage } from './walk-page.ts'

const TYPED = 'typed by a person'

describe.skipIf(!chromium)('the walk keeps what is private, and believes no stranger', () => {
  const here = useBrowser()
  let walk: WalkPage
  let page: Page

  beforeEach(async () => {
    page = (await here.open()).page
    walk = new WalkPage(page)
    await walk.open(here.galaxy.url)
  })
  afterAll(here.closeTabs)

  it('neither shows nor stores a password that somebody has typed', async () => {
    const password = page.getByLabel('Password')
    await expect.poll(() => password.getAttribute('type')).toBe('text')
    await password.fill('')
    await password.pressSequentially(TYPED)
    await expect.poll(() => password.getAttribute('type')).toBe('password')
    await walk.click('signup')
    await expect.poll(() => password.inputValue()).toBe(TYPED)
    await walk.click('token')
    await expect.poll(() => page.locator('main').textContent()).toContain('<your password>')
    // biome-ignore lint/plugin: it is there at no moment
    expect(await page.locator('main').textContent()).not.toContain(TYPED)
    expect(await walk.storage()).not.toContain(TYPED)
  })

  it('takes only the messages that the service has sent about the planet', async () => {
    await walk.click('signup', 'token', 'inbox')
    const { inboxUrl } = await readFacts()
    // The last one is longer than what the inbox keeps of a body.
    for (const body of ['null', 'x', 'x'.repeat(9000)]) await forge(inboxUrl, body)
    await walk.click('planet', 'picture', 'created', 'verify')
    await page.locator('details[open]').getByText('They are equal').waitFor()
    const { created, planetId } = await readFacts()
    expect(JSON.parse(created.body)).toMatchObject({ id: planetId, name: 'Arrakis' })
  })

  it('stops a call if the person starts again', async () => {
    await walk.click('signup')
    let answer = () => {}
    const mayAnswer = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/auth/token', async (route) => {
      await mayAnswer
      await route.continue()
    })
    const failed = page.waitForEvent('requestfailed')
    await walk.press('token')
    await page.getByRole('button', { name: 'Start again' }).click()
    await failed
    answer()
    await page.getByText('0 of 13 steps are done.').waitFor()
    await expect.poll(() => walk.storage()).not.toContain('galaxy.session')
  })

  it('looks no more into the inbox if the person starts again', async () => {
    await walk.click('signup', 'token', 'inbox', 'planet', 'picture')
    let looks = 0
    await page.clock.install()
    await page.route('**/inboxes/*?limit=100', async (route) => {
      looks++
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), data: [] } })
    })
    await walk.press('created')
    await page.getByText('Still waiting for planetCreated').waitFor()
    await page.getByRole('button', { name: 'Start again' }).click()
    await page.getByText('0 of 13 steps are done.').waitFor()
    await askOnce()
    const before = looks
    // More than the half minute for which the page would look.
    await page.clock.runFor(60_000)
    await askOnce()
    expect(looks).toBe(before)
  })

  /** Sends a request of the page, and waits for its response. The test knows all earlier requests by then. */
  async function askOnce(): Promise<void> {
    await page.evaluate("fetch('/planets/4').then((response) => response.text())")
  }

  it('says what a browser lacks that cannot compute the signature', async () => {
    await page.addInitScript('delete Uint8Array.fromBase64')
    await page.reload()
    await walk.click('signup', 'token', 'inbox', 'planet', 'picture', 'created', 'verify')
    await page.getByText('This browser lacks Uint8Array.fromBase64.').waitFor()
  })

  // biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
  async function readFacts(): Promise<any> {
    const storage = await untilStill(() => walk.storage())
    const { results } = JSON.parse(JSON.parse(storage)['galaxy.walk.1'])
    // biome-ignore lint/suspicious/noExplicitAny: the same
    return Object.assign({}, ...Object.values<any>(results).map(({ facts }) => facts))
  }

  /**
   * Sends a body to the inbox as a message that the service has for a stranger, with the signature of that stranger.
   */
  async function forge(inboxUrl: string, body: string): Promise<void> {
    const stranger = await makePerson(here.galaxy.url)
    await stranger.send('POST', '/planets', { name: 'Giedi Prime', successCallbackUrl: inboxUrl })
    await untilDelivered(stranger)
    const { data } = await stranger.make('GET', '/deliveries')
    const { secret } = await stranger.make('GET', '/me/signing-secret')
    const head = { id: data[0].messageId, timestamp: Math.floor(Date.now() / 1000) }
    const headers = {
      'Content-Type': 'application/json',
      [EVENT_HEADER]: 'planetCreated',
      'webhook-id': head.id,
      'webhook-timestamp': String(head.timestamp),
      'webhook-signature': `v1,${sign(secret, `${head.id}.${head.timestamp}.${body}`)}`,
    }
    await fetch(inboxUrl, { method: 'POST', body, headers })
    const { data: received } = await stranger.make('GET', new URL(inboxUrl).pathname.replace('/callbacks', ''))
    expect(received.at(-1)).toMatchObject({ body: body.slice(0, 8192), signatures: { webhookSignature: 'valid' } })
  }
})

/** A signature of Standard Webhooks. Node lacks what the service signs with. */
function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  return createHmac('sha256', key).update(content).digest('base64')
}
