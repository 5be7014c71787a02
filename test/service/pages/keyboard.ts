import type { Page } from 'playwright-core'
import { expect } from 'vitest'

// A person who has no mouse.

/** More than any page of ours has. */
const STOPS_MAX = 80

/** Goes to an element with the Tab key, and presses Enter. @param name Its label or its text */
export async function press(page: Page, name: string | RegExp): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

/** Goes to a field with the Tab key, and replaces what it contains. */
export async function type(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, label)
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(text)
}

/**
 * Goes to an element with the Tab key, after it has appeared.
 *
 * @throws Error if the Tab key does not lead there, or if the focus cannot be seen there
 */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const isMeant = (found: string) => (typeof name === 'string' ? found === name : name.test(found))
  const isThere = async () => (await page.evaluate<string[]>(STOPS)).some(isMeant)
  await expect.poll(isThere, { message: `${name} is on the page` }).toBe(true)
  const stops: string[] = []
  while (stops.length < STOPS_MAX) {
    await page.keyboard.press('Tab')
    const focused = await focusedName(page)
    if (isMeant(focused)) {
      await expect.poll(() => page.evaluate(OUTLINE), { message: focused }).toBe('solid 3px')
      return
    }
    stops.push(focused)
  }
  throw new Error(`the Tab key does not lead to ${name}, but to: ${stops.join(', ')}`)
}

/** The name of the element that has the focus. */
export async function focusedName(page: Page): Promise<string> {
  return await page.evaluate<string>(`(${NAME_OF})(document.activeElement)`)
}

/** The name of an element. A summary has no label, and a field no text. */
const NAME_OF = `(element) =>
  (element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent).trim()`

/** The names of everything to which the Tab key could lead. */
const STOPS = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
  .filter((element) => element.checkVisibility())
  .map(${NAME_OF})`

const OUTLINE = `(() => {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement)
  return outlineStyle + ' ' + outlineWidth
})()`
