import type { Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { bodyOf } from '../galaxy.ts'
import { chromium, PASSWORD, useBrowser } from '../in-browser.ts'
import { ownAddress } from '../own-address.ts'
import { makePerson, type Person } from './account-world.ts'
import { openOn, switchLiveOff } from './pages.ts'
import { STEPS, WalkPage } from './walk-page.ts'

// A reader can let the browser translate a page. It then puts each text into two elements (<font>), also those that
// appear later. The page has to show the same texts as without, each of them once.

/** How browsers do it: with the text of the page, or with a text of their own in its place. */
const WAYS = ['moved', 'replaced'] as const
type Way = (typeof WAYS)[number]

describe.skipIf(!chromium)('a page that the browser translates shows each text once:', () => {
  const here = useBrowser()
  afterEach(here.closeTabs)

  /** Does the same in a tab without a translation, and in one for each way. Compares their texts after each step. */
  async function compare(path: string, steps: readonly Step[], persons: readonly Person[] = []): Promise<void> {
    const [plain, ...translated] = await Promise.all([undefined, ...WAYS].map((way) => open(path, way)))
    if (!plain) throw new Error('there is no page')
    for (const [index, step] of steps.entries()) {
      for (const [number, page] of [plain, ...translated].entries()) await step(page, persons[number])
      for (const [number, page] of translated.entries()) {
        await expect.poll(() => hasFonts(page)).toBe(true)
        const findDifferences = async () => compareLines(await readTexts(plain), await readTexts(page))
        await expect.poll(findDifferences, { message: `step ${index}, ${WAYS[number]}` }).toEqual([])
      }
    }
  }

  async function open(path: string, way: Way | undefined): Promise<Page> {
    const { page } = await openOn(here, 'desktop-light')
    await page.setExtraHTTPHeaders(ownAddress())
    await switchLiveOff(page)
    if (way) await page.addInitScript(`(${TRANSLATE})('${way}')`)
    await page.goto(here.galaxy.url + path)
    return page
  }

  it('the account page', async () => {
    const persons = await Promise.all(Array.from({ length: 1 + WAYS.length }, () => makePerson(here.galaxy.url)))
    for (const person of persons)
      await person.send('POST', '/me/api-keys', { name: 'Build server', scopes: ['read:planets'] })
    const inbox = await bodyOf(await fetch(`${here.galaxy.url}/inboxes`, { method: 'POST', headers: ownAddress() }))
    const toggle = async (page: Page) => {
      await press('Create one')(page)
      await press('Sign in', 'button.link')(page)
    }
    const steps: Step[] = [
      waitFor('Sign in'),
      ...Array<Step>(3).fill(toggle),
      async (page, person) => {
        await page.getByLabel('E-mail address').fill(person?.email ?? '')
        await page.getByLabel('Password').fill('wrong')
        await press('Sign in', 'form button')(page)
        await page.getByRole('alert').waitFor()
      },
      async (page) => {
        await page.getByLabel('Password').fill(PASSWORD)
        await press('Sign in', 'form button')(page)
        await page.getByRole('heading', { name: 'Your account' }).waitFor()
      },
      ...['API keys', 'Inboxes', 'Applications', 'Profile', 'Deliveries', 'API keys'].map(
        (name): Step =>
          async (page) => {
            await page.getByRole('link', { name, exact: true }).click()
            await page.getByText('Loading …').first().waitFor({ state: 'detached' })
          },
      ),
      press('Revoke Build server'),
      press('Cancel'),
      async (page) => {
        await page.getByLabel('Name (optional)').fill('Second')
        await press('Create the key')(page)
        await page.getByText('This is your new key.').waitFor()
      },
      press('I have saved it'),
      async (page) => {
        await page.getByRole('link', { name: 'Inboxes' }).click()
        await page.getByLabel('Open an inbox').fill(inbox.url)
        await page.getByRole('button', { name: /^Open/ }).click()
        await page.getByText('No request has arrived yet.').waitFor()
      },
      press('Sign out'),
    ]
    await compare('/account', steps, persons)
  })

  it('the tour', async () => {
    await compare('/walk', [
      waitFor('Start again'),
      async (page) => {
        await page.getByLabel('Password').fill('abc')
        await press('Sign up')(page)
        await page.getByRole('alert').waitFor()
      },
      press('Start again'),
      ...STEPS.map(
        (step): Step =>
          (page) =>
            new WalkPage(page).click(step),
      ),
      press('Start again'),
    ])
  })

  it('the page about live events', async () => {
    const choose =
      (channel: string): Step =>
      async (page) => {
        await page.getByLabel('Channel').selectOption(channel)
      }
    await compare('/docs/events', [
      waitFor('Connect'),
      choose('userEvents'),
      choose('planetRequest'),
      async (page) => {
        await press('Connect')(page)
        await page.getByText('Connected', { exact: true }).waitFor()
      },
      async (page) => {
        await page.getByLabel('Ask for the planet').fill('999999999')
        await press('Ask')(page)
        await page.locator('.event-arrivals').getByText('Problem').click()
      },
      press('Clear the list'),
      press('Disconnect'),
      choose('userEvents'),
      async (page) => {
        await press('Connect')(page)
        await page.getByText('The service has refused the socket').waitFor()
      },
    ])
  })

  it('the explorer', async () => {
    await compare('/', [
      (page) => page.locator('#table th button').first().waitFor({ state: 'attached' }),
      async (page) => {
        await page.locator('#filters [name=q]').fill('kepler-186')
        await expect.poll(() => page.locator('#count').textContent()).toMatch(/^\d of/)
      },
      async (page) => {
        await page.locator('#table').scrollIntoViewIfNeeded()
        await page.locator('#table th button').first().click()
        await page.locator('th[aria-sort]').waitFor()
      },
      press('Reset filters'),
      press('Next page'),
      async (page) => {
        await page.locator('.calls button').first().click()
        await page.locator('.status-line').waitFor()
      },
    ])
  })

  it('the page about a planet', async () => {
    await compare('/explore/planets/4', [
      waitFor(/^Copy/),
      ...['Python', 'Go'].map(
        (name): Step =>
          (page) =>
            page.getByRole('tab', { name }).first().click(),
      ),
      press(/^Copy/),
    ])
  })

  it('a new universe', async () => {
    await compare('/walk', [
      async (page) => {
        await press('Create your own universe')(page)
        await page.getByRole('button', { name: 'I have saved it' }).waitFor()
        await page.getByRole('button', { name: 'Reset', exact: true }).waitFor()
      },
      press('Reset'),
      press('Cancel'),
      press('I have saved it'),
    ])
  })

  it('what is copied is the code as the service sent it', async () => {
    for (const way of WAYS) {
      const page = await open('/explore/planets/4', way)
      await page.getByRole('button', { name: /^Copy/ }).first().waitFor()
      await expect.poll(() => page.locator('[data-copy] code font').count()).toBe(0)
    }
  })
})

type Step = (page: Page, person?: Person) => Promise<unknown>

/** @param within A selector, if the page has several buttons of this name */
function press(name: string | RegExp, within = 'button'): Step {
  const isExact = typeof name === 'string'
  return (page) =>
    page
      .locator(within)
      .and(page.getByRole('button', { name, exact: isExact }))
      .first()
      .click()
}

function waitFor(name: string | RegExp): Step {
  return (page) => page.getByRole('button', { name }).first().waitFor()
}

const hasFonts = (page: Page) => page.evaluate<boolean>("document.querySelector('font') !== null")

/** What a page shows, line by line, without code. Ids, times and figures differ between two tabs. */
async function readTexts(page: Page): Promise<string[]> {
  const text = await page.evaluate<string>(`(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('code, pre { display: none }')
    document.adoptedStyleSheets = [sheet]
    const text = document.body.innerText
    document.adoptedStyleSheets = []
    return text
  })()`)
  return text
    .replaceAll(/[\w+/=-]*\d[\w+/=.,:-]*/g, '#')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** The lines that only one of two pages has, and the first place at which their order differs. */
function compareLines(wanted: readonly string[], found: readonly string[]): string[] {
  const rest = [...found]
  const missing = wanted.filter((line) => {
    const index = rest.indexOf(line)
    if (index !== -1) rest.splice(index, 1)
    return index === -1
  })
  const moved = wanted.find((line, index) => line !== found[index])
  return [
    ...missing.map((line) => `missing: ${line}`),
    ...rest.map((line) => `too much: ${line}`),
    ...(moved === undefined ? [] : [`not at its place: ${moved}`]),
  ]
}

/** Runs in a page before its scripts: translates all texts, and those that appear or change later. */
const TRANSLATE = `(way) => {
  const isLeft = (element) =>
    element.closest('[translate=no], script, style, noscript, textarea, font, svg, canvas') !== null
  const translate = (text) => {
    if (text.data.trim() === '' || !text.parentElement || isLeft(text.parentElement)) return
    const [outer, inner] = [document.createElement('font'), document.createElement('font')]
    outer.append(inner)
    text.replaceWith(outer)
    inner.append(way === 'moved' ? text : text.data)
  }
  const translateAll = () => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const texts = []
    while (walker.nextNode()) texts.push(walker.currentNode)
    texts.forEach(translate)
  }
  addEventListener('DOMContentLoaded', () => {
    translateAll()
    new MutationObserver(translateAll).observe(document.body, { childList: true, characterData: true, subtree: true })
  })
}`
