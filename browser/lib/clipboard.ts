export const COPY_SHOWN_MS = 4000

/**
 * Copies the text of an element. If the browser does not allow that, for example over http, the text is selected.
 *
 * @returns The outcome, in words for the user
 */
export async function copyText(element: Element): Promise<string> {
  try {
    await navigator.clipboard.writeText(element.textContent ?? '')
    return 'Copied'
  } catch {
    getSelection()?.selectAllChildren(element)
    return 'Your browser does not allow copying. The text is selected.'
  }
}
