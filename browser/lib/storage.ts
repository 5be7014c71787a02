import { BASE_PATH } from './base.ts'

// What this tab keeps. If the browser blocks the storage of sites, or if it is full, the page keeps it in memory instead:
// everything works then, but a reload forgets it.

/** What the keys of a world begin with. Worlds that share an origin share the storage, too, but nothing in it. */
const prefixOf = (basePath: string) => `galaxy${basePath}.`

const PREFIX = prefixOf(BASE_PATH)

/** The names of what is chosen for the pages begin with it: tabs, and whether new planets appear. */
export const CHOICES = 'tab.'

/** By key. */
const memory = new Map<string, string>()

/** The text that is kept under a name; null if there is none. */
export function readStored(name: string): string | null {
  const key = PREFIX + name
  // What is in memory is newer: it is there because the storage has refused it.
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
 * Keeps a text for the pages of another world of this origin, under its name there.
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

/** Removes everything that the pages keep in this tab about the person. What is chosen for the pages stays. */
export function forgetPerson(): void {
  const stored = withStorage((storage) => Object.keys(storage)) ?? []
  const own = [...memory.keys(), ...stored].filter((key) => key.startsWith(PREFIX))
  for (const key of own) if (!key.startsWith(PREFIX + CHOICES)) remove(key)
}

/** Uses the storage. @returns Undefined if the browser refuses that, which it may do even when the storage is named */
function withStorage<Result>(use: (storage: Storage) => Result): Result | undefined {
  try {
    return use(sessionStorage)
  } catch (error) {
    if (error instanceof DOMException) return undefined
    throw error
  }
}
