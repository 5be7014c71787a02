import { type CheckResult, testOf } from '../../domain/receiver-tests.ts'
import type { StoredCheck } from '../../stores/callbacks/receiver-tests.ts'
import { type JUnitCase, writeJUnit } from '../../xml/junit.ts'

/** The results of a check in the format of JUnit. It has no times, so equal answers make equal files. */
export function checkToJUnit({ webhookId, results }: StoredCheck): string {
  const className = `webhooks.${webhookId}`
  const cases = results.map((result): JUnitCase => {
    const suite = testOf(result.defect).expected === 'accept' ? 'good' : 'bad'
    return { suite, className, name: result.defect, ...outcomeOf(result) }
  })
  return writeJUnit({ name: className }, cases)
}

function outcomeOf({ verdict, reason }: CheckResult): Pick<JUnitCase, 'failure' | 'skipped'> {
  if (verdict === 'right') return {}
  return verdict === 'skipped' ? { skipped: reason ?? '' } : { failure: { message: reason ?? '' } }
}
