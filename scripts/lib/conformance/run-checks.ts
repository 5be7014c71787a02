import { setTimeout as sleep } from 'node:timers/promises'
import { type Check, nameOf, type Place } from './check.ts'
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
/** Longer than a check takes that waits for a call. */
const CHECK_TIMEOUT_MS = 90_000
/** A server that has answered none of this many checks in a row will not answer the others. */
const UNANSWERED_MAX = 8

/**
 * Runs checks, four at a time.
 *
 * @param signal Ends the run
 * @param onResult Is told the results in the order of the checks
 * @returns The results of the checks that were reached
 */
export async function runChecks(
  all: readonly Check[],
  place: Place,
  signal: AbortSignal,
  onResult: (result: Result) => void,
): Promise<Result[]> {
  const results: Result[] = []
  const waiting = [...all.entries()]
  let told = 0
  let unanswered = 0
  const runNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
      const [index, check] = next
      const result = unanswered < UNANSWERED_MAX ? await runCheck(check, place, signal) : silence(check)
      // What was interrupted says nothing about the service.
      if (signal.aborted) return
      if (result.failure instanceof NoAnswer) unanswered++
      else if (result.outcome !== 'not tried') unanswered = 0
      results[index] = result
      for (let ready = results[told]; ready; ready = results[++told]) onResult(ready)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, runNext))
  // An interruption leaves gaps.
  for (const result of results.slice(told)) if (result) onResult(result)
  return results.filter((result) => result !== undefined)
}

function silence(check: Check): Result {
  return { check, ms: 0, outcome: 'not tried', reason: 'the server does not answer any more' }
}

async function runCheck(check: Check, place: Place, signal: AbortSignal): Promise<Result> {
  const began = performance.now()
  const end = (rest: Omit<Result, 'check' | 'ms'>): Result => ({
    check,
    ms: Math.round(performance.now() - began),
    ...rest,
  })
  const ended = new AbortController()
  try {
    await Promise.race([check.run(place), timeOut(check, AbortSignal.any([signal, ended.signal]))])
    return end({ outcome: 'passed' })
  } catch (error) {
    if (error instanceof NotTried) return end({ outcome: 'not tried', reason: error.message })
    return end({ outcome: 'failed', failure: toFailure(error) })
  } finally {
    ended.abort()
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
  // What a response lacks is often found where it is used.
  const { message, stack } = error as Error
  return new Failure('a response that the check can read', `${message} (${stack?.split('\n')[1]?.trim()})`)
}
