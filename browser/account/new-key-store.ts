import type { ApiKey } from '../../src/schemas/api-key.ts'
import { readStored, removeStored, store } from '../lib/storage.ts'

// The service shows a new key only once. The tab keeps it until the person has saved it, so that a reload does not
// lose it.

const STORED = 'new-key'

export type NewKey = ApiKey & { key: string }

export function loadNewKey(): NewKey | undefined {
  const text = readStored(STORED)
  return text === null ? undefined : JSON.parse(text)
}

export function keepNewKey(key: NewKey): void {
  store(STORED, JSON.stringify(key))
}

export function forgetNewKey(): void {
  removeStored(STORED)
}
