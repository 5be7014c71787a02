import * as z from 'zod'
import { doc } from '#doc'
import { DateTime, Id } from './fields.ts'
import { Planet, RefusedPlanet } from './planet.ts'

// The events that the service sends to registered URLs: to the callback URLs of a planet, and to subscriptions
// (webhooks). The live events, which clients receive on sockets and streams, are in live/.

/** Events of a planet, which are sent to the callback URLs of the planet. */
const CALLBACK_NAMES = ['planetCreated', 'planetCreationFailed', 'planetExploded'] as const

export const SUBSCRIBABLE_NAMES = ['newPlanet'] as const

/** All events of this file. A `ping` is sent when a subscriber wants to test the receiver. */
export const EVENT_NAMES = [...CALLBACK_NAMES, ...SUBSCRIBABLE_NAMES, 'ping'] as const

export type CallbackName = (typeof CALLBACK_NAMES)[number]
export type SubscribableName = (typeof SUBSCRIBABLE_NAMES)[number]
export type EventName = (typeof EVENT_NAMES)[number]

export const CallbackEvent = z.enum(EVENT_NAMES).meta({
  id: 'CallbackName',
  description: doc('The name of an event that is sent to receivers'),
  examples: ['planetCreated'],
})

const Ping = z
  .object({
    webhookId: Id.meta({ description: doc('The subscription that was pinged') }),
    message: z.string().meta({ examples: ['Your receiver is reachable.'] }),
    sentAt: DateTime.meta({ examples: ['2026-01-15T14:30:00.000Z'] }),
  })
  .meta({
    id: 'PingMessage',
    description: doc('A test of a subscription'),
    examples: [{ webhookId: 1, message: 'Your receiver is reachable.', sentAt: '2026-01-15T14:30:00.000Z' }],
  })

/** An event that the service sends to registered URLs. */
export interface EventSpec {
  summary: string
  description: string
  /** The body, in JSON. */
  payload: z.ZodType
  /** The meaning of the receiver's responses, by status. */
  replies: Readonly<Record<string, Reply>>
}

/** A response of a receiver, and what it means for the service. */
interface Reply {
  /** The name of the response in the OpenAPI document. */
  component: string
  description: string
}

/** An event that the service sends to a callback URL of a planet. */
interface CallbackSpec extends EventSpec {
  /**
   * The operations that list the event among their callbacks, each with the URL as a runtime expression (OpenAPI 3.1,
   * section 4.8.20.4).
   */
  urls: Readonly<Record<string, string>>
}

const ACCEPTED: Reply = {
  component: 'EventAccepted',
  description: doc('The receiver accepts the event. Any other 2XX means the same.'),
}
const REJECTED: Reply = {
  component: 'EventRejected',
  description: doc(
    'The receiver rejects the event. The service retries later, as it does after a 3XX or if no response comes within 10 seconds.',
  ),
}
const REJECTIONS = { '4XX': REJECTED, '5XX': REJECTED }

const SUCCESS_URL = '{$request.body#/successCallbackUrl}'
const FAILURE_URL = '{$request.body#/failureCallbackUrl}'

/** Registry: events of planets, which are sent to the callback URLs of a planet. */
export const CALLBACK_EVENTS = {
  planetCreated: {
    urls: { createPlanet: SUCCESS_URL, createCelestialBody: SUCCESS_URL },
    summary: 'A planet was created',
    description: doc('Sent when the planet is created. The body has exactly the bytes that GET returns at that time.'),
    payload: Planet,
    replies: {
      200: ACCEPTED,
      204: {
        component: 'CallbacksEnded',
        description: doc('The receiver accepts the event and wants no further callbacks for this planet'),
      },
      ...REJECTIONS,
    },
  },
  planetCreationFailed: {
    urls: { createPlanet: FAILURE_URL, createCelestialBody: FAILURE_URL },
    summary: 'A planet was rejected',
    description: doc(
      'Sent when the planet is rejected. The body is the planet as you sent it, and its faults in `errors`. These are the same `errors` as in the response.',
    ),
    payload: RefusedPlanet,
    replies: { 200: ACCEPTED, ...REJECTIONS },
  },
  planetExploded: {
    // `createPlanet` lists this event, because it does so in the public document (`@scalar/galaxy`).
    urls: { createPlanet: SUCCESS_URL, explodePlanet: '{$response.body#/successCallbackUrl}' },
    summary: 'A planet exploded',
    description: doc(
      'Sent after POST /planets/{planetId}/explode. The body is the last state of the planet. Not sent if the receiver returned 204 to an earlier callback of this planet.',
    ),
    payload: Planet,
    replies: { 200: ACCEPTED, ...REJECTIONS },
  },
} as const satisfies Record<CallbackName, CallbackSpec>

const GONE: Reply = {
  component: 'ReceiverGone',
  description: doc('The receiver is gone. The service disables the subscription.'),
}

/** Registry: events that are sent to subscriptions. */
export const SUBSCRIPTION_EVENTS = {
  newPlanet: {
    summary: 'A new planet was created',
    description: doc('Sent when anyone creates a planet. Subscribe with POST /webhooks.'),
    payload: Planet,
    replies: { 200: ACCEPTED, 410: GONE, ...REJECTIONS },
  },
  ping: {
    summary: 'A subscription is being tested',
    description: doc('Sent when the owner of the subscription requests it with POST /webhooks/{webhookId}/ping.'),
    payload: Ping,
    replies: { 200: ACCEPTED, 410: GONE, ...REJECTIONS },
  },
} as const satisfies Record<Exclude<EventName, CallbackName>, EventSpec>

const EVENTS = { ...CALLBACK_EVENTS, ...SUBSCRIPTION_EVENTS }

/** The schema of the body of an event. */
export const payloadSchemaOf = (name: EventName): z.ZodType => EVENTS[name].payload

type PayloadOf<Name extends EventName> = z.input<(typeof EVENTS)[Name]['payload']>

/** @throws ZodError if the payload does not fit the schema of the event */
export function writeEvent<Name extends EventName>(name: Name, payload: PayloadOf<Name>): string {
  return JSON.stringify(EVENTS[name].payload.parse(payload))
}
