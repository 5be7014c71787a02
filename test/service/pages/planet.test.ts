import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { documentedFetch } from '../../support/documented-fetch.ts'
import { SCRIPT_PAYLOADS } from '../../support/script-payloads.ts'
import { bodyOf } from '../galaxy.ts'
import { chromium, hasRun, PASSWORD, PICTURE, useBrowser } from '../in-browser.ts'
import { findBarriers, findPageFaults, findTabFaults, JUDGED_SCREENS, openOn, takeScreenshot } from './pages.ts'
import { WalkPage } from './walk-page.ts'

// The page about a planet, as a visitor uses it.

const EARTH = 3
const JUPITER = 5
const SATURN = 6
const KEPLER = 3000

describe.runIf(chromium)('the page about a planet', () => {
  const here = useBrowser()
  let token: string

  beforeAll(async () => {
    const credentials = { email: 'planet-pages@example.com', password: PASSWORD, name: 'Ada <b>Lovelace</b>' }
    await post('/user/signup', credentials)
    ;({ token } = await bodyOf(await post('/auth/token', credentials)))
  })

  afterEach(() => here.closeTabs())

  async function post(path: string, body: object | FormData): Promise<Response> {
    const isForm = body instanceof FormData
    return await documentedFetch(new URL(path, here.galaxy.url), {
      method: 'POST',
      headers: {
        ...(!isForm && { 'Content-Type': 'application/json' }),
        ...(token && { Authorization: `Bearer ${token}` }),
      },
      body: isForm ? body : JSON.stringify(body),
    })
  }

  async function create(planet: object): Promise<number> {
    return (await bodyOf(await post('/planets', planet))).id
  }

  const urlOf = (id: number) => `${here.galaxy.url}/explore/planets/${id}`

  it('shows one language at a time, chosen with the keyboard, and copies the request', async () => {
    const tab = await openOn(here, 'desktop-light')
    const { page } = tab
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(urlOf(JUPITER))
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Jupiter')
    await expect.poll(() => visiblePanels(page)).toEqual(['curl', 'JSON'])
    await page.getByRole('tab', { name: 'curl' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => visiblePanels(page)).toEqual(['Python', 'JSON'])
    // The code can be scrolled with the keyboard, so it comes before its button.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Copied').waitFor()
    const readCopied = () => page.evaluate<string>('navigator.clipboard.readText()')
    await expect.poll(readCopied).toContain('connection = HTTPConnection(')
    await expect.poll(readCopied).toContain(`"/planets/${JUPITER}"`)
    await page.reload()
    await expect.poll(() => visiblePanels(page)).toEqual(['Python', 'JSON'])
    await page.getByRole('tab', { name: 'Python' }).focus()
    for (const [key, label] of [
      ['End', 'Go'],
      ['ArrowRight', 'curl'],
      ['ArrowLeft', 'Go'],
      ['Home', 'curl'],
    ] as const) {
      await page.keyboard.press(key)
      await expect.poll(() => visiblePanels(page)).toEqual([label, 'JSON'])
    }
    expect(await findTabFaults(tab)).toEqual([])
  })

  it('shows the language that was chosen on the walk, and selects the code if it may not copy', async () => {
    const tab = await openOn(here, 'desktop-light')
    const { page } = tab
    const walk = new WalkPage(page)
    await walk.open(here.galaxy.url)
    await walk.click('signup')
    await page.getByRole('tab', { name: 'Python' }).click()
    await page.addInitScript('navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"))')
    await page.goto(urlOf(JUPITER))
    await expect.poll(() => visiblePanels(page)).toEqual(['Python', 'JSON'])
    await page.getByRole('button', { name: /The request with Python/ }).click()
    await page.getByText('Your browser does not allow copying. The text is selected.').waitFor()
    await expect.poll(() => page.evaluate<string>('getSelection().toString()')).toContain('HTTPConnection(')
    expect(await findPageFaults(tab)).toEqual([])
  })

  /** The names of the panels that are visible. */
  async function visiblePanels(page: Page): Promise<(string | null)[]> {
    return await page.getByRole('tab', { selected: true }).allTextContents()
  }

  const STATES: readonly [name: string, id: number][] = [
    ['planet-earth', EARTH],
    ['planet-jupiter', JUPITER],
    ['planet-saturn', SATURN],
    ['planet-exoplanet', KEPLER],
  ]

  it.each(STATES)('is well-made: %s', async (state, id) => {
    const tab = await openOn(here, 'desktop-light')
    expect((await tab.page.goto(urlOf(id)))?.status()).toBe(200)
    await takeScreenshot(tab.page, 'desktop-light', state)
    expect(await findPageFaults(tab)).toEqual([])
  })

  it.each(JUDGED_SCREENS)('is well-made on the screen %s, in every view', async (screen) => {
    const tab = await openOn(here, screen)
    await tab.page.goto(urlOf(SATURN))
    await takeScreenshot(tab.page, screen, 'planet-saturn')
    expect(await findPageFaults(tab)).toEqual([])
    for (const name of ['XML', 'Headers', 'Go']) {
      await tab.page.getByRole('tab', { name }).click()
      expect(await findBarriers(tab.page, { part: '[role=tabpanel]:not([hidden])' })).toEqual([])
      expect(await findTabFaults(tab)).toEqual([])
    }
    await takeScreenshot(tab.page, screen, 'planet-views')
  })

  it('rounds figures, and shows all digits on hover and by a choice, without scripts', async () => {
    const { page } = await here.open({ javaScriptEnabled: false })
    await page.goto(urlOf(JUPITER))
    const mass = page.getByRole('row', { name: 'Mass' })
    await mass.getByText('318 Earth masses', { exact: true }).waitFor()
    await expect.poll(() => mass.getByTitle('317.8 Earth masses').count()).toBe(1)
    await page.getByLabel('Show all digits').check()
    await mass.getByText('317.8 Earth masses', { exact: true }).waitFor()
    await expect.poll(() => mass.getByText('318 Earth masses', { exact: true }).isVisible()).toBe(false)
  })

  it('of a user has a picture and as many satellites as there can be', async () => {
    const id = await create(crowdedPlanet())
    const form = new FormData()
    form.set('image', new Blob([PICTURE]), 'mars.png')
    await post(`/planets/${id}/image`, form)
    for (const screen of JUDGED_SCREENS) {
      const tab = await openOn(here, screen)
      await tab.page.goto(urlOf(id))
      await expect
        .poll(() => tab.page.evaluate<number>('document.querySelector(".planet-picture").naturalWidth'))
        .toBe(1)
      await takeScreenshot(tab.page, screen, 'planet-of-a-user')
      await tab.page.getByText('All 100 satellites as a table').click()
      await expect.poll(() => tab.page.getByRole('row', { name: 'Moon number 99' }).isVisible()).toBe(true)
      expect(await findPageFaults(tab)).toEqual([])
    }
  })

  it('shows everything without JavaScript', async () => {
    const tab = await here.open({ javaScriptEnabled: false })
    await tab.page.goto(urlOf(JUPITER))
    const text = await tab.page.locator('main').textContent()
    for (const part of ['curl -i', 'await fetch(', 'HTTPConnection(', 'package main', '"name": "Jupiter"']) {
      expect(text).toContain(part)
    }
    expect(text).toContain('<name>Jupiter</name>')
    expect(text).toContain('"1-xml"')
    await takeScreenshot(tab.page, 'desktop-light', 'planet-without-javascript')
    expect(await tab.recording.takeFaults()).toEqual([])
  })

  it('that does not exist says so', async () => {
    const tab = await openOn(here, 'phone-light')
    await tab.page.goto(urlOf(999_999_999))
    await expect.poll(() => tab.page.getByRole('alert').textContent()).toBe('There is no planet with this id.')
    await takeScreenshot(tab.page, 'phone-light', 'planet-not-found')
    expect(await findPageFaults(tab)).toEqual([])
  })

  it('runs nothing that a stranger has written', async () => {
    const satellites = SCRIPT_PAYLOADS.map((name, index) => ({ name, description: name, orbit: { distance: index } }))
    const [first = ''] = SCRIPT_PAYLOADS
    const ids = [
      await create({
        name: first,
        description: SCRIPT_PAYLOADS.join('\n'),
        tags: SCRIPT_PAYLOADS.slice(0, 50),
        satellites,
      }),
      await create({
        name: SCRIPT_PAYLOADS[50],
        image: SCRIPT_PAYLOADS[51],
        tags: SCRIPT_PAYLOADS.slice(50),
        physicalProperties: Object.fromEntries(SCRIPT_PAYLOADS.map((payload) => [payload, 1])),
        atmosphere: SCRIPT_PAYLOADS.slice(0, 50).map((payload) => ({ compound: payload, [payload]: payload })),
      }),
    ]
    const tab = await openOn(here, 'phone-light')
    for (const id of ids) {
      await tab.page.goto(urlOf(id))
      for (const name of ['fetch', 'XML', 'Headers']) await tab.page.getByRole('tab', { name }).click()
      expect(await hasRun(tab.page)).toBe(false)
      expect(await findTabFaults(tab)).toEqual([])
    }
  })
})

/** A planet with long texts, and with a hundred satellites, of which some have no possible orbit. */
function crowdedPlanet() {
  const orbits = [{}, { distance: 0 }, { distance: 1e12 }]
  return {
    name: 'Of many moons, with a name that is so long that it takes more than one line of the page',
    description: `First line.\nSecond line. ${'A long text. '.repeat(20)}`,
    type: 'super_earth',
    tags: ['short', 'a tag of several words', 'x'.repeat(100)],
    physicalProperties: { mass: 4.2, radius: 1.6, temperature: { min: 3, average: 300, max: 1e6 }, spice: 12345.678 },
    atmosphere: [
      { compound: 'N2', percentage: 78.1 },
      { compound: 'O2', note: 'made by plants' },
    ],
    satellites: Array.from({ length: 100 }, (_, index) => ({
      name: `Moon number ${index} of the planet`,
      type: 'moon',
      diameter: index * 10.5,
      orbit: orbits[index] ?? { distance: 5e9 * index, orbitalPeriod: index / 3 },
    })),
  }
}
