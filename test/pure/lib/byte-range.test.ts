import { expect, it } from 'vitest'
import { parseByteRange } from '../../../src/lib/http.ts'
import { eachRow } from '../../support/each-row.ts'

it('of 100 bytes, a header requests what RFC 9110 says', () =>
  eachRow(
    [
      ['bytes=0-0', { offset: 0, length: 1 }],
      ['bytes=0-', { offset: 0, length: 100 }],
      ['BYTES = 10-19 ', { offset: 10, length: 10 }],
      ['bytes=99-99999999999999999999', { offset: 99, length: 1 }],
      ['bytes=-1', { offset: 99, length: 1 }],
      ['bytes=-100', { offset: 0, length: 100 }],
      ['bytes=-101', { offset: 0, length: 100 }],
      ['bytes=100-', 'unsatisfiable'],
      ['bytes=-0', 'unsatisfiable'],
      ['bytes=', 'whole'],
      ['bytes=-', 'whole'],
      ['bytes=5-4', 'whole'],
      ['bytes=0-1,3-4', 'whole'],
      ['bytes=1.5-2', 'whole'],
      ['items=0-1', 'whole'],
      ['', 'whole'],
    ],
    ([header, expected]) => {
      expect(parseByteRange(header, 100)).toEqual(expected)
    },
  ))

it('an empty file has no ranges', () => {
  expect(parseByteRange('bytes=0-', 0)).toBe('unsatisfiable')
  expect(parseByteRange('bytes=-5', 0)).toBe('unsatisfiable')
})
