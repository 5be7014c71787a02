import { afterEach, expect, it } from 'vitest'
import { readStored, removeStored, store } from '../../../browser/lib/storage.ts'

const KEY = 'galaxy.test'

/** Gives the page a storage that a browser could have. */
function provideStorage(get: () => unknown): void {
  Object.defineProperty(globalThis, 'sessionStorage', { get, configurable: true })
}

const refuse = (name: string) => () => {
  throw new DOMException('The browser refuses it.', name)
}

afterEach(() => {
  removeStored(KEY)
  Reflect.deleteProperty(globalThis, 'sessionStorage')
})

it('a page whose storage is blocked keeps everything in memory', () => {
  provideStorage(refuse('SecurityError'))
  expect(readStored(KEY)).toBeNull()
  store(KEY, 'one')
  expect(readStored(KEY)).toBe('one')
  removeStored(KEY)
  expect(readStored(KEY)).toBeNull()
})

it('a page whose storage is full reads the text that was kept last', () => {
  const texts = new Map([[KEY, 'old']])
  provideStorage(() => ({
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: refuse('QuotaExceededError'),
    removeItem: (key: string) => texts.delete(key),
  }))
  expect(readStored(KEY)).toBe('old')
  store(KEY, 'new')
  expect(readStored(KEY)).toBe('new')
  removeStored(KEY)
  expect(readStored(KEY)).toBeNull()
})
