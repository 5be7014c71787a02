import { EVENT_HEADER } from '../../src/domain/webhook-signature.ts'
import type { InboxPage } from '../../src/schemas/inbox.ts'
import { CallFailed } from '../lib/api.ts'
import type { Run } from './run.ts'
import type { ReceivedEvent } from './state.ts'

type Received = InboxPage['data'][number]

/** How long the page waits before it looks again. Deliveries usually take less than a second. */
const WAITS_MS = [250, 500, 1000, 1000, ...Array<number>(14).fill(2000)]

/**
 * Reads the inbox until a call about the planet has arrived. Anybody may call the inbox, so only calls that the service
 * has signed count.
 *
 * @throws CallFailed if it has not arrived after half a minute
 */
export async function waitForEvent(run: Run, event: string): Promise<ReceivedEvent> {
  const { inboxId, planetId } = run.facts
  for (const [index, wait] of WAITS_MS.entries()) {
    if (index > 0) run.forgetLatest()
    const { text } = await run.call({ method: 'GET', path: `/inboxes/${inboxId}?limit=100` }, 200)
    const page: InboxPage = JSON.parse(text)
    const found = page.data.find((received) => isAbout(received, event, planetId))
    if (found) return toEvent(found)
    run.tools.say(
      `The inbox has ${page.meta.total} ${page.meta.total === 1 ? 'request' : 'requests'}. Still waiting for ${event} …`,
    )
    await new Promise((resolve) => setTimeout(resolve, wait))
    if (run.isStopped) break
  }
  throw new CallFailed(
    `${event} has not arrived within half a minute.`,
    'The service tries again after a few seconds, then after minutes. Look again later. GET /deliveries shows what the service has tried.',
  )
}

function isAbout(received: Received, event: string, planetId: number | undefined): boolean {
  return (
    headerIn(received, EVENT_HEADER) === event &&
    received.signatures.webhookSignature === 'valid' &&
    (received.truncated || JSON.parse(textOf(received)).id === planetId)
  )
}

function toEvent(received: Received): ReceivedEvent {
  return {
    id: headerIn(received, 'webhook-id'),
    timestamp: headerIn(received, 'webhook-timestamp'),
    signature: headerIn(received, 'webhook-signature'),
    body: textOf(received),
    isTruncated: received.truncated,
  }
}

function headerIn({ headers }: Received, name: string): string {
  return headers.find((header) => header.name === name)?.value ?? ''
}

function textOf({ body, encoding }: Received): string {
  return encoding === 'text' ? body : new TextDecoder().decode(Uint8Array.fromBase64(body))
}
