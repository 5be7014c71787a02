import { expect, it } from 'vitest'
import { CallFailed } from '../../../browser/lib/api.ts'
import { delayAfter } from '../../../browser/lib/retry-delay.ts'

const DELAY_MS = 2_000

function refusal(...headers: [string, string][]): CallFailed {
  return new CallFailed('', '', { status: 429, headers, text: '', milliseconds: 0 })
}

it.each([
  ['a success', undefined, 0, DELAY_MS],
  ['a refusal that says how long', refusal(['retry-after', '37']), 1, 37_000],
  ['a refusal that says how long, again', refusal(['retry-after', '37']), 5, 37_000],
  ['a refusal that says less than the usual wait', refusal(['retry-after', '0']), 1, DELAY_MS],
  ['a refusal', refusal(), 1, 4_000],
  ['two failures without a response', new CallFailed('', ''), 2, 8_000],
  ['many failures', refusal(), 50, 60_000],
  ['a fault of the page', new TypeError('data is undefined'), 1, undefined],
] as const)('after %s', (_, error, failures, expected) => {
  expect(delayAfter(error, failures, DELAY_MS)).toBe(expected)
})
