import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { SCRIPT_PAYLOADS } from '../../support/script-payloads.ts'
import { chromium, useBrowser } from '../in-browser.ts'
import { findPageFaults, openOn, type ScreenName, takeScreenshot } from './pages.ts'
import { keep, STEPS, WalkPage } from './walk-page.ts'

describe.skipIf(!chromium)('the walk', () => {
  const here = useBrowser()
  /** What a tab has kept in the middle of the walk, and after it. */
  const kept = { middle: '', end: '' }

  afterAll(here.closeTabs)

  async function openWalk(screen: ScreenName) {
    const tab = await openOn(here, screen)
    const walk = new WalkPage(tab.page)
    await walk.open(here.galaxy.url)
    return { tab, walk }
  }

  it('is done with the keyboard alone', async () => {
    const { tab, walk } = await openWalk('desktop-light')
    const { page } = tab
    for (const [index, step] of STEPS.entries()) {
      if (step === 'planet') {
        await walk.tabTo('Name of the planet')
        await page.keyboard.press('Control+a')
        await page.keyboard.type('Giedi Prime')
      }
      await walk.type(step)
      expect(await walk.focused()).toContain(await walk.summaryOf(step).getByRole('heading').textContent())
      await takeScreenshot(page, 'desktop-light', `walk-${String(index + 1).padStart(2, '0')}-${step}`)
      if (step === 'planet') {
        const url = /Your planet is (\S+) now/.exec(await walk.text())?.[1] ?? ''
        expect(await (await fetch(url)).json()).toMatchObject({ name: 'Giedi Prime' })
      }
      if (step === 'verify') await seeItFail()
      if (step === 'verify') kept.middle = await walk.storage()
    }
    expect(await findPageFaults(tab)).toEqual([])
    const statuses = page.locator('summary .badge')
    const wanted =
      '201 Created,201 Created,201 Created,201 Created,200 OK,200 OK,200 OK,200 OK,412 Precondition Failed,503 Service Unavailable,200 OK,200 OK'
    expect((await statuses.allTextContents()).join()).toBe(wanted)
    await page.locator('details[open]').getByText('They are equal').waitFor()
    kept.end = await walk.storage()

    async function seeItFail() {
      await walk.tabTo('Change one character of the body')
      await page.keyboard.press('Enter')
      await page.getByText('They differ').waitFor()
      await takeScreenshot(page, 'desktop-light', 'walk-07-verify-changed')
      await page.keyboard.press('Enter')
      await page.getByText('They are equal').waitFor()
    }
  })

  it('is done on a phone, and a reload shows the same', async () => {
    const { tab, walk } = await openWalk('phone-dark')
    const { page } = tab
    await takeScreenshot(page, 'phone-dark', 'walk-00-start')
    for (const [index, step] of STEPS.entries()) {
      await walk.click(step)
      await takeScreenshot(page, 'phone-dark', `walk-${String(index + 1).padStart(2, '0')}-${step}`)
      if (step !== 'created' && step !== 'exploded') continue
      expect(await findPageFaults(tab)).toEqual([])
      const before = await walk.text()
      await page.reload()
      await page.getByRole('button', { name: 'Start again' }).waitFor()
      expect(await walk.text()).toBe(before)
    }
    await page.getByRole('button', { name: 'Start again' }).click()
    await page.getByText('0 of 12 steps are done.').waitFor()
    expect(await walk.focused()).toBe('1 Sign up')
  })

  it.each([
    ['desktop-dark', 'middle'],
    ['phone-light', 'end'],
  ] as const)('can be read on the screen %s, at its %s', async (screen, state) => {
    const tab = await openOn(here, screen)
    await keep(tab.page, kept[state])
    await new WalkPage(tab.page).open(here.galaxy.url)
    await openAll(tab.page)
    await takeScreenshot(tab.page, screen, `walk-${state}`)
    // The planet of the tab in the middle of the walk has exploded meanwhile, with its picture.
    expect(await findPageFaults(tab, /status of 404/)).toEqual([])
    expect(await tab.page.getByText('The picture is not there any more.').count()).toBe(state === 'middle' ? 1 : 0)
  })

  it('can be read without JavaScript', async () => {
    const tab = await here.open({ javaScriptEnabled: false })
    await tab.page.goto(`${here.galaxy.url}/walk`)
    expect(await tab.page.getByRole('heading', { level: 2 }).count()).toBe(STEPS.length)
    await takeScreenshot(tab.page, 'desktop-light', 'walk-without-javascript')
  })

  it('keeps the focus while a name is typed', async () => {
    const { tab, walk } = await openWalk('desktop-light')
    const address = tab.page.getByLabel('E-mail address')
    await address.fill('')
    await address.pressSequentially('paul@example.com')
    expect(await address.inputValue()).toBe('paul@example.com')
    await walk.tabTo('Sign up')
  })

  it('shows texts that would run as scripts as texts', async () => {
    const tab = await openOn(here, 'desktop-light')
    await keep(tab.page, poison(kept.end))
    const walk = new WalkPage(tab.page)
    await walk.open(here.galaxy.url)
    await openAll(tab.page)
    const text = await walk.text()
    for (const payload of SCRIPT_PAYLOADS) expect(text).toContain(payload)
    expect(await tab.page.evaluate('typeof __ran')).toBe('undefined')
    expect(await findPageFaults(tab)).toEqual([])
  })
})

/** Shows all steps that are done. */
async function openAll(page: Page): Promise<void> {
  await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
}

/** What the page reads itself. Strangers cannot write it. */
const OWN_MEMBERS = ['method', 'url', 'imagePath']

/** What a tab would have kept if strangers had written everything else. */
function poison(storage: string): string {
  let count = 0
  const next = () => SCRIPT_PAYLOADS[count++ % SCRIPT_PAYLOADS.length]
  const walk = JSON.parse(JSON.parse(storage)['galaxy.walk.1'], (key, value) =>
    typeof value === 'string' && !OWN_MEMBERS.includes(key) ? next() : value,
  )
  return JSON.stringify({ 'galaxy.walk.1': JSON.stringify(walk) })
}
