import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Tab } from '../../support/browser.ts'
import { chromium, hasRun, PICTURE, useBrowser } from '../in-browser.ts'
import { findBarriers, findTabFaults, openOn, takeScreenshot } from './pages.ts'
import { WalkPage } from './walk-page.ts'

const SCREEN = 'phone-light'
/** A file name that would run as a script in a page that does not escape it. */
const FILE_NAME = '<img src=x onerror=__ran=1>.png'

/** So slow that the page can be seen while it sends a picture, which takes six seconds. */
const UPLOAD_BYTES_PER_SECOND = 150_000
const UPLOAD_BYTES = 900_000

/** Lets the time between two looks into the inbox pass quickly. */
const HURRY = `{
  const wait = setTimeout
  window.setTimeout = (callback, delay, ...rest) => wait(callback, Math.min(delay, 20), ...rest)
}`

/** Makes a browser that cannot write a PNG. */
const BROKEN_CANVAS = 'HTMLCanvasElement.prototype.toBlob = (callback) => callback(null)'

// One walk on which everything fails once. The tests depend on each other.
describe.skipIf(!chromium)('if something fails on the walk', () => {
  const here = useBrowser()
  let tab: Tab
  let walk: WalkPage
  let page: Page

  beforeAll(async () => {
    tab = await openOn(here, SCREEN)
    page = tab.page
    walk = new WalkPage(page)
    await walk.open(here.galaxy.url)
  })
  afterAll(here.closeTabs)

  /**
   * Checks the step that has failed, and takes a screenshot. The steps that are done are judged on walks that succeed.
   */
  async function expectFault(state: string, ...texts: (string | RegExp)[]): Promise<void> {
    for (const text of texts) await walk.fault.filter({ hasText: text }).waitFor()
    await takeScreenshot(page, SCREEN, `walk-fault-${state}`)
    expect(await findBarriers(page, { part: '.step.current' })).toEqual([])
    expect(await findTabFaults(tab, /ERR_FAILED/)).toEqual([])
  }

  /** Makes the service respond to calls of a path as it documents it. @param prefer The header that asks for it */
  async function answer(path: string, prefer: string, act: () => Promise<void>): Promise<void> {
    await page.route(`**${path}`, (route) => route.continue({ headers: { ...route.request().headers(), prefer } }))
    await act()
    await page.unroute(`**${path}`)
  }

  async function useBrokenToken(): Promise<void> {
    await page.evaluate(
      "sessionStorage.setItem('galaxy.session', JSON.stringify({ ...JSON.parse(sessionStorage.getItem('galaxy.session')), token: 'expired' }))",
    )
  }

  it('says that the service cannot be reached, and keeps what was typed', async () => {
    await page.getByLabel('Password').fill('typed by hand')
    await page.route('**/user/signup', (route) => route.abort())
    await walk.press('signup')
    await expectFault('unreachable', 'The service cannot be reached.')
    await page.unroute('**/user/signup')
    await expect.poll(() => page.getByLabel('Password').inputValue()).toBe('typed by hand')
  })

  it('goes on with an existing account if sign-ups are closed', async () => {
    await answer('/user/signup', 'code=403, example=signup-closed', async () => {
      await walk.press('signup')
      await expectFault('closed', 'You can sign in if you have an account.')
    })
    await page.getByRole('button', { name: 'Use an existing account' }).last().click()
    await walk.press('token')
    await expectFault('wrong-password', /sign up/)
    await page.getByRole('button', { name: 'Go back to Sign up' }).click()
    await walk.click('signup')
  })

  it('offers to sign in if the account exists', async () => {
    await page.getByRole('button', { name: 'Start again' }).click()
    const email = `${crypto.randomUUID()}@example.com`
    await signUp(email)
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill('i-love-planets')
    await walk.press('signup')
    await expectFault('exists', 'If the account is yours, sign in with it.')
    await page.getByRole('button', { name: 'Use this account' }).click()
    await walk.click('token')
  })

  it('says how long to wait if there were too many requests', async () => {
    await answer('/inboxes', 'code=429', async () => {
      await walk.press('inbox')
      await expectFault('429', /Wait \d+ seconds/)
    })
    await walk.click('inbox')
  })

  it('asks to sign in again if the token has expired, and goes on where it was', async () => {
    await page.getByLabel('Name of the planet').fill('Ix')
    await useBrokenToken()
    await walk.press('planet')
    await expectFault('expired', 'Sign in again. What you have done is kept.')
    await page.getByRole('button', { name: 'Sign in again' }).click()
    await walk.fault.waitFor({ state: 'detached' })
    await expect.poll(() => page.getByLabel('Name of the planet').inputValue()).toBe('Ix')
    await walk.click('planet')
  })

  it('says that the picture is not ready, or that it cannot be drawn', async () => {
    await page.evaluate(BROKEN_CANVAS)
    await page.getByLabel('Choose a file').check()
    await page.getByLabel('Use a picture that this page draws').check()
    await walk.fault.filter({ hasText: 'Choose a file instead.' }).waitFor()
    await walk.button('picture').click()
    await expectFault('no-drawing', 'The picture is not ready.')
    await page.reload()
    await page.getByAltText('A drawing of').waitFor()
  })

  it('shows how much of a file has been sent, and takes as long as the network', async () => {
    await page.getByLabel('Choose a file').check()
    await limitUpload(UPLOAD_BYTES_PER_SECOND)
    await chooseFile(Buffer.alloc(UPLOAD_BYTES))
    const progress = page.getByRole('progressbar', { name: 'Picture sent' })
    const { value, max } = await progress.evaluate((element) => {
      const { value, max } = element as HTMLProgressElement
      return { value, max }
    })
    expect(max).toBeGreaterThanOrEqual(UPLOAD_BYTES)
    expect(value).toBeLessThan(max)
    await takeScreenshot(page, SCREEN, 'walk-uploading')
    await page.getByText('The picture is sent.').or(walk.fault).first().waitFor()
    await walk.fault.waitFor()
    await limitUpload(-1)
  })

  it('shows how a file that is no image is refused, also after a reload, and takes an image', async () => {
    await page.getByLabel('Choose a file').check()
    await chooseFile(Buffer.from('Not an image'))
    await expectFault('no-image', 'The content of the file is not a supported image.')
    await page.reload()
    await walk.fault.filter({ hasText: 'The content of the file is not a supported image.' }).waitFor()
    await page.getByLabel('Choose a file').check()
    await chooseFile(PICTURE)
    await walk.summaryOf('picture').waitFor()
    expect(await hasRun(page)).toBe(false)
    await page.getByAltText('The planet, as uploaded').waitFor()
  })

  it('says that an event has not arrived', async () => {
    await page.evaluate(HURRY)
    await page.route('**/inboxes/*?limit=100', async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      await route.fulfill({ response, json: { ...json, data: [] } })
    })
    await walk.press('created')
    await page.getByText('Still waiting for planetCreated').waitFor()
    await expectFault('not-arrived', 'planetCreated has not arrived within half a minute.')
    await page.unroute('**/inboxes/*?limit=100')
    await walk.click('created', 'verify')
  })

  it('offers to create the planet again if somebody has deleted it', async () => {
    await deletePlanet()
    await walk.press('update')
    await expectFault('deleted', 'Create another one, and go on from there.')
    await page.getByRole('button', { name: 'Go back to Create a planet' }).click()
    await walk.click('planet', 'picture', 'created', 'verify', 'update', 'conflict')
  })

  it('goes on if the service does not choose responses on demand', async () => {
    await page.route('**/planets', (route) => {
      const { prefer, ...headers } = route.request().headers()
      return route.continue({ headers })
    })
    await walk.click('fault')
    await page.getByText('This service ignores the header').waitFor()
    await takeScreenshot(page, SCREEN, 'walk-no-demo-controls')
    await page.unroute('**/planets')
  })

  it('offers another inbox if the inbox is gone', async () => {
    await walk.click('explode')
    await answer('/inboxes/*', 'code=404', async () => {
      await walk.press('exploded')
      await expectFault('no-inbox', 'Create another one, and go on from there.')
    })
    await page.getByRole('button', { name: 'Go back to Create an inbox' }).click()
    await walk.button('inbox').waitFor()
  })

  async function chooseFile(buffer: Buffer): Promise<void> {
    await page.getByLabel('File', { exact: true }).setInputFiles({ name: FILE_NAME, mimeType: 'image/png', buffer })
    await walk.button('picture').click()
  }

  /** @param bytesPerSecond -1 sets no limit */
  async function limitUpload(bytesPerSecond: number): Promise<void> {
    const session = await page.context().newCDPSession(page)
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: bytesPerSecond,
    })
  }

  async function signUp(email: string): Promise<void> {
    const body = JSON.stringify({ email, password: 'i-love-planets' })
    const headers = { 'Content-Type': 'application/json' }
    await fetch(`${here.galaxy.url}/user/signup`, { method: 'POST', body, headers })
  }

  /** Deletes the planet of the walk, as another program of its owner would. */
  async function deletePlanet(): Promise<void> {
    const url = await walk.planetUrl()
    const { token } = JSON.parse(await page.evaluate<string>("sessionStorage.getItem('galaxy.session')"))
    await fetch(url, { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } })
  }
})
