import type { InboxPage } from '../../src/schemas/inbox.ts'
import { When } from '../lib/when.tsx'

type Request = InboxPage['data'][number]
type Verdict = Request['signatures']['xSignature']

interface InboxRequestsProps {
  requests: readonly Request[]
  total: number
  /** Whether this is the page on which new requests appear. */
  isNewest: boolean
}

/** The requests that an inbox has recorded, newest first. A screen reader hears how many there are. */
export function InboxRequests({ requests, total, isNewest }: InboxRequestsProps) {
  return (
    <>
      <h3>Requests</h3>
      <p role="status">{describeTotal(total, isNewest)}</p>
      <ul class="entries">
        {requests.map((request) => (
          <li key={request.id} class="entry">
            <RecordedRequest request={request} />
          </li>
        ))}
      </ul>
    </>
  )
}

function describeTotal(total: number, isNewest: boolean): string {
  if (total === 0) return 'No request has arrived yet. This page shows each as soon as it arrives.'
  const words = total === 1 ? '1 request has arrived.' : `${total} requests have arrived.`
  return isNewest ? `${words} Newer ones appear here.` : words
}

function RecordedRequest({ request }: { request: Request }) {
  const { method, path, receivedAt, headers, signatures } = request
  return (
    <details>
      <summary>
        <strong>
          {method} <span class="entry-url">{path}</span>
        </strong>{' '}
        <small>
          <When at={receivedAt} />
        </small>{' '}
        <Signature name="x-signature" verdict={signatures.xSignature} />{' '}
        <Signature name="webhook-signature" verdict={signatures.webhookSignature} />
      </summary>
      <table class="members">
        <caption>Headers</caption>
        <tbody>
          {headers.map(({ name, value }, index) => (
            <tr key={index}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Body request={request} />
    </details>
  )
}

const VERDICTS: Readonly<Record<Verdict, { tone: string; words: string }>> = {
  valid: { tone: 'good', words: 'is valid' },
  invalid: { tone: 'bad', words: 'is not valid' },
  absent: { tone: '', words: 'is absent' },
  unknown: { tone: 'warn', words: 'cannot be verified' },
}

function Signature({ name, verdict }: { name: string; verdict: Verdict }) {
  const { tone, words } = VERDICTS[verdict]
  return (
    <span class={`badge ${tone}`}>
      {name} {words}
    </span>
  )
}

function Body({ request: { body, encoding, size, truncated } }: { request: Request }) {
  if (size === 0) return <p class="hint">It has no body.</p>
  return (
    <>
      <p class="hint">
        The body has {size} bytes{truncated && ', of which the inbox keeps the beginning'}
        {encoding === 'base64' && '. It is not text, so it is shown in base64'}.
      </p>
      <pre>
        <code>{body}</code>
      </pre>
    </>
  )
}
