import type { ShownResponse } from '../../src/design/shown-request.ts'
import { describeFault } from '../../src/domain/describe-fault.ts'
import type { Fault, ProblemCode } from '../../src/domain/problems.ts'

// Explains error responses to the user of a page.

/** A problem document (RFC 9457). */
interface Problem {
  /** The last segment of `type`; undefined if the response is no problem document of the service. */
  code: string | undefined
  detail: string
  faults: readonly Fault[]
}

export function readProblem({ status, text }: Pick<ShownResponse, 'status' | 'text'>): Problem {
  try {
    const { type = '', detail = `The status is ${status}.`, errors = [] } = JSON.parse(text)
    return { code: /\/problems\/([^/]+)$/.exec(type)?.[1], detail, faults: errors }
  } catch {
    return { code: undefined, detail: `The service responded with status ${status}.`, faults: [] }
  }
}

/**
 * What to do about a problem, by its code. A key that ends in a pointer (RFC 6901) is for a problem with a fault of
 * that member, and goes before the key of the code alone.
 */
export const ADVICE = {
  'not-found': 'Go back and choose another one.',
  conflict: 'Look at what is there now, then try again.',
  'conflict/email': 'Sign in instead.',
  'signup-closed': 'You can sign in if you have an account.',
  'account-suspended': 'Until then, use another account.',
  'account-limit-reached': 'Delete something, then try again.',
  'universe-limit': 'Delete something, or reset the universe, then try again.',
  'universes-off': 'Ask the operator, or run Galaxy yourself.',
  'universe-ended': 'Make a new universe.',
  'insufficient-scope': 'Use a token or an API key that has this scope.',
  forbidden: 'This account may not do this. Use another account.',
  'forbidden/password': 'Correct the password, then try again.',
  'forbidden/currentPassword': 'Correct the password, then try again.',
} as const satisfies Partial<Record<ProblemCode | `${ProblemCode}/${string}`, string>>

const ADVICE_BY_KEY: ReadonlyMap<string, string> = new Map(Object.entries(ADVICE))

/** What the advice on a 429 says if the response does not say how long to wait. */
const WAIT_SECONDS_DEFAULT = '60'

/** Problems whose detail is sufficient. Their faults only repeat it for programs. */
const WITHOUT_FAULTS: readonly (string | undefined)[] = ['conflict', 'forbidden'] satisfies ProblemCode[]

/** What is wrong, as sentences: the detail, and the faults if they say more. */
export function describeProblem({ code, detail, faults }: Problem): string {
  if (WITHOUT_FAULTS.includes(code)) return detail
  return [detail, ...faults.map(describeFault)].join(' ')
}

export function adviseOn(response: Pick<ShownResponse, 'status' | 'text' | 'headers'>): string {
  const { status } = response
  if (status === 401) return 'Sign in again. What you have done is kept.'
  if (status === 429) {
    const seconds = readRetryAfter(response) ?? WAIT_SECONDS_DEFAULT
    return `Wait ${seconds} seconds, then try again.`
  }
  if (status >= 500) return 'This is a fault of the service. Try again in a moment.'
  const { code = '', faults } = readProblem(response)
  const keys = [...faults.map(({ pointer }) => code + pointer), code]
  const advice = keys.map((key) => ADVICE_BY_KEY.get(key)).find((text) => text !== undefined)
  return advice ?? 'Change what you sent, then try again.'
}

/** How many seconds to wait before the next call; undefined if the service does not say it. */
export function readRetryAfter({ headers }: Pick<ShownResponse, 'headers'>): string | undefined {
  return headers.find(([name]) => name === 'retry-after')?.[1]
}
