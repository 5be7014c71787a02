// Adds a button to code that copies it.

const SHOWN_MS = 4000

/** Adds a button to every element with `data-copy`, which says what the code is. */
export function addCopyButtons(): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-copy]')) addCopyButton(place)
}

function addCopyButton(place: HTMLElement): void {
  const code = place.querySelector('code')
  if (!code) return
  const button = makeElement('button', 'secondary small', 'Copy')
  button.append(makeElement('span', 'visually-hidden', `: ${place.dataset.copy}`))
  const result = makeElement('span', '', '')
  result.setAttribute('role', 'status')
  const bar = makeElement('div', 'copy-bar', '')
  bar.append(result, button)
  place.prepend(bar)
  let timer: ReturnType<typeof setTimeout> | undefined
  button.addEventListener('click', async () => {
    result.textContent = (await copy(code)) ? 'Copied' : 'Selected: press Ctrl+C to copy'
    clearTimeout(timer)
    timer = setTimeout(() => result.replaceChildren(), SHOWN_MS)
  })
}

function makeElement(name: 'button' | 'div' | 'span', className: string, text: string): HTMLElement {
  const element = document.createElement(name)
  element.className = className
  element.textContent = text
  return element
}

/** @returns False if the browser does not allow it, for example over http. The code is then selected. */
async function copy(code: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '')
    return true
  } catch {
    getSelection()?.selectAllChildren(code)
    return false
  }
}
