import type { Page, WebSocketRoute } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { EVENT_TYPES } from '../../../src/schemas/live/catalogue.ts'
import { SCRIPT_PAYLOADS } from '../../support/script-payloads.ts'
import { chromium, hasRun, useBrowser } from '../in-browser.ts'
import { findPageFaults, JUDGED_SCREENS, openOn, type ScreenName, takeScreenshot } from './pages.ts'

// Sockets end at the test here, so that each test decides what the page receives.

const ACKNOWLEDGEMENT = { subscriptionId: 'a', status: 'subscribed', timestamp: '2026-01-15T14:30:00.000Z' }
const EVENT = {
  eventId: '019bc210-3240-7000-a168-2f0000000001',
  eventType: 'planet.created',
  timestamp: '2026-01-15T14:30:00.000Z',
  planet: { id: 4, name: 'Arrakis' },
}

describe.skipIf(!chromium)('the page about live events', () => {
  const here = useBrowser()

  afterAll(here.closeTabs)

  /** A tab on the page, and the sockets that it opens. */
  async function openEvents(screen: ScreenName = 'desktop-light') {
    const tab = await openOn(here, screen)
    const sockets: WebSocketRoute[] = []
    await tab.page.routeWebSocket(/\/ws\//, (socket) => {
      sockets.push(socket)
      socket.onClose((code, reason) => void socket.close({ code: code ?? 1000, reason: reason ?? '' }))
      socket.send(JSON.stringify(ACKNOWLEDGEMENT))
    })
    await tab.page.goto(`${here.galaxy.url}/docs/events`)
    await tab.page.getByRole('button', { name: 'Connect' }).waitFor()
    return { tab, page: tab.page, sockets }
  }

  const connect = async (page: Page) => {
    await page.getByRole('button', { name: /^Connect/ }).click()
    await page.getByText('Connected', { exact: true }).waitFor()
  }

  it.each(JUDGED_SCREENS)('can be read and used on the screen %s', async (screen) => {
    const { tab, page, sockets } = await openEvents(screen)
    await takeScreenshot(page, screen, 'events-start')
    await connect(page)
    sockets[0]?.send(JSON.stringify(EVENT))
    await page.getByText('2 messages have arrived.').waitFor()
    await page.locator('.event-arrivals summary').first().click()
    await page.locator('.event-arrivals pre').getByText('"Arrakis"').waitFor()
    await page.evaluate(`document.getElementById('planet.exploded').open = true`)
    await takeScreenshot(page, screen, 'events-connected')
    expect(await findPageFaults(tab)).toEqual([])
  })

  it('explains each type of event, with an example', async () => {
    const { page } = await openEvents()
    for (const type of EVENT_TYPES) {
      const details = page.locator(`details[id="${type}"]`)
      await expect.poll(() => details.locator('pre').textContent()).toContain(`"eventType": "${type}"`)
      await expect.poll(() => details.locator('dt').count()).toBeGreaterThan(4)
    }
  })

  it('has links to the shapes that lead somewhere', async () => {
    const { page } = await openEvents()
    const countDead = () =>
      page.evaluate(
        `[...document.querySelectorAll('main a[href^="#"]')].filter(({ hash }) => !document.getElementById(hash.slice(1))).length`,
      )
    await expect.poll(countDead).toBe(0)
  })

  it('opens the event that an address names', async () => {
    const { page } = await openEvents()
    await page.goto(`${here.galaxy.url}/docs/events#image.uploaded`)
    await page.locator('details[id="image.uploaded"][open]').waitFor()
  })

  it('asks for what the form says', async () => {
    const { page, sockets } = await openEvents()
    await page.getByLabel('Channel').selectOption('Planet events')
    await page.getByLabel('ID of the planet').fill('42')
    await page.getByRole('checkbox', { name: 'planet.deleted' }).check()
    await page.getByRole('checkbox', { name: 'image.uploaded' }).check()
    await page.getByLabel('Begin with the newest').check()
    await connect(page)
    const base = here.galaxy.url.replace('http', 'ws')
    const asked = `${base}/ws/v1/planets/42/events?eventTypes=planet.deleted%2Cimage.uploaded&includeHistory=true`
    await expect.poll(() => sockets[0]?.url()).toBe(asked)
    await page.getByLabel('Begin after this event').fill('forgotten with the channel')
    await page.getByLabel('Channel').selectOption('Celestial body events')
    await page.getByText(`${base}/ws/v1/celestial-bodies/events`, { exact: true }).waitFor()
    await page.getByLabel('Bodies').selectOption('comet')
    await page.getByLabel('Minimum habitability').fill('0.5')
    await page.getByLabel('Begin after this event').fill(EVENT.eventId)
    await page.getByRole('button', { name: 'Connect again' }).click()
    const url = `${base}/ws/v1/celestial-bodies/events?lastEventId=${EVENT.eventId}&bodyType=comet&minHabitability=0.5`
    await expect.poll(() => sockets[1]?.url()).toBe(url)
    await expect.poll(() => page.getByText(url).count()).toBe(1)
  })

  it('asks for planets, and shows the replies', async () => {
    const { page, sockets } = await openEvents()
    await page.getByLabel('Channel').selectOption('Planet request')
    await connect(page)
    const asked: unknown[] = []
    sockets[0]?.onMessage((text) => {
      asked.push(JSON.parse(String(text)))
      sockets[0]?.send('{"id":7,"name":"Caladan"}')
    })
    await page.getByLabel('Ask for the planet').fill('7')
    await page.getByRole('button', { name: 'Ask' }).click()
    await page.getByText('Caladan').waitFor()
    await expect.poll(() => asked).toEqual([{ requestId: 'request-1', planetId: 7 }])
  })

  it('says how a socket ended, and connects again', async () => {
    const { page, sockets } = await openEvents()
    for (const [code, words] of [
      [4401, 'Your session has ended.'],
      [1013, 'The service ended the socket: this page read too slowly,'],
      [1012, 'The universe was reset, or has ended.'],
    ] as const) {
      await connect(page)
      await sockets.at(-1)?.close({ code })
      await page.getByText(words).waitFor()
      await page.getByText('Not connected').waitFor()
    }
    await connect(page)
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByText('You have disconnected.').waitFor()
  })

  it('shows texts that would run as scripts as texts', async () => {
    const { tab, page, sockets } = await openEvents()
    await connect(page)
    for (const [index, payload] of SCRIPT_PAYLOADS.entries()) {
      const event = JSON.stringify({ ...EVENT, eventType: payload, planet: { name: payload } })
      sockets[0]?.send(index % 2 === 0 ? event : payload)
    }
    await page.getByText(`${SCRIPT_PAYLOADS.length + 1} messages have arrived.`).waitFor()
    await page.evaluate(
      "for (const details of document.querySelectorAll('.event-arrivals details')) details.open = true",
    )
    await page.locator('.event-arrivals pre').nth(SCRIPT_PAYLOADS.length).waitFor()
    const findMissing = async () => {
      const text = (await page.locator('.event-arrivals').textContent()) ?? ''
      return SCRIPT_PAYLOADS.filter((payload) => !text.includes(payload))
    }
    await expect.poll(findMissing).toEqual([])
    expect(await hasRun(page)).toBe(false)
    expect(await tab.recording.takeFaults()).toEqual([])
  })

  it('keeps the newest of many events, and stays usable', async () => {
    const { page, sockets } = await openEvents()
    await connect(page)
    for (let number = 1; number <= 1000; number++)
      sockets[0]?.send(JSON.stringify({ ...EVENT, planet: { id: number, name: `Planet ${number}` } }))
    await page.getByText('1001 messages have arrived. These are the newest 200.').waitFor()
    await expect.poll(() => page.locator('.event-arrivals summary').count()).toBe(200)
    await expect.poll(() => page.locator('.event-arrivals summary').first().textContent()).toContain('Planet 1000')
    await page.getByRole('button', { name: 'Clear the list' }).click()
    await page.getByText('Nothing has arrived yet.').waitFor()
  })

  it('can be read without JavaScript', async () => {
    const tab = await here.open({ javaScriptEnabled: false })
    await tab.page.goto(`${here.galaxy.url}/docs/events`)
    await expect.poll(() => tab.page.locator('details.event').count()).toBe(EVENT_TYPES.length + 3)
    await expect.poll(() => tab.page.locator('noscript').textContent()).toContain('which your browser does not run')
  })
})
