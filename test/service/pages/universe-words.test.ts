import { describe, expect, it } from 'vitest'
import { describeEnd } from '../../../browser/universe/end-words.ts'

const CREATED = '2026-01-15T12:00:00.000Z'

const describeAt = (expiresAt: string, isFixed: boolean) =>
  describeEnd({ createdAt: CREATED, expiresAt }, isFixed, Date.parse(CREATED))

describe('a universe', () => {
  it.each([
    ['2026-01-15T12:00:30.000Z', 'ends in 1 minute, unless it is used.'],
    ['2026-01-15T13:30:00.000Z', 'ends in 90 minutes, unless it is used.'],
    ['2026-01-16T11:59:00.000Z', 'ends in 24 hours, unless it is used.'],
    ['2026-01-18T12:00:00.000Z', 'ends in 3 days, unless it is used.'],
    // Nothing can move it beyond seven days.
    ['2026-01-22T12:00:00.000Z', 'ends in 7 days.'],
    ['2026-01-15T12:00:00.000Z', 'has ended.'],
  ])('that ends at %s "%s"', (expiresAt, words) => {
    expect(describeAt(expiresAt, false)).toBe(words)
  })

  it.each([
    ['2026-01-15T13:30:00.000Z', 'ends in 90 minutes.'],
    ['2026-01-22T12:00:00.000Z', 'ends in 7 days.'],
    ['2026-01-15T12:00:00.000Z', 'has ended.'],
  ])('whose owner has fixed its end at %s "%s"', (expiresAt, words) => {
    expect(describeAt(expiresAt, true)).toBe(words)
  })
})
