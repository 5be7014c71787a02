import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { bodyOf } from '../galaxy.ts'
import { chromium, useBrowser } from '../in-browser.ts'
import { ownAddress } from '../own-address.ts'
import { findPageFaults, SCREENS, type ScreenName, takeScreenshot } from './pages.ts'

// New planets in the explorer. Each test has a universe, in which nobody else creates any.

const LIKE_EARTH = { type: 'terrestrial', physicalProperties: { radius: 1.2, orbitalPeriod: 300 } }

describe.skipIf(!chromium)('new planets in the explorer', () => {
  const here = useBrowser()

  afterEach(() => here.closeTabs())

  /** Makes a universe, and opens its explorer. */
  async function openUniverse(screen: ScreenName, seed = 'catalogue', options: BrowserContextOptions = {}) {
    const headers = { 'Content-Type': 'application/json', ...ownAddress() }
    const made = await fetch(`${here.galaxy.url}/universes`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ seed }),
    })
    const { url, token } = await bodyOf(made)
    const authorization = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const send = async (method: string, path: string, body?: object) => {
      const answer = await fetch(url + path, {
        method,
        headers: authorization,
        ...(body && { body: JSON.stringify(body) }),
      })
      expect(answer.status, await answer.clone().text()).toBeLessThan(300)
      return answer.status === 204 ? undefined : await bodyOf(answer)
    }
    const tab = await here.open({ ...SCREENS[screen], ...options })
    await tab.page.goto(`${url}/`)
    await untilLive(tab.page)
    return { ...tab, url, send }
  }

  it('appear as they are created, in the list, the picture, the table and the count', async () => {
    const tab = await openUniverse('desktop-light')
    const { page, send } = tab
    await page.getByText('This page has received no new planets yet').waitFor()
    const { id } = await send('POST', '/planets', { name: 'Caladan', ...LIKE_EARTH })
    await newcomer(page, 'Caladan').waitFor()
    await expectCount(page, '5,403 of 5,403 planets. 1,320 have no known radius')
    await send('POST', '/planets', { name: 'Far', physicalProperties: { radius: 1e9, orbitalPeriod: 1 } })
    await expectCount(page, '5,404 of 5,404 planets. 1,320 have')
    await expectCount(page, '1 is beyond the axes, and only in the table.')
    await page.getByText('This page has received 2 new planets').waitFor()
    await page.getByRole('status').getByText('Live', { exact: true }).scrollIntoViewIfNeeded()
    await takeScreenshot(page, 'desktop-light', 'explorer-live')
    expect(await findPageFaults(tab)).toEqual([])

    await page.getByLabel('Name', { exact: true }).fill('Caladan')
    await expectCount(page, '1 of 5,404 planets.')
    await expect.poll(() => page.locator('#table tbody th').allTextContents()).toEqual(['Caladan'])
    await page.locator('#picture').focus()
    await page.keyboard.press('ArrowRight')
    await page.locator('.card.pinned', { hasText: 'Caladan' }).waitFor()

    await send('PUT', `/planets/${id}`, { name: 'Caladan of the seas', ...LIKE_EARTH })
    await newcomer(page, 'Caladan of the seas').waitFor()
    await page.locator('.card.pinned', { hasText: 'Caladan of the seas' }).waitFor()
    await expect.poll(() => page.locator('#table tbody th').allTextContents()).toEqual(['Caladan of the seas'])
    await expect.poll(() => requestOf(page)).toContain(`GET ${tab.url}/planets?name=Caladan&`)
    await page.getByRole('button', { name: 'Reset filters' }).click()
    await send('POST', `/planets/${id}/explode`)
    await expectCount(page, '5,403 of 5,403 planets.')
    await newcomer(page, 'Caladan of the seas').waitFor({ state: 'detached' })
    await page.locator('.card').waitFor({ state: 'detached' })
    await page.getByText('Planets 1 to 50 of 5,403').waitFor()
    await send('DELETE', '/planets/1')
    await expectCount(page, '5,402 of 5,402 planets.')
    await page.getByText('Planets 1 to 50 of 5,402').waitFor()
  })

  it('do not make the table be read more often than every five seconds, nor if they cannot be in it', async () => {
    const { page, send, url } = await openUniverse('desktop-light')
    await page.getByLabel('Name', { exact: true }).fill('kepler')
    await expect.poll(() => requestOf(page)).toContain('name=kepler&')
    await page.getByText(/^The response was 200/).waitFor()
    const reads: number[] = []
    page.on('request', (request) => {
      if (request.url().startsWith(`${url}/planets?`)) reads.push(performance.now())
    })
    for (const name of ['One', 'Two', 'Three']) await send('POST', '/planets', { name })
    await newcomer(page, 'Three').waitFor()
    expect(reads).toEqual([])
    await send('POST', '/planets', { name: 'Kepler of mine' })
    await expect.poll(() => reads.length).toBe(1)
    for (const name of ['Kepler of yours', 'Kepler of theirs']) {
      await send('POST', '/planets', { name })
      await newcomer(page, name).waitFor()
    }
    await expect.poll(() => reads.length).toBe(2)
    const [first = 0, second = 0] = reads
    expect(second - first).toBeGreaterThan(4_500)
  })

  it('are in a table that goes on after a reset, which ends its cursors', async () => {
    const { page, send, recording } = await openUniverse('desktop-light')
    await page.getByRole('button', { name: 'Planet', exact: true }).click()
    await expect.poll(() => requestOf(page)).toContain('sort=name')
    await page.getByText(/^The response was 200/).waitFor()
    await send('POST', '/universe/reset')
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('Planets 51 to 100 of 5,402').waitFor()
    await expect.poll(() => requestOf(page)).toMatch(/&limit=50&offset=50$/)
    expect(await recording.takeFaults(/status of 400/)).toEqual([])
  })

  it('can be switched off, also after a reload, and what was missed comes when they are switched on', async () => {
    const { page, send } = await openUniverse('desktop-light', 'blank')
    await send('POST', '/planets', { name: 'First' })
    await newcomer(page, 'First').waitFor()
    const choice = page.getByLabel('Show planets as they are created')
    await choice.uncheck()
    await page.getByText('Off', { exact: true }).waitFor()
    await send('POST', '/planets', { name: 'Second' })
    await send('POST', '/planets', { name: 'Third' })
    await page.getByText('This page has received 1 new planet.').waitFor()
    await choice.check()
    await newcomer(page, 'Third').waitFor()
    await expect.poll(() => page.locator('.live-list a').allTextContents()).toEqual(['Third', 'Second', 'First'])
    await choice.uncheck()
    await page.reload()
    await page.getByText('Off', { exact: true }).waitFor()
    await expect.poll(() => choice.isChecked()).toBe(false)
  })

  it('come again after the connection was lost or refused, and the page says what it may have missed', async () => {
    const { page, send, recording } = await openUniverse('desktop-light', 'blank')
    await send('POST', '/planets', { name: 'First' })
    await newcomer(page, 'First').waitFor()
    let refusals = 0
    await page.route('**/planets/events*', async (route) => {
      if (refusals++ > 0) return await route.continue()
      await route.fulfill({ status: 429, contentType: 'application/problem+json', body: '{}' })
    })
    // It ends the connection, and the log is another one.
    await send('POST', '/universe/reset')
    await page.getByText('Connection lost, trying again').waitFor()
    await untilLive(page)
    await expect.poll(() => refusals).toBe(2)
    await page.getByText('The service can no longer tell what this page has missed.').waitFor()
    await takeScreenshot(page, 'desktop-light', 'explorer-live-gap')
    expect(await recording.takeFaults(/status of 429|the answer to GET/)).toEqual([])
  })

  it('appear without motion if the person wants that, also where there was none', async () => {
    const tab = await openUniverse('phone-dark', 'blank', { reducedMotion: 'reduce' })
    const { page, send } = tab
    await page.getByText('There were no planets when you opened this page.').waitFor()
    const names = ['<img src=x onerror=__ran=1>', 'x'.repeat(200), 'Three', 'Four', 'Five', 'Six']
    for (const name of names) await send('POST', '/planets', { name })
    await page.getByText('This page has received 6 new planets').waitFor()
    await expect.poll(() => page.locator('.live-list a').allTextContents()).toEqual(names.slice(1).reverse())
    const item = page.locator('.live-list li').first()
    await expect.poll(() => item.evaluate((element) => getComputedStyle(element).animationName)).toBe('none')
    await takeScreenshot(page, 'phone-dark', 'explorer-live')
    expect(await findPageFaults(tab)).toEqual([])
  })
})

async function untilLive(page: Page): Promise<void> {
  await page.getByText('Live', { exact: true }).waitFor()
}

function newcomer(page: Page, name: string) {
  return page.locator('.live-list').getByRole('link', { name, exact: true })
}

/** The request of the table as the page shows it. */
async function requestOf(page: Page): Promise<string | null> {
  return await page.locator('#request code').textContent()
}

async function expectCount(page: Page, text: string): Promise<void> {
  await expect.poll(() => page.locator('#count').textContent()).toContain(text)
}
