import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { SCRIPT_PAYLOADS } from '../../support/script-payloads.ts'
import { bodyOf } from '../galaxy.ts'
import { chromium, hasRun, useBrowser } from '../in-browser.ts'
import { sendAs } from './account-world.ts'
import { focusedName, press, tabTo, type } from './keyboard.ts'
import { findPageFaults, findTabFaults, openOn, type ScreenName, takeScreenshot, untilStill } from './pages.ts'
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
        await type(page, 'Name of the planet', 'Giedi Prime')
      }
      await walk.type(step)
      const heading = (await walk.summaryOf(step).getByRole('heading').textContent()) ?? ''
      await expect.poll(() => focusedName(page)).toContain(heading)
      await takeScreenshot(page, 'desktop-light', `walk-${String(index + 1).padStart(2, '0')}-${step}`)
      if (step === 'planet') {
        const url = await walk.planetUrl()
        expect(await (await fetch(url)).json()).toMatchObject({ name: 'Giedi Prime' })
      }
      if (step === 'verify') await seeItFail()
      if (step === 'verify') kept.middle = await untilStill(() => walk.storage())
      if (step === 'exploded') await page.locator('details[open]').getByText('They are equal').waitFor()
      if (step === 'live') await seeOneEvent()
    }
    expect(await findTabFaults(tab)).toEqual([])
    for (const path of ['/lab', '/docs#tag/universes']) await page.locator(`.panel a[href="${path}"]`).waitFor()
    const statuses = page.locator('summary .badge')
    const wanted =
      '201 Created,201 Created,201 Created,201 Created,200 OK,200 OK,200 OK,200 OK,412 Precondition Failed,503 Service Unavailable,200 OK,200 OK,204 No Content'
    await expect.poll(async () => (await statuses.allTextContents()).join()).toBe(wanted)
    kept.end = await untilStill(() => walk.storage())

    /** The ids are those that the log has, and the inbox hears of no other planet any more. */
    async function seeOneEvent() {
      await page.getByText('The four ids are equal: it is one event.').waitFor()
      const readIds = async () =>
        (await page.locator('.arrivals td').allTextContents()).map((text) => text.slice(0, 36))
      await expect.poll(readIds).toHaveLength(4)
      const ids = await readIds()
      const event = await (await fetch(`${here.galaxy.url}/events/${ids[0]}`)).json()
      expect(event).toMatchObject({ eventType: 'planet.created', planet: { name: 'Giedi Prime II' } })
      expect(new Set(ids)).toEqual(new Set([event.eventId]))
      const { token } = JSON.parse(await page.evaluate<string>("sessionStorage.getItem('galaxy.session')"))
      const webhooks = await fetch(`${here.galaxy.url}/webhooks`, { headers: { Authorization: `Bearer ${token}` } })
      expect((await webhooks.json()).data).toEqual([])
    }

    async function seeItFail() {
      await press(page, 'Change one character of the body')
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
      const before = await untilStill(() => walk.text())
      await page.reload()
      await page.getByRole('button', { name: 'Start again' }).waitFor()
      await expect.poll(() => walk.text()).toBe(before)
    }
    await page.getByRole('button', { name: 'Start again' }).click()
    await page.getByText('0 of 13 steps are done.').waitFor()
    await expect.poll(() => focusedName(page)).toBe('1 Sign up')
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
    await expect
      .poll(() => tab.page.getByText('The picture is not there any more.').count())
      .toBe(state === 'middle' ? 1 : 0)
  })

  it('can be read without JavaScript', async () => {
    const tab = await here.open({ javaScriptEnabled: false })
    await tab.page.goto(`${here.galaxy.url}/walk`)
    await expect.poll(() => tab.page.getByRole('heading', { level: 2 }).count()).toBe(STEPS.length)
    await takeScreenshot(tab.page, 'desktop-light', 'walk-without-javascript')
  })

  it('keeps the focus while a name is typed', async () => {
    const { tab } = await openWalk('desktop-light')
    const address = tab.page.getByLabel('E-mail address')
    await address.fill('')
    await address.pressSequentially('paul@example.com')
    await expect.poll(() => address.inputValue()).toBe('paul@example.com')
    await tabTo(tab.page, 'Sign up')
  })

  it('does not leave a subscription behind if its last step fails, and replaces one that was left', async () => {
    const tab = await openOn(here, 'desktop-light')
    const { page } = tab
    await keep(page, withoutLastStep(kept.end))
    const walk = new WalkPage(page)
    await walk.open(here.galaxy.url)
    const send = sendAs(page)
    const listWebhooks = async () => (await bodyOf(await send('GET', '/webhooks'))).data
    await page.route('**/planets', (route) => route.fulfill({ status: 503, json: {} }))
    await walk.press('live')
    await walk.fault.filter({ hasText: 'Try again in a moment' }).waitFor()
    await expect.poll(listWebhooks).toEqual([])
    await page.unroute('**/planets')
    const { url } = await bodyOf(await send('GET', `/inboxes/${inboxIdIn(kept.end)}`)).then(({ inbox }) => inbox)
    expect((await send('POST', '/webhooks', { url, events: ['newPlanet'] })).status).toBe(201)
    await walk.click('live')
    await page.getByText('The four ids are equal: it is one event.').waitFor()
    await expect.poll(listWebhooks).toEqual([])
    expect(await findTabFaults(tab, /status of 503|the answer to POST/)).toEqual([])
  })

  it('shows texts that would run as scripts as texts', async () => {
    const tab = await openOn(here, 'desktop-light')
    await keep(tab.page, poison(kept.end))
    const walk = new WalkPage(tab.page)
    await walk.open(here.galaxy.url)
    await openAll(tab.page)
    const findMissing = async () => {
      const text = await walk.text()
      return SCRIPT_PAYLOADS.filter((payload) => !text.includes(payload))
    }
    await expect.poll(findMissing).toEqual([])
    expect(await hasRun(tab.page)).toBe(false)
    expect(await findTabFaults(tab)).toEqual([])
  })
})

/** Shows all steps that are done. */
async function openAll(page: Page): Promise<void> {
  await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
}

const KEY = 'galaxy.walk.1'

/** What a tab would have kept before the last step. */
function withoutLastStep(storage: string): string {
  const texts = JSON.parse(storage)
  const { results, ...walk } = JSON.parse(texts[KEY])
  const { live: _, ...others } = results
  return JSON.stringify({ ...texts, [KEY]: JSON.stringify({ ...walk, results: others }) })
}

function inboxIdIn(storage: string): string {
  return JSON.parse(JSON.parse(storage)[KEY]).results.inbox.facts.inboxId
}

/** What the page reads itself. Strangers cannot write it. */
const OWN_MEMBERS = ['method', 'url', 'imagePath']

/** What a tab would have kept if strangers had written everything else. */
function poison(storage: string): string {
  let count = 0
  const next = () => SCRIPT_PAYLOADS[count++ % SCRIPT_PAYLOADS.length]
  const walk = JSON.parse(JSON.parse(storage)[KEY], (key, value) =>
    typeof value === 'string' && !OWN_MEMBERS.includes(key) ? next() : value,
  )
  return JSON.stringify({ [KEY]: JSON.stringify(walk) })
}
