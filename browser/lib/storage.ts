// What this tab keeps. If the browser blocks the storage of sites, or if it is full, the page keeps it in memory instead:
// everything works then, but a reload forgets it.

/** Every key begins with it. */
const PREFIX = 'galaxy.'

/** The keys of chosen tabs begin with it. */
export const CHOICES = `${PREFIX}tab.`

const memory = new Map<string, string>()

/** The text that is kept under a key; null if there is none. */
export function readStored(key: string): string | null {
  // What is in memory is newer: it is there because the storage has refused it.
  return memory.get(key) ?? withStorage((storage) => storage.getItem(key)) ?? null
}

export function store(key: string, text: string): void {
  memory.set(key, text)
  withStorage((storage) => {
    storage.setItem(key, text)
    memory.delete(key)
  })
}

export function removeStored(key: string): void {
  memory.delete(key)
  withStorage((storage) => storage.removeItem(key))
}

/** Removes everything that the pages keep in this tab about the person. Chosen tabs stay. */
export function forgetPerson(): void {
  const stored = withStorage((storage) => Object.keys(storage)) ?? []
  const own = [...memory.keys(), ...stored].filter((key) => key.startsWith(PREFIX))
  for (const key of own) if (!key.startsWith(CHOICES)) removeStored(key)
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
