import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { LiveConformance } from '../../support/frame-conformance.ts'
import { chromium, PASSWORD, useBrowser } from '../in-browser.ts'
import { openOn } from './pages.ts'

// The page about live events with the sockets of the service.

describe.skipIf(!chromium)('the page about live events hears the service', () => {
  const here = useBrowser()

  afterAll(here.closeTabs)

  /** The text of the newest event on the page that is unfolded. */
  const readNewest = async (page: Page) => (await page.locator('.event-arrivals pre').first().textContent()) ?? ''

  async function createAccount() {
    const email = `events-${crypto.randomUUID()}@galaxy.test`
    const body = JSON.stringify({ email, name: 'Irulan', password: PASSWORD })
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }
    const { id } = await (await fetch(`${here.galaxy.url}/user/signup`, init)).json()
    const { token } = await (await fetch(`${here.galaxy.url}/auth/token`, init)).json()
    return { id, email, token }
  }

  it('tells the service every 30 seconds that it reads, and does not show the answer', async () => {
    const { page } = await openOn(here, 'desktop-light')
    await page.clock.install()
    const opening = page.waitForEvent('websocket')
    await page.goto(`${here.galaxy.url}/docs/events`)
    await page.getByRole('button', { name: 'Connect' }).click()
    const socket = await opening
    const [sent, received]: string[][] = [[], []]
    socket.on('framesent', ({ payload }) => sent?.push(String(payload)))
    socket.on('framereceived', ({ payload }) => received?.push(String(payload)))
    await page.getByText('Connected', { exact: true }).waitFor()
    await page.clock.runFor(29_000)
    expect(sent).toEqual([])
    for (const count of [1, 2]) {
      await page.clock.runFor(30_000)
      await expect.poll(() => received?.filter((text) => text === 'pong').length).toBe(count)
      expect(sent).toEqual(Array(count).fill('ping'))
    }
    await page.clock.runFor(1000)
    await expect.poll(() => page.locator('.event-arrivals').textContent()).not.toContain('pong')
  })

  it('shows a planet that is created meanwhile, and the events of the one who is signed in', async () => {
    const account = await createAccount()
    const tab = await openOn(here, 'desktop-light')
    const { page } = tab
    await page.goto(`${here.galaxy.url}/docs/events`)
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByText('Connected', { exact: true }).waitFor()
    const name = `Arrakis ${crypto.randomUUID()}`
    const created = await fetch(`${here.galaxy.url}/planets`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${account.token}` },
      body: JSON.stringify({ name }),
    })
    expect(created.status).toBe(201)
    await page.locator('.event-arrivals').getByText(name).click()
    const conformance = new LiveConformance(await (await fetch(`${here.galaxy.url}/asyncapi.json`)).json())
    const event = await readNewest(page)
    expect(conformance.findFaults('celestialBodyEvents', event)).toEqual([])
    expect(JSON.parse(event)).toMatchObject({ eventType: 'celestial_body.created' })

    await page.goto(`${here.galaxy.url}/account`)
    await page.getByLabel('E-mail address').fill(account.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    // Leaving the page earlier would cancel the sign-in.
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.getByRole('link', { name: 'Events' }).click()
    await page.getByText(`You are signed in as ${account.email}`).waitFor()
    await page.getByLabel('Channel').selectOption('User events')
    await page.getByLabel('Your user ID').fill(String(account.id))
    await page.getByLabel('Begin with the newest').check()
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.locator('.event-arrivals').getByText('user.signed_up').click()
    const own = await readNewest(page)
    expect(conformance.findFaults('userEvents', own)).toEqual([])
    expect(await tab.recording.takeFaults()).toEqual([])
  })

  it('says that a socket was refused', async () => {
    const { page } = await openOn(here, 'desktop-light')
    await page.goto(`${here.galaxy.url}/docs/events`)
    await page.getByLabel('Channel').selectOption('User events')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByText('The service has refused the socket').waitFor()
  })

  it('asks for a planet, and shows the problem if there is none', async () => {
    const { page } = await openOn(here, 'desktop-light')
    await page.goto(`${here.galaxy.url}/docs/events`)
    await page.getByLabel('Channel').selectOption('Planet request')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByLabel('Ask for the planet').fill('999999999')
    await page.getByRole('button', { name: 'Ask' }).click()
    await page.locator('.event-arrivals').getByText('Problem').click()
    const conformance = new LiveConformance(await (await fetch(`${here.galaxy.url}/asyncapi.json`)).json())
    const problem = await readNewest(page)
    expect(conformance.findFaults('planetRequest', problem)).toEqual([])
    expect(JSON.parse(problem)).toMatchObject({ status: 404, requestId: 'request-1' })
  })
})
