import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { WALK_STEPS } from '../../../src/site/walk-steps.ts'
import type { Tab } from '../../support/browser.ts'
import { chromium, PICTURE, useBrowser } from '../in-browser.ts'
import { findPageFaults, openOn, type ScreenName, takeScreenshot } from './pages.ts'

const BUTTONS = {
  signup: 'Sign up',
  token: 'Get a token',
  inbox: 'Create the inbox',
  planet: 'Create the planet',
  picture: 'Upload the picture',
  created: 'Look into the inbox',
  verify: 'Get the secret and verify',
  update: 'Read, then update',
  conflict: 'Update with the old ETag',
  fault: 'Ask for a 503',
  explode: 'Explode the planet',
  exploded: 'Look into the inbox',
}

describe.skipIf(!chromium)('the walk', () => {
  const here = useBrowser()
  let tab: Tab

  async function openWalk(screen: ScreenName): Promise<Page> {
    tab = await openOn(here, screen)
    const { page } = tab
    await page.setExtraHTTPHeaders({ 'CF-Connecting-IP': randomAddress() })
    await page.goto(`${here.galaxy.url}/walk`)
    return page
  }

  afterAll(here.closeTabs)

  it('all', async () => {
    const page = await openWalk('desktop-light')
    await takeScreenshot(page, 'desktop-light', 'walk-00-start')
    for (const [index, { id, title }] of WALK_STEPS.entries()) {
      await page.getByRole('button', { name: BUTTONS[id], exact: true }).focus()
      await page.keyboard.press('Enter')
      await page.locator('details summary').filter({ hasText: title }).waitFor()
      if (id === 'planet') await page.getByAltText('A drawing of Arrakis').waitFor()
      await takeScreenshot(page, 'desktop-light', `walk-${String(index + 1).padStart(2, '0')}-${id}`)
      console.log(id, await findPageFaults(tab))
    }
  })
})

function randomAddress(): string {
  return crypto.randomUUID().replaceAll('-', '').match(/.{4}/g)?.join(':') ?? ''
}
