import { withoutNulls } from '../events/changes.ts'
import { wrap } from '../events/envelope.ts'
import { type LiveEvent, readHappening } from '../events/events-of.ts'
import type { SizedLogRow } from '../events/happening.ts'
import type { Subscription, SubscriptionStart } from '../events/subscription.ts'
import { newUuid } from '../lib/ids.ts'
import { countBytes, escapeLineBreaks } from '../lib/text.ts'
import type { SubscriptionAcknowledged } from '../schemas/live/replies.ts'
import { noteOn, type StreamEvent } from '../schemas/live/stream-item.ts'

// The frames that are sent on sockets. An event is serialised only once for each form, however many sockets get it.

export interface Frame {
  text: string
  /** The size of the text in UTF-8. */
  bytes: number
}

export function frameOf(text: string): Frame {
  return { text, bytes: countBytes(text) }
}

/** The form of an event on a socket: its payload, its payload in an envelope, or an item of a stream over HTTP. */
type Form = 'bare' | 'enveloped' | 'item'

export class WrittenEvent {
  readonly event: LiveEvent
  readonly row: SizedLogRow
  readonly #frames = new Map<Form, Frame>()

  constructor(row: SizedLogRow, event: LiveEvent) {
    this.row = row
    this.event = event
  }

  frameFor({ channel, isEnveloped }: Subscription): Frame {
    if (channel === 'planetStream') return this.frameIn('item')
    return this.frameIn(isEnveloped ? 'enveloped' : 'bare')
  }

  frameIn(form: Form): Frame {
    const frame = this.#frames.get(form) ?? frameOf(this.#write(form))
    this.#frames.set(form, frame)
    return frame
  }

  #write(form: Form): string {
    if (form === 'item') return writeItem(this.row, this.event)
    const payload = JSON.stringify(this.event)
    if (form === 'bare') return payload
    // An event that the service itself caused belongs to no request. Then the id of the event is also used as both ids
    // of the envelope.
    const { correlationId = this.event.eventId, requestId = correlationId } = this.event.metadata
    return wrap(payload, { correlationId, requestId })
  }
}

/**
 * An item of a stream over HTTP. `id` and `event` come first, because http/event-stream.ts reads them there. It is one
 * line for every reader.
 */
function writeItem(row: SizedLogRow, event: LiveEvent): string {
  const { eventId, eventType, timestamp } = event
  // The type of an event does not say so, but a stream has events of planets only, and each of them has a name.
  const planet = (event.planet ?? deletedPlanet(row, event)) as { name: string }
  const name = eventType.slice('planet.'.length) as StreamEvent
  const item = { id: eventId, event: name, planet, note: noteOn(name, planet.name), occurredAt: timestamp }
  return escapeLineBreaks(JSON.stringify(item))
}

/**
 * The planet for the item of an event `planet.deleted`, which itself has only the id and the name of the planet. The
 * row of a deletion has the last state of the planet. The row of an event on demand does not, so the item then has only
 * the id and the name.
 */
function deletedPlanet(row: SizedLogRow, { planetId: id, planetName: name }: LiveEvent): unknown {
  const { kind, body } = readHappening(row)
  return kind === 'planet_deleted' ? withoutNulls(body) : { id, name }
}

/**
 * The first frame of a socket, which says that the subscription is accepted.
 *
 * @param hasGap Whether the log no longer has the event after which the client wants to continue
 */
export function writeAcknowledgement(
  { isEnveloped }: Subscription,
  { requestId, correlationId }: SubscriptionStart,
  hasGap: boolean,
  now: Date,
): string {
  const acknowledgement: SubscriptionAcknowledged = {
    subscriptionId: newUuid('subscription'),
    status: 'subscribed',
    timestamp: now.toISOString(),
    ...(hasGap && { gap: true }),
    metadata: { source: 'websocket', requestId, correlationId },
  }
  const payload = JSON.stringify(acknowledgement)
  return isEnveloped ? wrap(payload, { correlationId, requestId }) : payload
}
