import { useState } from 'hono/jsx/dom'
import { DEFECTS } from '../../src/domain/receiver-tests.ts'
import type { Webhook } from '../../src/schemas/webhook.ts'
import { Outcome, readForm, useAction } from '../lib/action.tsx'
import { linkTo } from '../lib/base.ts'
import { Failure } from '../lib/failure.tsx'
import { useLoaded } from '../lib/load.ts'
import type { ListPage } from '../lib/newest.ts'
import { When } from '../lib/when.tsx'
import { describeCall, useAccess } from './access.ts'
import { Facts } from './facts.tsx'
import { offersTests } from './offers-tests.ts'
import { SameCalls } from './same-calls.tsx'
import { TestResult } from './test-result.tsx'
import { DEFECT_WORDS } from './test-words.ts'
import { HEADING_PROPS } from './use-selection.ts'

/** More than an account can have. */
const LIST = describeCall('GET', '/webhooks?limit=100')
const TEST = describeCall('POST', '/webhooks/1/tests', { defect: 'body-changed' })

/** The subscriptions of the account, each with tests of its receiver if there are any. */
export function Subscriptions() {
  const access = useAccess()
  const { data, error } = useLoaded<ListPage<Webhook>>(() => access.call(LIST), [access.signIns])
  return (
    <>
      <h2 {...HEADING_PROPS}>Subscriptions</h2>
      <p>
        A subscription is a URL of yours that the service calls for every new planet.
        {offersTests() &&
          ' A test sends it a call that is right, unusual or wrong on purpose, and shows whether your receiver answers as it should.'}
      </p>
      {error !== undefined && <Failure error={error} />}
      {!data && error === undefined && <p>Loading …</p>}
      {data && <SubscriptionList items={data.data} />}
      <SameCalls requests={offersTests() ? [LIST, TEST] : [LIST]} />
    </>
  )
}

function SubscriptionList({ items }: { items: readonly Webhook[] }) {
  if (items.length === 0) {
    return (
      <p class="empty">
        There are no subscriptions yet. Create one with <code>POST /webhooks</code>, for example with the URL of an{' '}
        <a href="#inboxes">inbox</a>. The <a href={linkTo('/docs')}>API reference</a> can send it.
      </p>
    )
  }
  return (
    <ul class="entries">
      {items.map((webhook) => (
        <SubscriptionEntry key={webhook.id} webhook={webhook} />
      ))}
    </ul>
  )
}

function SubscriptionEntry({ webhook }: { webhook: Webhook }) {
  const { id, url, status, signing, publicKey, createdAt } = webhook
  return (
    <li class="entry">
      <span class="entry-head">
        <strong>Subscription {id}</strong>
        <span class={`badge ${status === 'active' ? 'good' : 'warn'}`}>{status}</span>
      </span>
      <code class="entry-url">{url}</code>
      <Facts
        facts={[
          ['Signed with', signing === 'v1' ? 'a secret (v1)' : 'a private key (v1a)'],
          ['Public key', publicKey && <code>{publicKey}</code>],
          ['Created', <When at={createdAt} />],
        ]}
      />
      {offersTests() && <TestForm webhookId={id} />}
    </li>
  )
}

/** Sends a test with one click, and shows what comes of it. */
function TestForm({ webhookId }: { webhookId: number }) {
  const access = useAccess()
  const action = useAction()
  const [sentId, setSentId] = useState<number | undefined>(undefined)
  const send = (event: Event) => {
    const { defect = 'none' } = readForm(event)
    return action.run(async () => {
      const { id } = await access.call(describeCall('POST', `/webhooks/${webhookId}/tests`, { defect }))
      setSentId(id)
      return undefined
    })
  }
  const fieldId = `test-of-${webhookId}`
  return (
    <>
      <form onSubmit={send} class="narrow">
        <label for={fieldId}>Send to its receiver</label>
        <select id={fieldId} name="defect">
          {DEFECTS.map((defect) => (
            <option key={defect} value={defect}>
              {DEFECT_WORDS[defect]}
            </option>
          ))}
        </select>
        <button type="submit" class="secondary" aria-disabled={action.isBusy}>
          Send the test
          <span class="visually-hidden"> to subscription {webhookId}</span>
        </button>
        <Outcome of={action} />
      </form>
      {sentId !== undefined && <TestResult key={sentId} id={sentId} />}
    </>
  )
}
