import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseRetryTime, type RetryFacts } from '../../../../src/features/callbacks/decide-next.ts'
import { eachRow } from '../../../support/each-row.ts'
import { aText } from '../../../support/texts.ts'

// When a receiver that has failed is called again.

const NOW = new Date('2026-01-15T12:00:00Z')
const STANDARD = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
const SIX_HOURS = 6 * 60 * 60

/** Seconds until the next attempt; undefined if there is none. */
function secondsUntil(facts: Partial<RetryFacts>): number | undefined {
  const next = chooseRetryTime({ schedule: STANDARD, retries: 0, retryAfter: null, now: NOW, random: 0.5, ...facts })
  return next && (next.getTime() - NOW.getTime()) / 1000
}

const aRandom = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
const aSchedule = fc.array(fc.integer({ min: 1, max: 604_800 }), { minLength: 1, maxLength: 20 })

describe('the schedule', () => {
  it('is used once, in its order, and then there is no further attempt', () => {
    const waits = STANDARD.map((_, retries) => secondsUntil({ retries }))
    expect(waits).toEqual(STANDARD)
    expect(secondsUntil({ retries: STANDARD.length })).toBeUndefined()
    expect(secondsUntil({ retries: STANDARD.length + 1 })).toBeUndefined()
  })

  it('has no further attempt at its end, even if the receiver requests one', () => {
    expect(secondsUntil({ schedule: [1], retries: 1, retryAfter: '60' })).toBeUndefined()
  })

  it('is varied by a fifth at random', () =>
    eachRow(
      [
        [0, 80],
        [0.25, 90],
        [0.5, 100],
        [0.75, 110],
        [0.999, 119.96],
      ],
      ([random, expected]) => {
        expect(secondsUntil({ schedule: [100], random })).toBe(expected)
      },
    ))

  it('stays within a fifth, whatever it is', () => {
    fc.assert(
      fc.property(aSchedule, aRandom, (schedule, random) => {
        for (const [retries, delay] of schedule.entries()) {
          const wait = secondsUntil({ schedule, retries, random }) ?? Number.NaN
          expect(wait).toBeGreaterThanOrEqual(delay * 0.8 - 0.001)
          expect(wait).toBeLessThanOrEqual(delay * 1.2 + 0.001)
        }
      }),
    )
  })

  it('spreads the retries of attempts that failed together', () => {
    const waits = Array.from({ length: 50 }, (_, index) => secondsUntil({ schedule: [100], random: index / 50 }))
    expect(new Set(waits).size).toBe(50)
  })
})

