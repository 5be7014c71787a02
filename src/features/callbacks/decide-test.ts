import {
  type CheckResult,
  type Defect,
  expectationOf,
  findFault,
  statusOf,
  testOf,
} from '../../domain/receiver-tests.ts'
import type { Verdict } from '../../stores/callbacks/attempts.ts'
import type { LeasedDelivery } from '../../stores/callbacks/leases.ts'
import type { CheckStep, StoredCheck, TestStep } from '../../stores/callbacks/receiver-tests.ts'
import type { Attempt } from './attempt.ts'
import { isAccepted } from './decide-next.ts'

/** How long a check sends calls, in milliseconds. */
export const CHECK_MAX_MS = 10 * 60 * 1000

/** Why a check has sent no more. */
const STOPS = {
  silent: 'There was no answer at all to the first call, so nothing more was sent.',
  late: 'The check had not come to it after ten minutes.',
  suspended: 'The account was suspended.',
} as const
export type Stop = keyof typeof STOPS

type LeasedTest = NonNullable<LeasedDelivery['test']>

/** What follows a call of a test: nothing is retried, and the second of two calls only follows a first that was accepted. */
export function decideTest(
  outcome: Attempt,
  delivery: Pick<LeasedDelivery, 'id' | 'retries'>,
  test: LeasedTest,
  now: Date,
): { verdict: Verdict; testStep: TestStep } {
  const { second } = testOf(test.defect)
  const isFirst = delivery.retries === 0
  const isContinued = isFirst && second !== undefined && isAccepted(outcome)
  const firstCallAt = isContinued ? outcome.startedAt : test.firstCallAt
  if (isContinued) {
    const nextAttemptAt = new Date(now.getTime() + second.afterSeconds * 1000)
    const step = { verdict: null, reason: null, firstCallAt }
    return {
      verdict: { status: 'pending', nextAttemptAt, ...UNTOUCHED },
      testStep: { ...step, check: continueCheck(delivery.id, test, outcome, step, now) },
    }
  }
  const fault = findFault(outcome, expectationOf(test.defect, !isFirst))
  const reason = fault === undefined || isFirst ? fault : `The second call: ${fault}`
  const step = { verdict: fault === undefined ? 'right' : 'wrong', reason: reason ?? null, firstCallAt } as const
  return {
    verdict: { status: isAccepted(outcome) ? 'delivered' : 'failed', nextAttemptAt: undefined, ...UNTOUCHED },
    testStep: { ...step, check: continueCheck(delivery.id, test, outcome, step, now) },
  }
}

/** A test changes nothing of its subscription. */
const UNTOUCHED = { endsCallbacks: false, isGone: false }

/** Adds a call to what a check knows, and ends the check after its last test, or if the rest is not to be sent. */
function continueCheck(
  deliveryId: number,
  { defect, check, nextId }: LeasedTest,
  outcome: Attempt,
  { verdict, reason }: Pick<TestStep, 'verdict' | 'reason'>,
  now: Date,
): CheckStep | undefined {
  if (!check) return undefined
  const status = statusOf(outcome)
  const results = check.results.map((result) =>
    result.defect === defect
      ? { defect, verdict, reason, statuses: [...result.statuses, status ?? null], deliveryId }
      : result,
  )
  if (verdict === null) return { results, hasEnded: false }
  if (nextId === null) return { results, hasEnded: true }
  const stop = findStop(check, defect, status, now)
  return stop ? { results: stopResults(results, stop), hasEnded: true } : { results, hasEnded: false }
}

function findStop(check: StoredCheck, defect: Defect, status: number | undefined, now: Date): Stop | undefined {
  if (defect === 'none' && status === undefined) return 'silent'
  return isOverdue(check, now) ? 'late' : undefined
}

const isOverdue = ({ createdAt }: StoredCheck, now: Date) => now.getTime() - createdAt.getTime() >= CHECK_MAX_MS

/** What a check knows if nothing more is sent. */
export function stopResults(results: readonly CheckResult[], stop: Stop): CheckResult[] {
  return results.map((result) =>
    result.verdict === null ? { ...result, verdict: 'not-sent', reason: STOPS[stop] } : result,
  )
}

/** Why a delivery is not sent any more; undefined if it is. */
export function findCancellation({ owner, test }: LeasedDelivery, now: Date): Stop | undefined {
  if (owner.suspendedAt !== null) return 'suspended'
  return test?.check && isOverdue(test.check, now) ? 'late' : undefined
}

/** The end of the check that a delivery belongs to; undefined if it belongs to none. */
export function endCheckOf({ test }: LeasedDelivery, stop: Stop): CheckStep | undefined {
  return test?.check ? { results: stopResults(test.check.results, stop), hasEnded: true } : undefined
}
