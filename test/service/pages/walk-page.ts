import type { Locator, Page } from 'playwright-core'
import { type StepId, WALK_STEPS } from '../../../src/site/walk-steps.ts'
import { ownAddress } from '../own-address.ts'
import { press } from './keyboard.ts'

/** The button of each step. */
const BUTTONS: Readonly<Record<StepId, string>> = {
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
  live: 'Create a planet and listen',
}

const PLANET_URL = /Your planet is (\S+) now/

/** The walk, used as a person uses it. */
export class WalkPage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  /** Opens the page. Its calls come from an address of their own, because the number of inboxes of one is limited. */
  async open(url: string): Promise<void> {
    await this.page.setExtraHTTPHeaders(ownAddress())
    await this.page.goto(`${url}/walk`)
    await this.page.getByRole('button', { name: 'Start again' }).waitFor()
  }

  /** Does steps with the pointer. */
  async click(...steps: StepId[]): Promise<void> {
    for (const step of steps) {
      await this.press(step)
      await this.summaryOf(step).waitFor()
    }
  }

  /** Presses the button of a step. */
  async press(step: StepId): Promise<void> {
    await this.#untilReady(step)
    await this.button(step).click()
  }

  /** Waits until a step can be done: the page needs a while to draw the picture. */
  async #untilReady(step: StepId): Promise<void> {
    if (step === 'picture') await this.page.getByAltText('A drawing of').waitFor()
  }

  button(step: StepId): Locator {
    return this.page.getByRole('button', { name: BUTTONS[step], exact: true })
  }

  /** Does a step with the keyboard alone. */
  async type(step: StepId): Promise<void> {
    await this.#untilReady(step)
    await press(this.page, BUTTONS[step])
    await this.summaryOf(step).waitFor()
  }

  /** What remains of a step that is done. */
  summaryOf(step: StepId): Locator {
    return this.page.locator(`summary#step-${step}`)
  }

  /** The step that is open. */
  get current(): Locator {
    return this.page.locator('.step.current')
  }

  /** The message about what failed. */
  get fault(): Locator {
    return this.page.getByRole('alert')
  }

  /** Everything that the page shows, and what has been typed. */
  async text(): Promise<string> {
    return await this.page.evaluate<string>(
      "document.querySelector('main').innerText + [...document.querySelectorAll('input, textarea')].map(({ value }) => value)",
    )
  }

  /** The URL of the planet, as soon as the page names it. */
  async planetUrl(): Promise<string> {
    const main = this.page.locator('main', { hasText: PLANET_URL })
    return PLANET_URL.exec((await main.textContent()) ?? '')?.[1] ?? ''
  }

  /** What the tab has kept. */
  async storage(): Promise<string> {
    return await this.page.evaluate<string>('JSON.stringify({ ...sessionStorage })')
  }
}

/** All steps, in their order. */
export const STEPS: readonly StepId[] = WALK_STEPS.map(({ id }) => id)

/** Makes a tab begin with what another one has kept. */
export async function keep(page: Page, storage: string): Promise<void> {
  await page.addInitScript(`for (const [key, value] of Object.entries(${storage})) sessionStorage.setItem(key, value)`)
}
