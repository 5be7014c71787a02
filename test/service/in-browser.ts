import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { readCompleteDocument } from '../../scripts/lib/complete-documents.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { closeAllTabs, findChromium, openTab, shareBrowser, type Tab } from '../support/browser.ts'
import { Conformance } from '../support/conformance.ts'
import { dereferenced } from '../support/dereferenced.ts'
import { type DocumentedOperation, listOperations } from '../support/reference-page.ts'
import { WorldConformance } from '../support/world-conformance.ts'
import { shareGalaxy } from './prepared-state.ts'

/** The path of Chromium; undefined if it is not installed. */
export const chromium = findChromium()
if (!chromium) {
  const hint = 'THE BROWSER TESTS DID NOT RUN: there is no Chromium. CHROMIUM can name one.'
  if (process.env.CI === 'true') throw new Error(hint)
  console.warn(hint)
}

export const document = dereferenced(JSON.parse(readFileSync(join(ROOT, 'documents/out/openapi.json'), 'utf8')))
export const operations = listOperations(document.paths)
/** With the pages for people, which the published document leaves out. */
export const completeDocument = dereferenced(JSON.parse(await readCompleteDocument('common')))
export const conformance = new Conformance(completeDocument)
/** The id of the API reference as an OAuth client. */
export const REFERENCE_CLIENT = 'galaxy-reference'
export const PASSWORD = 'i-love-planets'
export const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

/** The shared service and a browser, for as long as a group of tests runs. */
export interface Surroundings {
  readonly galaxy: { url: string }
  readonly browser: Browser
  /** A tab that is closed by `closeTabs`. */
  open(options?: Parameters<typeof openTab>[3]): Promise<Tab>
  /** The same, for the pages of another origin of the service. */
  openAt(origin: string, options?: Parameters<typeof openTab>[3]): Promise<Tab>
  closeTabs(): Promise<void>
}

/** Starts the browser before the tests of a group, unless it is running, and closes their tabs after them. */
export function useBrowser(): Surroundings {
  const galaxy = shareGalaxy()
  const judge = new WorldConformance(conformance, galaxy.url)
  let browser: Browser
  let tabs: Tab[] = []

  beforeAll(async () => {
    browser = await shareBrowser()
  })

  afterAll(async () => {
    await closeAllTabs(browser)
  })

  async function openAt(origin: string, options?: Parameters<typeof openTab>[3]) {
    const tab = await openTab(browser, origin, judge, options)
    tabs.push(tab)
    return tab
  }

  return {
    galaxy,
    get browser() {
      return browser
    },
    open: (options) => openAt(galaxy.url, options),
    openAt,
    async closeTabs() {
      await Promise.all(tabs.map((tab) => tab.close()))
      tabs = []
    },
  }
}

/** Whether a payload of SCRIPT_PAYLOADS has run in a page. */
export async function hasRun(page: Page): Promise<boolean> {
  return await page.evaluate<boolean>('"__ran" in globalThis')
}

/** The operation with this id. */
export function findOperation(operationId: string): DocumentedOperation {
  const operation = operations.find((one) => one.operationId === operationId)
  if (!operation) throw new Error(`the document has no operation ${operationId}`)
  return operation
}

/** Allows the request in the popup of the API reference. Signs in first, unless a user is signed in already. */
export async function signInAndAllow(popup: Page, account: { email: string; password: string }): Promise<void> {
  await signIn(popup, account)
  await popup.getByRole('button', { name: 'Allow' }).click()
}

/** Signs in, unless a user is signed in already. */
export async function signIn(popup: Page, { email, password }: { email: string; password: string }): Promise<void> {
  const allow = popup.getByRole('button', { name: 'Allow' })
  const field = popup.getByLabel('E-mail address')
  await allow.or(field).waitFor()
  if (await allow.isVisible()) return
  await field.fill(email)
  await popup.getByLabel('Password').fill(password)
  await popup.getByRole('button', { name: 'Sign in' }).click()
  await allow.waitFor()
}
