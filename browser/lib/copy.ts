// Adds a button to code that copies it.

const SHOWN_MS = 2000

/** Adds a button to every element with `data-copy`, which says what the code is. */
export function addCopyButtons(): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-copy]')) addCopyButton(place)
}

function addCopyButton(place: HTMLElement): void {
  const code = place.querySelector('code')
  if (!code) return
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'secondary small copy'
  button.textContent = 'Copy'
  const name = document.createElement('span')
  name.className = 'visually-hidden'
  name.textContent = `: ${place.dataset.copy}`
  button.append(name)
  const result = document.createElement('span')
  result.className = 'copy-result'
  result.setAttribute('role', 'status')
  button.addEventListener('click', async () => {
    result.textContent = (await copy(code)) ? 'Copied' : 'Selected: press Ctrl+C to copy'
    setTimeout(() => {
      result.textContent = ''
    }, SHOWN_MS)
  })
  place.prepend(button, result)
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
