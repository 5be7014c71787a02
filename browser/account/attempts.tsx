import type { DeliveryDetail } from '../../src/schemas/delivery.ts'
import { When } from '../lib/when.tsx'

type Attempt = DeliveryDetail['attempts'][number]

/** The attempts to deliver, with the responses of the receiver, newest first. */
export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return <p class="empty">There has been no attempt yet.</p>
  const newestFirst = attempts.map((attempt, index) => ({ attempt, number: index + 1 })).reverse()
  return (
    <ul class="entries">
      {newestFirst.map(({ attempt, number }) => (
        <AttemptEntry key={number} attempt={attempt} number={number} />
      ))}
    </ul>
  )
}

function AttemptEntry({ attempt, number }: { attempt: Attempt; number: number }) {
  const { startedAt, durationMs, status, error, response } = attempt
  return (
    <li class="entry">
      <span class="entry-head">
        <strong>Attempt {number}</strong>
        <span class={`badge ${error === undefined ? 'good' : 'bad'}`}>{status ?? 'no response'}</span>
      </span>
      {error !== undefined && <span>{error}</span>}
      <small>
        <When at={startedAt} /> · {durationMs} ms
      </small>
      {response && (
        <pre>
          <code>{response}</code>
        </pre>
      )}
    </li>
  )
}
