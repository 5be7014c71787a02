import { afterEach, describe, expect, it, vi } from 'vitest'
import { endSession } from '../../../browser/lib/session.ts'

// On Node, the file does not come from a service.
vi.mock('../../../browser/lib/base.ts', () => ({ BASE_PATH: '' }))

describe('the end of a session', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('removes everything that a page has kept about the person, but not the chosen language', () => {
    const kept = { 'galaxy.tab.language': 'python', other: 'of a program on the same host' }
    const store = storage({
      ...kept,
      'galaxy.session': '{}',
      'galaxy.walk.1': '{}',
      'galaxy.inboxes': '[]',
      'galaxy.new-key': '{}',
      'galaxy.draft.key': '{}',
    })
    vi.stubGlobal('sessionStorage', store)
    endSession()
    expect({ ...store }).toEqual(kept)
  })
})

/** A session storage: its keys are members, and its methods are not among them. */
function storage(items: Record<string, string>): Record<string, string> {
  const methods = {
    removeItem(this: Record<string, string>, key: string) {
      delete this[key]
    },
  }
  return Object.assign(Object.create(methods), items)
}
