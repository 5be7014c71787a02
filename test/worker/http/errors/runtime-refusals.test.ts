import { describe, expect, it } from 'vitest'
import { findRuntimeRefusal } from '../../../../src/http/errors/runtime-refusals.ts'
import { within } from '../../../../src/lib/within.ts'

// Which errors are faults of the platform, and not of the service or the caller.

const flagged = (flag: string, value: unknown) => Object.assign(new Error('The object went away.'), { [flag]: value })

const FAULTS = [
  ['a fault with a reference', new Error('internal error; reference = 8idbb35q6lt92qeeisiu77ge')],
  ['a fault without one', new Error('internal error')],
  ['a fault behind a binding', new Error('D1_ERROR: internal error; reference = 8idbb35q6lt92qeeisiu77ge')],
  ['an object that was reset', flagged('durableObjectReset', true)],
  ['an object with too many requests', flagged('overloaded', true)],
  ['a call that never arrived', flagged('retryable', true)],
] as const

const OTHERS = [
  ['a text that only contains the words', new Error('internal error; reference = a, see the manual')],
  ['another word before it', new Error('an uninternal error')],
  ['an error of the code in an object', flagged('remote', true)],
  ['a flag that is not set', flagged('overloaded', false)],
  ['a wrong call', new TypeError('The provided value is not of type Blob.')],
] as const

describe('a fault of the platform', () => {
  it.each(FAULTS)('is %s', (_, error) => {
    expect(findRuntimeRefusal(error)).toMatchObject({ retryAfterSeconds: 5 })
  })

  it('is work that gives no result in time', async () => {
    const late = within(1, new Promise(() => {}), { wait: async () => {} })
    const error = await late.then(
      () => new Error('there was a result'),
      (thrown: Error) => thrown,
    )
    expect(findRuntimeRefusal(error)).toMatchObject({ retryAfterSeconds: 5 })
  })

  it.each(OTHERS)('is not %s', (_, error) => {
    expect(findRuntimeRefusal(error)).toBeUndefined()
  })
})
