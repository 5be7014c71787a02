import type { Page } from 'playwright-core'

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

/** @throws Error if the Tab key does not lead there, or if the focus cannot be seen there */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const stops: string[] = []
  for (let stop = 0; stop < STOPS_MAX; stop++) {
    await page.keyboard.press('Tab')
    const focus = await page.evaluate<{ name: string; outline: string }>(FOCUS)
    stops.push(focus.name)
    if (typeof name === 'string' ? focus.name !== name : !name.test(focus.name)) continue
    if (focus.outline !== 'solid 3px') throw new Error(`the focus of ${focus.name} is not visible`)
    return
  }
  throw new Error(`the Tab key does not lead to ${name}, but to: ${stops.join(', ')}`)
}

/** The name of the focused element. A summary has no label, and a field no text. */
const FOCUS = `(() => {
  const element = document.activeElement
  const name = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  return { name: name.trim(), outline: outlineStyle + ' ' + outlineWidth }
})()`
