import { setTimeout as sleep } from 'node:timers/promises'
import { type Check, nameOf, type Setting } from './check.ts'
import { Failure, NoAnswer, NotTried } from './failure.ts'
import { CannotTest } from './universe.ts'

/** The outcome of a check. */
export interface Result {
  check: Check
  ms: number
  outcome: 'passed' | 'failed' | 'not tried'
  failure?: Failure
  /** Why it was not tried. */
  reason?: string
}

const AT_ONCE = 4
/** Longer than any check takes, including those that wait for a call. */
const CHECK_TIMEOUT_MS = 90_000
/** A server that has answered none of this many checks in a row will not answer the others. */
const UNANSWERED_MAX = 8

/**
 * Runs checks, four at a time.
 *
 * @param signal Ends the run
 * @param onResult Is called with each result, in the order of the checks
 * @returns The results of the checks that ended before the run did, in the same order
 */
export async function runChecks(
  all: readonly Check[],
  setting: Setting,
  signal: AbortSignal,
  onResult: (result: Result) => void,
): Promise<Result[]> {
  const results: Result[] = []
  const waiting = [...all.entries()]
  /** How many results, from the first, were passed to `onResult`. */
  let reported = 0
  let unanswered = 0
  const runNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
      const [index, check] = next
      const result = unanswered < UNANSWERED_MAX ? await runCheck(check, setting, signal) : skipUnanswered(check)
      // What was interrupted says nothing about the service.
      if (signal.aborted) return
      if (result.failure instanceof NoAnswer) unanswered++
      else if (result.outcome !== 'not tried') unanswered = 0
      results[index] = result
      for (let ready = results[reported]; ready; ready = results[reported]) {
        onResult(ready)
        reported++
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, runNext))
  // If the run ends early, checks without a result leave gaps, and results after a gap were not reported yet.
  for (const result of results.slice(reported)) if (result) onResult(result)
  return results.filter((result) => result !== undefined)
}

function skipUnanswered(check: Check): Result {
  return { check, ms: 0, outcome: 'not tried', reason: 'the server does not answer any more' }
}

async function runCheck(check: Check, setting: Setting, signal: AbortSignal): Promise<Result> {
  const began = performance.now()
  const toResult = (rest: Omit<Result, 'check' | 'ms'>): Result => ({
    check,
    ms: Math.round(performance.now() - began),
    ...rest,
  })
  const checkEnded = new AbortController()
  try {
    await Promise.race([check.run(setting), timeOut(check, AbortSignal.any([signal, checkEnded.signal]))])
    return toResult({ outcome: 'passed' })
  } catch (error) {
    if (error instanceof NotTried) return toResult({ outcome: 'not tried', reason: error.message })
    return toResult({ outcome: 'failed', failure: toFailure(error) })
  } finally {
    checkEnded.abort()
  }
}

async function timeOut(check: Check, signal: AbortSignal): Promise<never> {
  await sleep(CHECK_TIMEOUT_MS, undefined, { signal, ref: false }).catch(() => {
    throw new NoAnswer('an end', 'an interruption')
  })
  throw new Failure(`an end of "${nameOf(check)}"`, `none within ${CHECK_TIMEOUT_MS / 1000} seconds`)
}

function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (error instanceof CannotTest) return new Failure('a universe', error.message)
  // If a response lacks a member, JavaScript often throws an error where the check reads the member.
  const { message, stack = '' } = error as Error
  const [, lineOfError = ''] = stack.split('\n')
  return new Failure('a response that the check can read', `${message} (${lineOfError.trim()})`)
}
