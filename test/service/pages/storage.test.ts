import { afterEach, expect, it, vi } from 'vitest'
import { readStored, removeStored, store } from '../../../browser/lib/storage.ts'

// On Node, the file does not come from a service.
vi.mock('../../../browser/lib/base.ts', () => ({ BASE_PATH: '' }))

const NAME = 'test'

/** Gives the page a storage that a browser could have. */
function provideStorage(get: () => unknown): void {
  Object.defineProperty(globalThis, 'sessionStorage', { get, configurable: true })
}

const refuse = (name: string) => () => {
  throw new DOMException('The browser refuses it.', name)
}

afterEach(() => {
  removeStored(NAME)
  Reflect.deleteProperty(globalThis, 'sessionStorage')
})

it('a page whose storage is blocked keeps everything in memory', () => {
  provideStorage(refuse('SecurityError'))
  expect(readStored(NAME)).toBeNull()
  store(NAME, 'one')
  expect(readStored(NAME)).toBe('one')
  removeStored(NAME)
  expect(readStored(NAME)).toBeNull()
})

it('a page whose storage is full reads the text that was kept last', () => {
  const texts = new Map([['galaxy.test', 'old']])
  provideStorage(() => ({
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: refuse('QuotaExceededError'),
    removeItem: (key: string) => texts.delete(key),
  }))
  expect(readStored(NAME)).toBe('old')
  store(NAME, 'new')
  expect(readStored(NAME)).toBe('new')
  removeStored(NAME)
  expect(readStored(NAME)).toBeNull()
})
