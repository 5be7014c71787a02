import type { Delivery } from '../../src/schemas/delivery.ts'
import type { InboxPage } from '../../src/schemas/inbox.ts'
import { CallFailed } from '../lib/api.ts'
import type { ListPage } from '../lib/newest.ts'
import type { Run } from './run.ts'
import type { ReceivedEvent } from './state.ts'

type Received = InboxPage['data'][number]

/** How long the page waits before it looks again. Deliveries usually take less than a second. */
const WAITS_MS = [250, 500, 1000, 1000, ...Array<number>(14).fill(2000)]

/**
 * Reads the inbox until a call about the planet has arrived. Anybody may call the inbox, and every user
 * has a secret to sign with, so only the messages that the service has for this user count.
 *
 * @throws CallFailed if it has not arrived after half a minute
 */
export async function waitForEvent(run: Run, event: string): Promise<ReceivedEvent> {
  const { inboxId } = run.facts
  const messageIds = await listMessageIds(run, event)
  for (const [index, wait] of WAITS_MS.entries()) {
    if (index > 0) run.forgetLatest()
    const { text } = await run.call({ method: 'GET', path: `/inboxes/${inboxId}?limit=100` }, 200)
    const page: InboxPage = JSON.parse(text)
    const found = page.data.find((received) => isOneOf(received, messageIds))
    if (found) return toEvent(found)
    run.tools.say(
      `The inbox has ${page.meta.total} ${page.meta.total === 1 ? 'request' : 'requests'}. Still waiting for ${event} …`,
    )
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
  throw new CallFailed(
    `${event} has not arrived within half a minute.`,
    'The service tries again after a few seconds, then after minutes. Look again later. GET /deliveries shows what the service has tried.',
  )
}

/** The messages about an event of the planet. They exist as soon as the event does. */
async function listMessageIds(run: Run, event: string): Promise<readonly string[]> {
  const path = `/deliveries?planetId=${run.facts.planetId}&event=${event}`
  const { text } = await run.callAsUser({ method: 'GET', path }, 200)
  const page: ListPage<Delivery> = JSON.parse(text)
  return page.data.map(({ messageId }) => messageId)
}

/** A valid signature is that of the user whose message it is, and covers the id and the body. */
function isOneOf(received: Received, messageIds: readonly string[]): boolean {
  return received.signatures.webhookSignature === 'valid' && messageIds.includes(headerIn(received, 'webhook-id'))
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
  if (encoding === 'text') return body
  // Not Uint8Array.fromBase64, which some browsers lack.
  return new TextDecoder().decode(Uint8Array.from(atob(body), (character) => character.charCodeAt(0)))
}
