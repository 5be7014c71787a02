import type { DeliveryDetail } from '../../src/schemas/delivery.ts'
import { Outcome, useAction } from '../lib/action.tsx'
import { Failure } from '../lib/failure.tsx'
import { useLoaded, useRepetition } from '../lib/load.ts'
import { formatTime, When } from '../lib/when.tsx'
import { describeCall, useAccess } from './access.ts'
import { Attempts } from './attempts.tsx'
import { Badge } from './badge.tsx'
import { explainDelivery, pollDelay } from './delivery-words.ts'
import { Facts } from './facts.tsx'
import { SameCalls } from './same-calls.tsx'
import { TestFacts } from './test-result.tsx'
import { HEADING_PROPS } from './use-selection.ts'

export function Delivery({ id, back }: { id: string; back: string }) {
  const access = useAccess()
  const path = `/deliveries/${encodeURIComponent(id)}`
  const read = describeCall('GET', path)
  const redeliver = describeCall('POST', `${path}/redeliver`)
  const loaded = useLoaded<DeliveryDetail>(() => access.call(read), [access.signIns])
  const { data, error, reload } = loaded
  useRepetition(loaded, data && pollDelay([data], new Date()))
  const action = useAction()
  const run = () =>
    action.run(async () => {
      await access.call(redeliver)
      await reload()
      return 'It is due again. This page shows the attempt as soon as it is made.'
    })
  return (
    <>
      <p>
        <a href={back}>All deliveries</a>
      </p>
      <h2 {...HEADING_PROPS}>
        Delivery {id}
        {data && `: ${data.event}`}
      </h2>
      {error !== undefined && <Failure error={error} />}
      {!data && error === undefined && <p>Loading …</p>}
      {data && (data.test ? <TestFacts delivery={data} test={data.test} /> : <State delivery={data} />)}
      {data && !data.test && (
        <button type="button" aria-disabled={action.isBusy} onClick={run}>
          Redeliver now
        </button>
      )}
      <Outcome of={action} />
      {data && <Detail delivery={data} />}
      <SameCalls requests={[read, redeliver]} />
    </>
  )
}

/** The state in words. It is announced when it changes. */
function State({ delivery }: { delivery: DeliveryDetail }) {
  return (
    <p role="status">
      <Badge of={delivery} /> {explainDelivery(delivery, new Date(), formatTime)}
    </p>
  )
}

function Detail({ delivery }: { delivery: DeliveryDetail }) {
  const { url, messageId, planetId, webhookId, createdAt, endedAt, body, attempts } = delivery
  return (
    <>
      <Facts
        facts={[
          ['Receiver', <code>{url}</code>],
          ['Message', <code>{messageId}</code>],
          ['Planet', planetId],
          ['Subscription', webhookId],
          ['Created', <When at={createdAt} />],
          ['Ended', endedAt && <When at={endedAt} />],
        ]}
      />
      <details>
        <summary>The body that is sent</summary>
        <pre>
          <code>{body}</code>
        </pre>
      </details>
      <h3>Attempts</h3>
      <Attempts attempts={attempts} />
    </>
  )
}
