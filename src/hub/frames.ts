import { withoutNulls } from '../events/changes.ts'
import { wrap } from '../events/envelope.ts'
import { type LiveEvent, readHappening } from '../events/events-of.ts'
import type { LogRow } from '../events/happening.ts'
import type { Subscription, SubscriptionStart } from '../events/subscription.ts'
import { newUuid } from '../lib/ids.ts'
import type { SubscriptionAcknowledged } from '../schemas/live/replies.ts'

// The frames that are sent on sockets. An event is serialised once for each form, however many sockets get it.

type Form = 'bare' | 'enveloped' | 'item'

/** An event with the texts of its frames. */
export class WrittenEvent {
  readonly event: LiveEvent
  readonly row: LogRow
  readonly #texts = new Map<Form, string>()

  constructor(row: LogRow, event: LiveEvent) {
    this.row = row
    this.event = event
  }

  /** The frame or the item for a subscription. */
  textFor({ channel, isEnveloped }: Subscription): string {
    return this.textIn(channel === 'planetStream' ? 'item' : isEnveloped ? 'enveloped' : 'bare')
  }

  textIn(form: Form): string {
    const text = this.#texts.get(form) ?? this.#write(form)
    this.#texts.set(form, text)
    return text
  }

  #write(form: Form): string {
    if (form === 'item') return writeItem(this.row, this.event)
    const payload = JSON.stringify(this.event)
    if (form === 'bare') return payload
    // An event that the service caused by itself belongs to no request. The id of the event then takes the place of the
    // request id.
    const { correlationId = this.event.eventId, requestId = correlationId } = this.event.metadata ?? {}
    return wrap(payload, { correlationId, requestId })
  }
}

/** An item of a stream over HTTP. Its id and its event come first, where the writer of the stream finds them. */
function writeItem(row: LogRow, event: LiveEvent): string {
  const { eventId, eventType, timestamp, planet = deletedPlanet(row, event) } = event
  return JSON.stringify({ id: eventId, event: eventType.slice('planet.'.length), planet, occurredAt: timestamp })
}

/**
 * The planet of an event whose payload does not contain it: its last state, or at least the members that the event has.
 */
function deletedPlanet(row: LogRow, { planetId: id, planetName: name }: LiveEvent): unknown {
  const { kind, body } = readHappening(row)
  return kind === 'planet_deleted' ? withoutNulls(body) : { id, name }
}

/** The first frame of a socket: its subscription is accepted. */
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
