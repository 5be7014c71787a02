import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDateTime, parseMoment } from '../../../src/lib/time.ts'
import { dateTimes } from '../../support/date-times.ts'
import { eachRow } from '../../support/each-row.ts'

it('a time is accepted in every form of RFC 3339', () =>
  eachRow(
    [
      ['the usual form', '1610-01-07T00:00:00Z'],
      ['lower-case letters', '1610-01-07t00:00:00z'],
      ['the first year', '0000-01-01T00:00:00Z'],
      ['the last second', '9999-12-31T23:59:59Z'],
      ['a fraction of one digit', '2024-01-01T00:00:00.5Z'],
      ['a fraction longer than any clock measures', '2024-01-01T00:00:00.123456789012345678901234567890Z'],
      ['an offset ahead of UTC', '2024-01-01T00:00:00+14:00'],
      ['an offset behind UTC', '2024-01-01T00:00:00-09:30'],
      ['the offset of an unknown place', '2024-01-01T00:00:00-00:00'],
      ['the widest offset', '2024-01-01T00:00:00+23:59'],
      ['29 February of a leap year', '2024-02-29T12:00:00Z'],
      ['29 February of a leap century', '2000-02-29T12:00:00Z'],
      ['the last day of a long month', '2024-12-31T12:00:00Z'],
      ['the last day of a short month', '2024-04-30T12:00:00Z'],
      ['a leap second', '2016-12-31T23:59:60Z'],
      ['a leap second with a fraction', '2016-12-31T23:59:60.999Z'],
      ['a leap second as seen east of Greenwich', '2017-01-01T05:29:60+05:30'],
      ['a leap second as seen west of Greenwich', '2016-12-31T15:59:60-08:00'],
    ],
    ([, text]) => {
      expect(isDateTime(text)).toBe(true)
    },
  ))

it('anything else is rejected', () =>
  eachRow(
    [
      ['nothing', ''],
      ['a word', 'yesterday'],
      ['a date alone', '2024-01-01'],
      ['a time alone', '00:00:00Z'],
      ['no offset', '2024-01-01T00:00:00'],
      ['no seconds', '2024-01-01T00:00Z'],
      ['a space for the T', '2024-01-01 00:00:00Z'],
      ['the basic form of ISO 8601', '20240101T000000Z'],
      ['a week date', '2024-W01-1T00:00:00Z'],
      ['a year of two digits', '24-01-01T00:00:00Z'],
      ['a year of five digits', '12024-01-01T00:00:00Z'],
      ['a year with a sign', '+2024-01-01T00:00:00Z'],
      ['a month of one digit', '2024-1-01T00:00:00Z'],
      ['a month before the first', '2024-00-01T00:00:00Z'],
      ['a month after the last', '2024-13-01T00:00:00Z'],
      ['a day before the first', '2024-01-00T00:00:00Z'],
      ['a day after the last of a long month', '2024-01-32T00:00:00Z'],
      ['a day after the last of a short month', '2024-04-31T00:00:00Z'],
      ['29 February of a common year', '2023-02-29T00:00:00Z'],
      ['29 February of a common century', '1900-02-29T00:00:00Z'],
      ['30 February', '2024-02-30T00:00:00Z'],
      ['hour 24', '2024-01-01T24:00:00Z'],
      ['minute 60', '2024-01-01T00:60:00Z'],
      ['second 61', '2016-12-31T23:59:61Z'],
      ['a leap second that is not at the end of a day', '2016-12-31T12:00:60Z'],
      ['a leap second at the end of a local day only', '2016-12-31T23:59:60+05:30'],
      ['a fraction without digits', '2024-01-01T00:00:00.Z'],
      ['a comma before the fraction', '2024-01-01T00:00:00,5Z'],
      ['an offset of 24 hours', '2024-01-01T00:00:00+24:00'],
      ['an offset of 60 minutes', '2024-01-01T00:00:00+01:60'],
      ['an offset without a colon', '2024-01-01T00:00:00+0100'],
      ['an offset without minutes', '2024-01-01T00:00:00+01'],
      ['a space before it', ' 2024-01-01T00:00:00Z'],
      ['a line end after it', '2024-01-01T00:00:00Z\n'],
      ['digits of another script', '٢٠٢٤-01-01T00:00:00Z'],
    ],
    ([, text]) => {
      expect(isDateTime(text)).toBe(false)
    },
  ))

describe('a date-time as a time', () => {
  it('is read as the moment that it names', () =>
    eachRow(
      [
        ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00.000Z'],
        ['2030-01-01t00:00:00z', '2030-01-01T00:00:00.000Z'],
        ['2030-01-01T00:00:00.5+05:30', '2029-12-31T18:30:00.500Z'],
        ['2030-01-01T00:00:00.123456789012345678901234567890-09:30', '2030-01-01T09:30:00.123Z'],
        ['2030-01-01T00:00:00-00:00', '2030-01-01T00:00:00.000Z'],
        ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
        ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59.000Z'],
        ['9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z'],
        ['9999-12-31T23:59:59+00:01', '9999-12-31T23:58:59.000Z'],
      ],
      ([text, moment]) => {
        expect(parseMoment(text)?.toISOString()).toBe(moment)
      },
    ))

  it('is rejected if it names none', () =>
    eachRow(
      [
        ['a leap second', '2016-12-31T23:59:60Z'],
        ['a leap second of tomorrow', '2030-12-31T23:59:60Z'],
        ['after the year 9999', '9999-12-31T23:59:59-00:01'],
        ['a day after the year 9999', '9999-12-31T23:59:59-23:59'],
        ['before the year 0', '0000-01-01T00:00:00+00:01'],
        ['a day before the year 0', '0000-01-01T00:00:00+23:59'],
        ['a day that its month does not have', '2030-02-29T00:00:00Z'],
        ['a form that engines read, but RFC 3339 does not allow', '+002030-01-01T00:00:00Z'],
        ['a date alone', '2030-01-01'],
        ['a word', 'tomorrow'],
      ],
      ([, text]) => {
        expect(parseMoment(text)).toBeUndefined()
      },
    ))

  it('is any that a Date can be written as, and no other', () => {
    fc.assert(
      fc.property(dateTimes(), (text) => {
        const written = parseMoment(text)?.toISOString()
        if (written === undefined) return
        expect(isDateTime(text)).toBe(true)
        expect(isDateTime(written)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})
