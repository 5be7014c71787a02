import type { LabStep, Outcome } from './case.ts'

// The scripts of the cases `retry/…`: what they answer, and what a client has shown after its requests. Only lower
// bounds of times are judged, because the machines of CI are slow.

/** How long after its last request a case of `retry` begins anew, in milliseconds. */
export const RETRY_MEMORY_MS = 60_000
/** How many requests of such a case are kept. A further one replaces the last of them. */
export const RETRY_STEPS_MAX = 4

export interface ScriptAnswer {
  /** `lost`: the connection breaks before the first byte. */
  status: number | 'lost'
  headers?: Readonly<Record<string, string>>
}

export interface Script {
  /** The method of the request that begins the case anew, if it is not the first one of the case. */
  first?: 'GET'
  /** Whether all requests need the same Idempotency-Key. */
  comparesKeys?: true
  /** What the Retry-After of an answer names; absent if answers have none. Takes and returns milliseconds since 1970. */
  dueAt?(now: number): number
  /** The answer to the last of the steps, which do not contain the one that begins the case. */
  answer(steps: readonly LabStep[]): ScriptAnswer
  /** What the client has shown with requests that are right, each by itself. */
  outcomeOf(steps: readonly LabStep[]): Outcome
}

const say = (verdict: Outcome['verdict'], reason: string | null = null): Outcome => ({ verdict, reason, at: null })

const NO_RETRY = say('info', 'no retry')
const EARLY = say('fail', 'The retry came before the time that Retry-After names.')

const SECOND_MS = 1000
const inOneSecond = (now: number) => now + SECOND_MS
/** The first whole second more than a second ahead, because an HTTP-date has no fractions. */
const atWholeSecond = (now: number) => (Math.floor((now + SECOND_MS) / SECOND_MS) + 1) * SECOND_MS

/** What a client has shown that is asked to wait once. */
function waited([first, second]: readonly LabStep[]): Outcome {
  if (!second) return NO_RETRY
  return second.at < (first?.due ?? 0) ? EARLY : say('pass')
}

/** The script that refuses the first request, and asks to wait. */
function refuseOnce(
  status: number,
  dueAt: Script['dueAt'],
  headersOf: (due: number) => Readonly<Record<string, string>>,
): Script {
  return {
    ...(dueAt && { dueAt }),
    answer: (steps) => (steps.length === 1 ? { status, headers: headersOf(steps[0]?.due ?? 0) } : { status: 200 }),
    outcomeOf: waited,
  }
}

const SECONDS = { 'Retry-After': '1' }
const LIMIT = {
  ...SECONDS,
  'X-RateLimit-Limit': '1',
  'X-RateLimit-Remaining': '0',
  'X-RateLimit-Reset': '1',
  'RateLimit-Policy': '"lab";q=1;w=1',
  RateLimit: '"lab";r=0;t=1',
}

/** Registry: the scripts, by their names in the suite. */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  'after-seconds': refuseOnce(503, inOneSecond, () => SECONDS),
  'after-date': refuseOnce(503, atWholeSecond, (due) => ({ 'Retry-After': new Date(due).toUTCString() })),
  'limit-429': refuseOnce(429, inOneSecond, () => LIMIT),
  'not-400': {
    answer: () => ({ status: 400 }),
    outcomeOf: (steps) =>
      steps.length > 1 ? say('fail', 'A request that was refused with 400 came again.') : say('pass'),
  },
  'post-once': {
    first: 'GET',
    comparesKeys: true,
    answer: (steps) => (steps.length === 1 ? { status: 'lost' } : { status: 200 }),
    outcomeOf(allSteps) {
      const steps = allSteps.filter(({ begins }) => !begins)
      if (steps.length === 0) return say('incomplete')
      if (steps.length === 1) return NO_RETRY
      const [first] = steps
      if (steps.every(({ key }) => key === undefined))
        return say('fail', 'The POST came again without Idempotency-Key.')
      return steps.every(({ key }) => key === first?.key)
        ? say('pass')
        : say('fail', 'The Idempotency-Key of the retry is another one.')
    },
  },
  'same-key': {
    dueAt: inOneSecond,
    answer: (steps) => (steps.length === 1 ? { status: 503, headers: SECONDS } : { status: 201 }),
    outcomeOf: waited,
  },
}
