import type { Delivery } from '../../src/schemas/delivery.ts'
import type { EventName } from '../../src/schemas/events.ts'
import type { InboxPage } from '../../src/schemas/inbox.ts'
import { CallFailed } from '../lib/api.ts'
import type { ListPage } from '../lib/newest.ts'
import type { Run } from './run.ts'
import type { ReceivedEvent } from './state.ts'

type Received = InboxPage['data'][number]

/** How long the page waits before it looks again: half a minute in all. Deliveries usually take less than a second. */
const WAITS_MS = [250, 500, 1000, 1000, ...Array<number>(14).fill(2000)]

/** How many requests of the inbox the page reads at a time. The API allows no more. */
const LIMIT = 100

/** Waits for the call of an event about the planet of the tour. @throws CallFailed after half a minute */
export async function waitForEvent(run: Run, event: EventName): Promise<ReceivedEvent> {
  const callOf = await waitForCalls(run, run.facts.planetId, [event])
  return toEvent(callOf(event))
}

/**
 * Reads the inbox until a call of each event about a planet has arrived, or half a minute has passed. Anybody may call
 * the inbox, and every user has a secret to sign with. So a call only counts if it delivers a message to this user.
 *
 * @returns A function that returns the call of an event, or throws CallFailed if that call has not arrived
 */
export async function waitForCalls(
  run: Run,
  planetId: number | undefined,
  events: readonly EventName[],
): Promise<(event: EventName) => Received> {
  const found = new Map<EventName, Received>()
  const before = run.exchanges.length
  let total = 0
  for (const wait of WAITS_MS) {
    run.forgetAfter(before)
    const deliveries = await listDeliveries(run, planetId)
    const { data, meta } = await readInbox(run, total)
    for (const event of events) {
      const received = data.find((each) => isCallOf(event, each, deliveries))
      if (received) found.set(event, received)
    }
    const missing = events.filter((event) => !found.has(event))
    if (missing.length === 0) break
    total = meta.total
    const requests = total === 1 ? '1 request' : `${total} requests`
    run.tools.say(`The inbox has ${requests}. Still waiting for ${missing.join(' and ')} …`)
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
  return (event) => found.get(event) ?? failToArrive(event)
}

function failToArrive(event: EventName): never {
  throw new CallFailed(
    `${event} has not arrived within half a minute.`,
    'The service tries again after a few seconds, then after minutes. Look again later. GET /deliveries shows what the service has tried.',
  )
}

/** The messages about a planet. A callback has its message at once, and a webhook soon after. */
async function listDeliveries(run: Run, planetId: number | undefined): Promise<readonly Delivery[]> {
  const { text } = await run.callAsUser({ method: 'GET', path: `/deliveries?planetId=${planetId}` }, 200)
  const page: ListPage<Delivery> = JSON.parse(text)
  return page.data
}

/** The newest requests of the inbox. @param totalBefore How many requests the inbox had when it was last read */
async function readInbox(run: Run, totalBefore: number): Promise<InboxPage> {
  // The list begins with the oldest request. Half of the page is for requests that have arrived since.
  const offset = totalBefore > LIMIT / 2 ? `&offset=${totalBefore - LIMIT / 2}` : ''
  const { text } = await run.call({ method: 'GET', path: `/inboxes/${run.facts.inboxId}?limit=${LIMIT}${offset}` }, 200)
  return JSON.parse(text)
}

/**
 * Whether a request is the service's call of an event to this user. A valid signature was made with the secret of the
 * user whose message has this id, and covers the id and the body.
 *
 * @param deliveries The messages of this user about the planet
 */
function isCallOf(event: EventName, received: Received, deliveries: readonly Delivery[]): boolean {
  const id = headerIn(received, 'webhook-id')
  const isOwn = deliveries.some((delivery) => delivery.event === event && delivery.messageId === id)
  return isOwn && received.signatures.webhookSignature === 'valid'
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

export function headerIn({ headers }: Received, name: string): string {
  return headers.find((header) => header.name === name)?.value ?? ''
}

function textOf({ body, encoding }: Received): string {
  if (encoding === 'text') return body
  // Not Uint8Array.fromBase64, which some browsers lack.
  return new TextDecoder().decode(Uint8Array.from(atob(body), (character) => character.charCodeAt(0)))
}
