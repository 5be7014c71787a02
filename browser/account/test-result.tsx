import type { DeliveryDetail, DeliveryTest } from '../../src/schemas/delivery.ts'
import { Failure } from '../lib/failure.tsx'
import { useLoaded, useRepetition } from '../lib/load.ts'
import { describeCall, useAccess } from './access.ts'
import { Badge } from './badge.tsx'
import { pollDelay } from './delivery-words.ts'
import { Facts } from './facts.tsx'
import { hashOf } from './selection.ts'
import { DEFECT_WORDS, describeAnswers, describeExpected, describeVerdict } from './test-words.ts'

/** A test that was sent: what the receiver answered, beside what is right. It updates itself until there is a verdict. */
export function TestResult({ id }: { id: number }) {
  const access = useAccess()
  const loaded = useLoaded<DeliveryDetail>(
    () => access.call(describeCall('GET', `/deliveries/${id}`)),
    [access.signIns, id],
  )
  const { data, error } = loaded
  useRepetition(loaded, data && pollDelay([data], new Date()))
  return (
    <>
      {error !== undefined && <Failure error={error} />}
      {!data && error === undefined && <p>Loading …</p>}
      {data?.test && <TestFacts delivery={data} test={data.test} />}
      <p>
        <a href={hashOf('deliveries', String(id))}>Its delivery in the log</a>
      </p>
    </>
  )
}

/** What a test has found out. The verdict is announced when it changes. */
export function TestFacts({ delivery, test }: { delivery: DeliveryDetail; test: DeliveryTest }) {
  return (
    <>
      <p role="status">
        <Badge of={delivery} /> {describeVerdict(delivery)}
      </p>
      <Facts
        facts={[
          ['Sent', DEFECT_WORDS[test.defect]],
          ['The receiver answered', describeAnswers(delivery.attempts)],
          ['Right is', describeExpected(test.defect)],
        ]}
      />
    </>
  )
}