describe('Retry-After', () => {
  // With a schedule of 100 seconds.
  it('is as long as the receiver asks for, within its limits', () =>
    eachRow(
      [
        ['seconds more than the schedule has', '120', 120],
        ['as many seconds as the schedule has', '100', 100],
        ['a second more', '101', 101],
        ['fewer seconds than the schedule has', '99', 100],
        ['one second', '1', 100],
        ['none', '0', 100],
        ['zeros before the number', '000120', 120],
        ['spaces around it', '  120\t', 120],
        ['an hour', '3600', 3600],
        ['six hours', '21600', SIX_HOURS],
        ['a second over six hours', '21601', SIX_HOURS],
        ['a day', '86400', SIX_HOURS],
        ['more digits than a number can have', '9'.repeat(400), SIX_HOURS],
        ['a date in two minutes', 'Thu, 15 Jan 2026 12:02:00 GMT', 120],
        ['a date in six hours', 'Thu, 15 Jan 2026 18:00:00 GMT', SIX_HOURS],
        ['a date in a year', 'Fri, 15 Jan 2027 12:00:00 GMT', SIX_HOURS],
        ['a date that is now', 'Thu, 15 Jan 2026 12:00:00 GMT', 100],
        ['a date that is past', 'Wed, 14 Jan 2026 12:00:00 GMT', 100],
        ['a date long past', 'Thu, 01 Jan 1970 00:00:00 GMT', 100],
        ['nothing', '', 100],
        ['spaces', '   ', 100],
        ['a negative number', '-120', 100],
        ['a signed number', '+120', 100],
        ['a fraction', '120.5', 100],
        ['a fraction without a whole', '.5', 100],
        ['an exponent', '1e3', 100],
        ['a hexadecimal number', '0x1000', 100],
        ['a unit', '120s', 100],
        ['two numbers', '120, 240', 100],
        ['two numbers with a space', '120 240', 100],
        ['a grouped number', '1,200', 100],
        ['digits of another script', '١٢٠', 100],
        ['a word', 'soon', 100],
        ['Infinity', 'Infinity', 100],
        ['NaN', 'NaN', 100],
        ['a date of RFC 3339', '2026-01-15T12:02:00Z', 100],
        ['a date alone', '2026-01-16', 100],
        ['a year alone, which is seconds', '2026', 2026],
        ['a date without its zone', 'Thu, 15 Jan 2026 12:02:00', 100],
        ['a date in another zone', 'Thu, 15 Jan 2026 12:02:00 +0100', 100],
        ['a date without its day of the week', '15 Jan 2026 12:02:00 GMT', 100],
        ['an invalid month', 'Thu, 15 Foo 2026 12:02:00 GMT', 100],
        ['a day that does not exist', 'Fri, 31 Feb 2026 12:02:00 GMT', 100],
        ['two digits of a year that is past', 'Friday, 15-Jan-77 12:02:00 GMT', 100],
        ['two digits of a year that is not', 'Wednesday, 15-Jan-75 12:02:00 GMT', SIX_HOURS],
        ['an invalid hour', 'Thu, 15 Jan 2026 25:02:00 GMT', 100],
        ['a date followed by text', 'Thu, 15 Jan 2026 12:02:00 GMT; please', 100],
        ['a date preceded by text', 'at Thu, 15 Jan 2026 12:02:00 GMT', 100],
      ],
      ([, retryAfter, expected]) => {
        expect(secondsUntil({ schedule: [100], retryAfter })).toBe(expected)
      },
    ))

  it.each([
    ['RFC 850', 'Thursday, 15-Jan-26 12:02:00 GMT'],
    ['asctime', 'Thu Jan 15 12:02:00 2026'],
    ['asctime, with a leap second', 'Thu Jan 15 12:01:60 2026'],
  ])('is parsed in the old format of %s, as RFC 9110, section 5.6.7 requires', (_, retryAfter) => {
    expect(secondsUntil({ schedule: [100], retryAfter })).toBe(120)
  })

  it('is always honoured within six hours, and never causes a longer wait than that or the schedule', () => {
    const wanted = fc.integer({ min: 0, max: 100_000 })
    fc.assert(
      fc.property(
        wanted,
        aRandom,
        fc.nat({ max: STANDARD.length - 1 }),
        fc.boolean(),
        (seconds, random, retries, asDate) => {
          const retryAfter = asDate ? new Date(NOW.getTime() + seconds * 1000).toUTCString() : String(seconds)
          const wait = secondsUntil({ retryAfter, random, retries }) ?? Number.NaN
          const undisturbed = secondsUntil({ random, retries }) ?? Number.NaN
          expect(wait).toBe(Math.max(undisturbed, Math.min(seconds, SIX_HOURS)))
        },
      ),
    )
  })

  it('ignores invalid values', () => {
    const junk = aText.filter((text) => !/^\d+$/.test(text.trim()))
    fc.assert(fc.property(junk, (retryAfter) => secondsUntil({ retryAfter }) === 5))
  })

  it('counts from the clock, including fractions of a second', () => {
    const now = new Date(NOW.getTime() + 250)
    const next = chooseRetryTime({
      schedule: [1],
      retries: 0,
      retryAfter: 'Thu, 15 Jan 2026 12:02:00 GMT',
      now,
      random: 0.5,
    })
    expect(next).toEqual(new Date('2026-01-15T12:02:00Z'))
  })
})
