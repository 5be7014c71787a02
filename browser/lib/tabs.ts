// Turns sections into tabs, so that one of them is visible at a time. The choice is kept for other pages of this
// browser tab.

import { keepTab, loadTab, moveTab } from './tab-list.ts'

interface Tab {
  button: HTMLButtonElement
  panel: HTMLElement
}

/** Turns the sections of every element with `data-tabs` into tabs. The attribute names the choice that is kept. */
export function enhanceTabs(): void {
  for (const group of document.querySelectorAll<HTMLElement>('[data-tabs]')) enhance(group)
}

function enhance(group: HTMLElement): void {
  const { tabs: name = '', label = '' } = group.dataset
  const tabs = [...group.querySelectorAll<HTMLElement>(':scope > section')].map(makeTab)
  const list = document.createElement('div')
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', label)
  list.append(...tabs.map(({ button }) => button))
  group.prepend(list)
  for (const [position, { button, panel }] of tabs.entries()) {
    button.addEventListener('click', () => {
      show(tabs, position)
      keepTab(name, panel.dataset.tab ?? '')
    })
    button.addEventListener('keydown', (event) => {
      const next = moveTab(event.key, position, tabs.length)
      if (next === undefined) return
      event.preventDefault()
      tabs[next]?.button.focus()
      tabs[next]?.button.click()
    })
  }
  const kept = tabs.findIndex(({ panel }) => panel.dataset.tab === loadTab(name))
  show(tabs, Math.max(kept, 0))
}

function makeTab(panel: HTMLElement): Tab {
  const button = document.createElement('button')
  const heading = panel.querySelector('h3, h4')
  button.type = 'button'
  button.id = `${panel.id}-tab`
  button.textContent = heading?.textContent ?? ''
  button.setAttribute('role', 'tab')
  button.setAttribute('aria-controls', panel.id)
  heading?.remove()
  panel.setAttribute('role', 'tabpanel')
  panel.setAttribute('aria-labelledby', button.id)
  return { button, panel }
}

/** Only the selected tab can be reached with the Tab key. The arrow keys move to the others. */
function show(tabs: readonly Tab[], selected: number): void {
  for (const [position, { button, panel }] of tabs.entries()) {
    const isSelected = position === selected
    button.setAttribute('aria-selected', String(isSelected))
    button.tabIndex = isSelected ? 0 : -1
    panel.hidden = !isSelected
  }
}
