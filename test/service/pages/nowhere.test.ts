import { afterEach, describe, expect, it } from 'vitest'
import { documentedFetch } from '../../support/documented-fetch.ts'
import { bodyOf } from '../galaxy.ts'
import { chromium, PASSWORD, useBrowser } from '../in-browser.ts'
import { ownAddress } from '../own-address.ts'
import { findPageFaults, JUDGED_SCREENS, openOn, takeScreenshot } from './pages.ts'

// An address at which there is nothing, as a visitor comes to it.

describe.runIf(chromium)('the page of an address at which there is nothing', () => {
  const here = useBrowser()

  afterEach(() => here.closeTabs())

  const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
    await documentedFetch(new URL(path, here.galaxy.url), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...ownAddress(), ...headers },
      body: JSON.stringify(body),
    })

  it.each(JUDGED_SCREENS)('on %s says so and leads on', async (screen) => {
    const tab = await openOn(here, screen)
    const { page } = tab
    for (const path of ['/nowhere', `/lab/runs/${'a'.repeat(24)}/report`]) {
      await page.goto(here.galaxy.url + path)
      await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/does not exist|There is no run/)
      await takeScreenshot(page, screen, `nowhere${path.length}`)
      expect(await findPageFaults(tab)).toEqual([])
      await page.getByRole('main').getByRole('link', { name: 'Laboratory' }).click()
      await page.waitForURL('**/lab')
    }
  })

  it('leads back to the explorer from a planet that is gone, with its filters', async () => {
    const credentials = { email: 'nowhere@example.com', password: PASSWORD, name: 'Ada' }
    await post('/user/signup', credentials)
    const { token } = await bodyOf(await post('/auth/token', credentials))
    const headers = { Authorization: `Bearer ${token}` }
    const { id } = await bodyOf(await post('/planets', { name: 'Soon gone' }, headers))
    const { page } = await openOn(here, 'desktop-light')
    const filtered = `${here.galaxy.url}/?q=Soon+gone`
    await page.goto(filtered)
    const link = page.getByRole('link', { name: 'Soon gone' }).first()
    await link.waitFor()
    await documentedFetch(new URL(`/planets/${id}`, here.galaxy.url), { method: 'DELETE', headers })
    await link.click()
    await page.getByRole('link', { name: 'Back to the last page' }).click()
    await page.waitForURL(filtered)
  })
})
