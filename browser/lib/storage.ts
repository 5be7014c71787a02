import { BASE_PATH } from './base.ts'

// Data that this tab keeps. If the browser blocks the storage, or if it is full, the page keeps the data in memory
// instead: everything works, but a reload loses the data.

/** The prefix of the keys of a world. Worlds that share an origin share the storage, but no keys. */
const prefixOf = (basePath: string) => `galaxy${basePath}.`

const PREFIX = prefixOf(BASE_PATH)

/** The prefix of the names of settings: the chosen tabs, and whether new planets appear. */
export const CHOICES = 'tab.'

/** By key. */
const memory = new Map<string, string>()

/** The text that is kept under a name; null if there is none. */
export function readStored(name: string): string | null {
  const key = PREFIX + name
  // A value in memory is newer, because it is only there if the storage has refused it.
  return memory.get(key) ?? withStorage((storage) => storage.getItem(key)) ?? null
}

export function store(name: string, text: string): void {
  const key = PREFIX + name
  memory.set(key, text)
  withStorage((storage) => {
    storage.setItem(key, text)
    memory.delete(key)
  })
}

/**
 * Stores a text for the pages of another world of this origin.
 *
 * @returns Whether those pages will find it
 */
export function storeFor(basePath: string, name: string, text: string): boolean {
  const isKept = withStorage((storage) => {
    storage.setItem(prefixOf(basePath) + name, text)
    return true
  })
  return isKept ?? false
}

export function removeStored(name: string): void {
  remove(PREFIX + name)
}

function remove(key: string): void {
  memory.delete(key)
  withStorage((storage) => storage.removeItem(key))
}

/** Removes everything that the pages have stored in this tab about the user. The settings of the pages stay. */
export function forgetPerson(): void {
  const stored = withStorage((storage) => Object.keys(storage)) ?? []
  const own = [...memory.keys(), ...stored].filter((key) => key.startsWith(PREFIX))
  for (const key of own) if (!key.startsWith(PREFIX + CHOICES)) remove(key)
}

/**
 * Uses the storage of the tab.
 *
 * @returns Undefined if the browser refuses that. Even reading the global `sessionStorage` can throw
 */
function withStorage<Result>(use: (storage: Storage) => Result): Result | undefined {
  try {
    return use(sessionStorage)
  } catch (error) {
    if (error instanceof DOMException) return undefined
    throw error
  }
}
