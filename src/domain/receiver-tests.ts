// Tests of a receiver: calls that are right in an unusual way, or wrong in one, and what the receiver should answer.

/** What a call should be answered with: `accept` 2xx, `refuse` 4xx (but not 408 or 429), `either` any of both. */
export type Expectation = 'accept' | 'refuse' | 'either'

/** What tests expect. If a test has two calls, this is what its first one expects. */
export const TEST_EXPECTATIONS = ['accept', 'refuse'] as const

interface TestSpec {
  expected: (typeof TEST_EXPECTATIONS)[number]
  /** The call that follows if the first one was accepted. */
  second?: { expected: Expectation; afterSeconds: number }
}

/** Registry: the tests, by what is wrong or unusual, in the order of a check. docs/callbacks.md describes each. */
export const TESTS = {
  none: { expected: 'accept' },
  'second-signature': { expected: 'accept' },
  pretty: { expected: 'accept' },
  unicode: { expected: 'accept' },
  retried: { expected: 'accept', second: { expected: 'accept', afterSeconds: 1 } },
  replayed: { expected: 'accept', second: { expected: 'either', afterSeconds: 0 } },
  unsigned: { expected: 'refuse' },
  'wrong-secret': { expected: 'refuse' },
  'body-changed': { expected: 'refuse' },
  'id-changed': { expected: 'refuse' },
  'time-changed': { expected: 'refuse' },
  stale: { expected: 'refuse' },
  future: { expected: 'refuse' },
  hex: { expected: 'refuse' },
  truncated: { expected: 'refuse' },
  'unknown-version': { expected: 'refuse' },
} as const satisfies Record<string, TestSpec>

export type Defect = keyof typeof TESTS

/** In the order of a check. */
export const DEFECTS = Object.keys(TESTS) as [Defect, ...Defect[]]

/** The test of a defect, with the members that only some tests have. */
export function testOf(defect: Defect): TestSpec {
  return TESTS[defect]
}

/** What a call of a test expects. @param isSecond Whether it is the second of two calls */
export function expectationOf(defect: Defect, isSecond: boolean): Expectation {
  const { expected, second } = testOf(defect)
  return isSecond && second ? second.expected : expected
}

/** Whether a receiver is right with one test. */
export const TEST_VERDICTS = ['right', 'wrong'] as const
export type TestVerdict = (typeof TEST_VERDICTS)[number]

/** What a check says of a defect. `not-sent`: the check ended before. */
export const CHECK_VERDICTS = [...TEST_VERDICTS, 'skipped', 'not-sent'] as const

/** What a check knows of one defect, as it is stored. */
export interface CheckResult {
  defect: Defect
  /** Null as long as it was neither sent nor given up. */
  verdict: (typeof CHECK_VERDICTS)[number] | null
  /** Null if the verdict is null or `right`. */
  reason: string | null
  /** The status of each call; null where no answer came. */
  statuses: (number | null)[]
  /** Null if nothing was sent. */
  deliveryId: number | null
}

const DUE: Readonly<Record<Expectation, string>> = {
  accept: 'a 2xx',
  refuse: 'a 4xx other than 408 and 429',
  either: 'a 2xx, or a 4xx other than 408 and 429,',
}

/** The answer to a call, or why there is none. */
export interface Answer {
  /** Undefined if there is none. There can be one although the answer is not complete. */
  status: number | undefined
  /** Why there is no complete answer; undefined if there is one. */
  error: string | undefined
}

/** The status of a complete answer. Otherwise undefined: what breaks off is no answer. */
export function statusOf({ status, error }: Answer): number | undefined {
  return error === undefined ? status : undefined
}

/**
 * What is wrong with the answer to a call. A status of 408 or 429 refuses anything, and is no judgement.
 *
 * @returns What came and what was due; undefined if the answer is right
 */
export function findFault(answer: Answer, expected: Expectation): string | undefined {
  const due = `${DUE[expected]} was due`
  const status = statusOf(answer)
  if (status === undefined) return `There was no answer (${answer.error ?? 'none came'}). ${capitalise(due)}.`
  const accepts = status >= 200 && status < 300
  const refuses = status >= 400 && status < 500 && status !== 408 && status !== 429
  const isRight = { accept: accepts, refuse: refuses, either: accepts || refuses }[expected]
  return isRight ? undefined : `The receiver returned ${status}. ${capitalise(due)}.`
}

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
