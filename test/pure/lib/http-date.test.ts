import { describe, expect, it } from 'vitest'
import { parseHttpDate } from '../../../src/lib/http-date.ts'
import { eachRow } from '../../support/each-row.ts'

const NOW = new Date('2026-11-27T12:00:00Z')
const parse = (text: string, now = NOW) => {
  const milliseconds = parseHttpDate(text, now)
  return milliseconds === undefined ? undefined : new Date(milliseconds).toISOString().replace('.000Z', 'Z')
}

describe('an HTTP-date', () => {
  it('is read in each of its forms', () =>
    eachRow(
      [
        ['the example of IMF-fixdate', 'Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37Z'],
        ['the example of RFC 850', 'Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37Z'],
        ['the example of asctime', 'Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37Z'],
        ['asctime with two digits of the day', 'Wed Nov 16 08:49:37 1994', '1994-11-16T08:49:37Z'],
        ['a leap day', 'Thu, 29 Feb 2024 00:00:00 GMT', '2024-02-29T00:00:00Z'],
        ['a leap second', 'Sat, 31 Dec 2016 23:59:60 GMT', '2017-01-01T00:00:00Z'],
        ['a year below 100', 'Sun, 06 Nov 0094 08:49:37 GMT', '0094-11-06T08:49:37Z'],
        ['another day of the week', 'Mon, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37Z'],
      ],
      ([, text, expected]) => {
        expect(parse(text)).toBe(expected)
      },
    ))

  it('with two digits of the year is read as the nearest year that is at most 50 years ahead', () =>
    eachRow(
      [
        ['50 years in the future', 'Friday, 27-Nov-76 12:00:00 GMT', NOW, '2076-11-27T12:00:00Z'],
        ['a second more than that', 'Friday, 27-Nov-76 12:00:01 GMT', NOW, '1976-11-27T12:00:01Z'],
        [
          'a day before that, which JavaScript takes as past',
          'Thursday, 26-Nov-60 12:00:00 GMT',
          NOW,
          '2060-11-26T12:00:00Z',
        ],
        ['this year', 'Thursday, 01-Jan-26 00:00:00 GMT', NOW, '2026-01-01T00:00:00Z'],
        [
          'the next century',
          'Thursday, 01-Jan-10 00:00:00 GMT',
          new Date('2090-01-01T00:00:00Z'),
          '2110-01-01T00:00:00Z',
        ],
        [
          'the end of a century',
          'Thursday, 01-Jan-99 00:00:00 GMT',
          new Date('2050-06-01T00:00:00Z'),
          '2099-01-01T00:00:00Z',
        ],
      ],
      ([, text, now, expected]) => {
        expect(parse(text, now)).toBe(expected)
      },
    ))

  it('is not read in any other form', () =>
    eachRow(
      [
        '',
        'Sun, 6 Nov 1994 08:49:37 GMT',
        'Sun, 06 Nov 94 08:49:37 GMT',
        'Sun, 06 Nov 1994 08:49:37 UTC',
        'Sun, 06 Nov 1994 08:49:37 +0000',
        'Sun, 06 Nov 1994 08:49:37',
        'sun, 06 nov 1994 08:49:37 gmt',
        'Sun, 06 Nov 1994 8:49:37 GMT',
        'Sun, 06 Nov 1994 08:49 GMT',
        'Sun, 00 Nov 1994 08:49:37 GMT',
        'Sun, 31 Nov 1994 08:49:37 GMT',
        'Tue, 29 Feb 2023 08:49:37 GMT',
        'Sun, 06 Nov 1994 24:00:00 GMT',
        'Sun, 06 Nov 1994 08:60:37 GMT',
        'Sun, 06 Nov 1994 08:49:61 GMT',
        'Sun, 06-Nov-94 08:49:37 GMT',
        'Sunday, 06-Nov-1994 08:49:37 GMT',
        'Sunday, 06 Nov 1994 08:49:37 GMT',
        'Noday, 06-Nov-94 08:49:37 GMT',
        'Sun Nov 6 08:49:37 1994',
        'Sun Nov 06 08:49:37 1994 GMT',
        'Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT',
        '1994-11-06T08:49:37Z',
      ],
      (text) => {
        expect(parse(text)).toBeUndefined()
      },
    ))

  it('is not there if the header is missing', () => {
    expect(parseHttpDate(null, NOW)).toBeUndefined()
  })
})
