import { describe, expect, it } from 'vitest'
import { badgeOf, explainDelivery, pollDelay } from '../../../browser/account/delivery-words.ts'
import { hashOf, parseSelection } from '../../../browser/account/selection.ts'
import { findInboxId } from '../../../browser/lib/inbox-store.ts'
import { type ListPage, readNewest, type Slice, sliceOfPage } from '../../../browser/lib/newest.ts'

// The parts of the account page that need no browser.

const NOW = new Date('2026-01-15T14:30:00.000Z')
const SOON = '2026-01-15T14:30:05.000Z'
const TOMORROW = '2026-01-16T14:30:00.000Z'
const ID = '4b1d7a3c-9b0e-4f62-8d1c-7b5a3e9f0d24'

describe('a delivery is explained', () => {
  const explain = (delivery: Parameters<typeof explainDelivery>[0]) => explainDelivery(delivery, NOW, (at) => `(${at})`)
  const attempt = { startedAt: NOW.toISOString(), durationMs: 10_000 }
  const silence = { ...attempt, error: 'no complete response within 10 seconds' }

  it('if the receiver never answers', () => {
    const text = explain({ status: 'pending', nextAttemptAt: SOON, attempts: [silence, silence] })
    expect(text).toBe(
      `2 attempts failed: no complete response within 10 seconds. Check that the receiver runs, and that it responds within 10 seconds. The next attempt is due at (${SOON}).`,
    )
  })

  it('if the receiver refuses it', () => {
    const refusal = { ...attempt, status: 503, error: 'the receiver returned 503' }
    const text = explain({ status: 'pending', nextAttemptAt: SOON, attempts: [refusal] })
    expect(text).toBe(`The first attempt failed: the receiver returned 503. The next attempt is due at (${SOON}).`)
  })

  it('before its first attempt, in a line, and at its end', () => {
    expect(explain({ status: 'pending', nextAttemptAt: NOW.toISOString(), attempts: [] })).toBe(
      'An attempt is due now.',
    )
    expect(explain({ status: 'pending', waitingSince: SOON, attempts: [] })).toMatch(/has been waiting since/)
    expect(explain({ status: 'delivered', attempts: [attempt] })).toBe('The receiver accepted it.')
    expect(explain({ status: 'failed', attempts: [silence] })).toMatch(/no further attempt/)
    expect(explain({ status: 'cancelled', attempts: [] })).toMatch(/no longer wanted/)
  })
})

it('the badge of a test is about its verdict, and that of any other delivery about its status', () => {
  const refused = { defect: 'unsigned', expected: 'refuse', reason: null } as const
  const badge = (word: string, tone: string) => ({ word, tone })
  expect(badgeOf({ status: 'failed' })).toEqual(badge('failed', 'bad'))
  expect(badgeOf({ status: 'failed', test: { ...refused, verdict: 'right' } })).toEqual(badge('right', 'good'))
  expect(badgeOf({ status: 'delivered', test: { ...refused, verdict: 'wrong' } })).toEqual(badge('wrong', 'bad'))
  expect(badgeOf({ status: 'pending', test: { ...refused, verdict: null } })).toEqual(badge('pending', 'warn'))
  expect(badgeOf({ status: 'cancelled', test: { ...refused, verdict: null } })).toEqual(badge('cancelled', ''))
})

it('deliveries are read again soon if an attempt is near, later if it is far, and not if all have ended', () => {
  expect(pollDelay([{ status: 'delivered' }, { status: 'pending', nextAttemptAt: SOON }], NOW)).toBe(2_000)
  expect(pollDelay([{ status: 'pending', waitingSince: SOON }], NOW)).toBe(2_000)
  expect(pollDelay([{ status: 'pending', nextAttemptAt: TOMORROW }], NOW)).toBe(15_000)
  expect(pollDelay([{ status: 'delivered' }, { status: 'failed' }], NOW)).toBeUndefined()
})

describe('a log is read from its newest item', () => {
  it.each([
    { total: 0, page: 1, slice: { offset: 0, limit: 20 } },
    { total: 20, page: 1, slice: { offset: 0, limit: 20 } },
    { total: 45, page: 1, slice: { offset: 25, limit: 20 } },
    { total: 45, page: 2, slice: { offset: 5, limit: 20 } },
    { total: 45, page: 3, slice: { offset: 0, limit: 5 } },
    { total: 45, page: 9, slice: { offset: 0, limit: 5 } },
  ])('page $page of $total items', ({ total, page, slice }) => {
    expect(sliceOfPage(total, page, 20)).toEqual(slice)
  })

  it('also if it has grown since it was last read', async () => {
    const list = Array.from({ length: 45 }, (_, index) => index + 1)
    const asked: Slice[] = []
    const read = async (slice: Slice): Promise<ListPage<number>> => {
      asked.push(slice)
      const { offset, limit } = slice
      return { data: list.slice(offset, offset + limit), meta: { total: list.length, next: null } }
    }
    const first = await readNewest(read, { page: 1, size: 20, expected: 0 })
    expect([first.items[0], first.items.at(-1), asked.length]).toEqual([45, 26, 2])
    const again = await readNewest(read, { page: 3, size: 20, expected: first.total })
    expect([again.items, asked.length]).toEqual([[5, 4, 3, 2, 1], 3])
  })
})

describe('the fragment of the URL', () => {
  it('leads to a section, and to one thing in it', () => {
    expect(parseSelection('#keys')).toMatchObject({ section: 'keys', id: undefined })
    expect(parseSelection(hashOf('deliveries', '12'))).toMatchObject({ section: 'deliveries', id: '12' })
    const hash = hashOf('deliveries', '', { status: 'failed', event: '' })
    expect(hash).toBe('#deliveries?status=failed')
    expect(parseSelection(hash)?.query.get('status')).toBe('failed')
  })

  it.each([
    ['deliveries', '12', '12'],
    ['deliveries', '..', undefined],
    ['deliveries', '%2e%2e', undefined],
    ['deliveries', '12x', undefined],
    ['deliveries', ID, undefined],
    ['inboxes', ID, ID],
    ['inboxes', ID.toUpperCase(), ID],
    ['inboxes', `${ID}x`, undefined],
    ['inboxes', '..', undefined],
    ['inboxes', '12', undefined],
    ['keys', '12', undefined],
  ] as const)('of %s with %j opens %j', (section, id, opened) => {
    expect(parseSelection(`#${section}/${id}`)).toMatchObject({ section, id: opened })
  })

  it.each(['', '#main', '#toString', '#<script>'])('leads nowhere if it is %j', (hash) => {
    expect(parseSelection(hash)).toBeUndefined()
  })
})

it('an inbox is found by its URL or its id', () => {
  expect(findInboxId(`http://localhost:8787/inboxes/${ID}/callbacks?x=1`)).toBe(ID)
  expect(findInboxId(` ${ID.toUpperCase()} `)).toBe(ID)
  expect(findInboxId('http://localhost:8787/inboxes/mine')).toBeUndefined()
})
