// Adds copy buttons to the code on a page.

import { COPY_SHOWN_MS, copyText } from './clipboard.ts'

/** Adds a button to every element with `data-copy`. The attribute names the code that the button copies. */
export function addCopyButtons(): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-copy]')) addCopyButton(place)
}

function addCopyButton(place: HTMLElement): void {
  const code = place.querySelector('code')
  if (!code) return
  // What is copied must be what the service has sent, also if the browser translates the page.
  code.translate = false
  const button = makeElement('button', 'secondary small', 'Copy')
  // Elsewhere it would submit a form.
  button.setAttribute('type', 'button')
  button.append(makeElement('span', 'visually-hidden', `: ${place.dataset.copy}`))
  const result = makeElement('span', '', '')
  result.setAttribute('role', 'status')
  const bar = makeElement('div', 'copy-bar', '')
  bar.append(result, button)
  place.prepend(bar)
  let timer: ReturnType<typeof setTimeout> | undefined
  button.addEventListener('click', async () => {
    result.textContent = await copyText(code)
    clearTimeout(timer)
    timer = setTimeout(() => result.replaceChildren(), COPY_SHOWN_MS)
  })
}

function makeElement(name: 'button' | 'div' | 'span', className: string, text: string): HTMLElement {
  const element = document.createElement(name)
  element.className = className
  element.textContent = text
  return element
}
