import { type Defect, type Expectation, testOf } from '../../src/domain/receiver-tests.ts'
import type { DeliveryDetail } from '../../src/schemas/delivery.ts'

/** What is unusual or wrong about each test, in a few words. */
export const DEFECT_WORDS: Readonly<Record<Defect, string>> = {
  none: 'a right call',
  'second-signature': 'a second signature before the right one',
  pretty: 'the body with indentation',
  unicode: 'characters outside ASCII, and escapes',
  retried: 'a right call, and a retry',
  replayed: 'a right call, and the same bytes again',
  unsigned: 'no signature',
  'wrong-secret': 'a signature with another secret',
  'body-changed': 'the body changed after signing',
  'id-changed': 'another id after signing',
  'time-changed': 'another time after signing',
  stale: 'the time of ten minutes ago',
  future: 'the time in ten minutes',
  hex: 'the signature in hexadecimal digits',
  truncated: 'only the beginning of the signature',
  'unknown-version': 'the signature under an unknown version',
}

const EXPECTATIONS: Readonly<Record<Expectation, string>> = {
  accept: '2xx',
  refuse: '4xx, but not 408 or 429',
  either: '2xx or 4xx, but not 408 or 429',
}

/** What the receiver should answer, for each call of a test. */
export function describeExpected(defect: Defect): string {
  const { expected, second } = testOf(defect)
  return [expected, ...(second ? [second.expected] : [])].map((each) => EXPECTATIONS[each]).join(', then ')
}

/** What the receiver answered, for each call that was made. */
export function describeAnswers(attempts: DeliveryDetail['attempts']): string {
  if (attempts.length === 0) return 'nothing yet'
  return attempts.map(({ status, error }) => String(status ?? `no response (${error})`)).join(', then ')
}

/** What a test has found out, in a sentence. */
export function describeVerdict({ test, status }: Pick<DeliveryDetail, 'test' | 'status'>): string {
  if (status === 'cancelled') return 'The test was cancelled.'
  if (!test?.verdict) return 'The receiver is being called.'
  return test.verdict === 'right' ? 'The receiver is right.' : `The receiver is wrong. ${test.reason ?? ''}`
}
