// What all lists of tabs have in common (WAI-ARIA Authoring Practices, Tabs), whether a component draws them
// (code-tabs.tsx) or they are made of the sections of a page (tabs.ts).

import { CHOICES, readStored, store } from './storage.ts'

/** The keys that move between tabs, and the position to which each moves. The arrow keys wrap around at both ends. */
const MOVES: Readonly<Record<string, (position: number, count: number) => number>> = {
  ArrowLeft: (position, count) => (position + count - 1) % count,
  ArrowRight: (position, count) => (position + 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
}

/** The position to which a key moves; undefined if it does not move. */
export function moveTab(key: string, position: number, count: number): number | undefined {
  return MOVES[key]?.(position, count)
}

// The chosen tab is kept while the browser tab is open. Lists of tabs that offer the same choice share its name, and so
// the chosen tab. For example, `language` is the choice for requests as code, on all pages.

const keyOf = (choice: string) => CHOICES + choice

/** The tab that the person has chosen; null if the person has chosen none. @param choice The name of the choice */
export function loadTab(choice: string): string | null {
  return readStored(keyOf(choice))
}

export function keepTab(choice: string, tab: string): void {
  store(keyOf(choice), tab)
}
