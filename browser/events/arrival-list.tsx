import { useState } from 'hono/jsx/dom'
import { formatJson } from '../../src/design/format-json.ts'
import { When } from '../lib/when.tsx'
import { type Arrival, SHOWN_MAX } from './arrivals.ts'

interface ArrivalListProps {
  arrivals: readonly Arrival[]
  count: number
}

/** The frames that have arrived, newest first. Their number is announced to screen readers. */
export function ArrivalList({ arrivals, count }: ArrivalListProps) {
  return (
    <>
      <p role="status">{countOf(count)}</p>
      <ul class="entries event-arrivals">
        {arrivals.map((arrival) => (
          <li key={arrival.number} class="entry">
            <Entry arrival={arrival} />
          </li>
        ))}
      </ul>
    </>
  )
}

function countOf(count: number): string {
  if (count === 0) return 'Nothing has arrived yet.'
  const words = count === 1 ? '1 message has arrived' : `${count} messages have arrived`
  return count > SHOWN_MAX ? `${words}. These are the newest ${SHOWN_MAX}.` : `${words}.`
}

function Entry({ arrival: { title, subject, at, text } }: { arrival: Arrival }) {
  // The text of an entry is only rendered while the entry is open.
  const [isOpen, setOpen] = useState(false)
  const toggle = (event: Event) => {
    if (event.currentTarget instanceof HTMLDetailsElement) setOpen(event.currentTarget.open)
  }
  return (
    <details onToggle={toggle}>
      <summary>
        <strong>{title}</strong> <span class="entry-url">{subject}</span>{' '}
        <small>
          <When at={at} />
        </small>
      </summary>
      {isOpen && (
        <pre>
          <code>{formatJson(text) ?? text}</code>
        </pre>
      )}
    </details>
  )
}
