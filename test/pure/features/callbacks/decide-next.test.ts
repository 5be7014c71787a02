import { describe, expect, it } from 'vitest'
import type { Attempt } from '../../../../src/features/callbacks/attempt.ts'
import { decideNext, explainFailure } from '../../../../src/features/callbacks/decide-next.ts'
import { eachRow } from '../../../support/each-row.ts'

// What follows from a receiver's response.

const NOW = new Date('2026-01-15T12:00:00Z')
const SCHEDULE = [10, 100]
const CALLBACK = { webhookId: null, retries: 0 }
const SUBSCRIPTION = { webhookId: 7, retries: 0 }

function attemptWith(changes: Partial<Attempt>): Attempt {
  const nothing = { status: undefined, error: undefined, response: undefined, retryAfter: null }
  return { startedAt: NOW, durationMs: 1, ...nothing, wasCalled: true, isRefused: false, ...changes }
}

const judgeAnswer = (changes: Partial<Attempt>, of: Parameters<typeof decideNext>[1], random = 0.5) =>
  decideNext(attemptWith(changes), of, SCHEDULE, NOW, random)

const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
const over = { nextAttemptAt: undefined, endsCallbacks: false, isGone: false }
const DELIVERED = { ...over, status: 'delivered' }
const FAILED = { ...over, status: 'failed' }
const RETRIED = { ...over, status: 'pending', nextAttemptAt: later(10) }

describe('a response', () => {
  it('of 2xx is a success', () =>
    eachRow([200, 201, 202, 203, 205, 206, 226, 299], (status) => {
      expect(judgeAnswer({ status }, CALLBACK)).toEqual(DELIVERED)
      expect(judgeAnswer({ status }, SUBSCRIPTION)).toEqual(DELIVERED)
    }))

  it('of 204 ends the callbacks of a planet, but no subscription', () => {
    expect(judgeAnswer({ status: 204 }, CALLBACK)).toEqual({ ...DELIVERED, endsCallbacks: true })
    expect(judgeAnswer({ status: 204 }, SUBSCRIPTION)).toEqual(DELIVERED)
  })

  it('of 410 disables a subscription; a callback is retried', () => {
    expect(judgeAnswer({ status: 410 }, SUBSCRIPTION)).toEqual({ ...FAILED, isGone: true })
    expect(judgeAnswer({ status: 410 }, CALLBACK)).toEqual(RETRIED)
  })

  it('of any other status is retried', () =>
    eachRow(
      [
        100, 101, 199, 300, 301, 302, 303, 304, 307, 308, 399, 400, 401, 403, 404, 408, 409, 411, 418, 422, 429, 500,
        501, 502, 503, 504, 599,
      ],
      (status) => {
        expect(judgeAnswer({ status }, CALLBACK)).toEqual(RETRIED)
        expect(judgeAnswer({ status }, SUBSCRIPTION)).toEqual(RETRIED)
      },
    ))

  it('that did not come is retried', () => {
    expect(judgeAnswer({ error: 'Network connection lost.' }, CALLBACK)).toEqual(RETRIED)
    expect(judgeAnswer({ error: '' }, CALLBACK)).toEqual(RETRIED)
  })

  it('that is incomplete is retried, whatever its status, and ends nothing', () => {
    const error = 'no complete response within 10 seconds'
    expect(judgeAnswer({ status: 200, error }, CALLBACK)).toEqual(RETRIED)
    expect(judgeAnswer({ status: 204, error }, CALLBACK)).toEqual(RETRIED)
  })

  it('with Retry-After is honoured', () => {
    const next = judgeAnswer({ status: 503, retryAfter: '60' }, SUBSCRIPTION).nextAttemptAt
    expect(next).toEqual(later(60))
  })
})

describe('a next attempt', () => {
  it('follows the position of the delivery in the schedule', () => {
    expect(judgeAnswer({ status: 500 }, { ...CALLBACK, retries: 1 })).toEqual({ ...RETRIED, nextAttemptAt: later(100) })
  })

  it('is randomly earlier or later', () => {
    expect(judgeAnswer({ status: 500 }, CALLBACK, 0).nextAttemptAt).toEqual(later(8))
    expect(judgeAnswer({ status: 500 }, CALLBACK, 1).nextAttemptAt).toEqual(later(12))
  })

  it('is absent at the end of the schedule, whatever Retry-After says', () => {
    expect(judgeAnswer({ status: 500 }, { ...CALLBACK, retries: 2 })).toEqual(FAILED)
    expect(judgeAnswer({ status: 503, retryAfter: '60' }, { ...SUBSCRIPTION, retries: 2 })).toEqual(FAILED)
  })

  it('is absent for a URL that is forbidden', () => {
    const refused = { isRefused: true, error: 'the URL must lead to a public address' }
    expect(judgeAnswer(refused, CALLBACK)).toEqual(FAILED)
    expect(judgeAnswer({ ...refused, retryAfter: '60' }, SUBSCRIPTION)).toEqual(FAILED)
  })

  it('can be the last and succeed', () => {
    expect(judgeAnswer({ status: 200 }, { ...CALLBACK, retries: 2 })).toEqual(DELIVERED)
  })
})

describe('the log describes', () => {
  it('every cause of the end of an attempt', () =>
    eachRow(
      [
        [{ status: 200 }, undefined],
        [{ status: 204 }, undefined],
        [{ status: 299 }, undefined],
        [{ status: 199 }, 'the receiver returned 199'],
        [{ status: 300 }, 'the receiver returned 300'],
        [{ status: 301 }, 'the receiver returned 301; redirects are not followed'],
        [{ status: 302 }, 'the receiver returned 302; redirects are not followed'],
        [{ status: 303 }, 'the receiver returned 303; redirects are not followed'],
        [{ status: 304 }, 'the receiver returned 304'],
        [{ status: 307 }, 'the receiver returned 307; redirects are not followed'],
        [{ status: 308 }, 'the receiver returned 308; redirects are not followed'],
        [{ status: 399 }, 'the receiver returned 399'],
        [{ status: 400 }, 'the receiver returned 400'],
        [{ status: 410 }, 'the receiver returned 410'],
        [{ status: 503 }, 'the receiver returned 503'],
        [{ error: 'Network connection lost.' }, 'Network connection lost.'],
        [{ status: 200, error: 'no complete response within 10 seconds' }, 'no complete response within 10 seconds'],
        [{ status: 302, error: 'the line broke' }, 'the line broke'],
      ],
      ([changes, expected]) => {
        expect(explainFailure(attemptWith(changes))).toBe(expected)
      },
    ))
})
