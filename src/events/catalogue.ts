import type { z } from 'zod'
import type { CallbackName, EventName } from '../schemas/event-names.ts'
import { Planet, RefusedPlanet } from '../schemas/planet.ts'
import { Ping } from '../schemas/webhook.ts'

/** An event that the service tells others of, as a call to a URL that they have given. */
export interface EventSpec {
  summary: string
  description: string
  /** Body of the call, in JSON. */
  payload: z.ZodType
  /** What the answers of the receiver mean. */
  replies: Readonly<Record<string, string>>
}

/** An event of an operation. */
interface CallbackSpec extends EventSpec {
  /** Where the call goes, by the operation that it follows from: runtime expressions (OpenAPI 3.1, section 4.8.20.4). */
  urls: Readonly<Record<string, string>>
}

const ACCEPTED = 'The receiver accepts, as with any other 2XX'
const RETRIED = 'The receiver refuses, and is called again later, as with 3XX and with no answer within 10 seconds'
const REFUSED = { '4XX': RETRIED, '5XX': RETRIED }

const SUCCESS_URL = '{$request.body#/successCallbackUrl}'
const FAILURE_URL = '{$request.body#/failureCallbackUrl}'

/** THE catalogue of events of planets, which are told to the URLs that a planet names. */
export const CALLBACKS = {
  planetCreated: {
    urls: { createPlanet: SUCCESS_URL, createCelestialBody: SUCCESS_URL },
    summary: 'A planet was created',
    description: 'Tells of the planet, in the bytes in which GET sends it at this moment.',
    payload: Planet,
    replies: { 200: ACCEPTED, 204: 'The receiver accepts, and wants to hear no more of this planet', ...REFUSED },
  },
  planetCreationFailed: {
    urls: { createPlanet: FAILURE_URL, createCelestialBody: FAILURE_URL },
    summary: 'A planet was refused',
    description: 'Tells of the planet, as it was sent, and of what is wrong with it. `errors` are those of the answer.',
    payload: RefusedPlanet,
    replies: { 200: ACCEPTED, ...REFUSED },
  },
  planetExploded: {
    urls: { createPlanet: SUCCESS_URL, explodePlanet: '{$response.body#/successCallbackUrl}' },
    summary: 'A planet has exploded',
    description:
      'Tells of the planet, as it last was, after POST /planets/{planetId}/explode. Not sent to who has answered an earlier callback of this planet with 204.',
    payload: Planet,
    replies: { 200: ACCEPTED, ...REFUSED },
  },
} as const satisfies Record<CallbackName, CallbackSpec>

const GONE = 'The receiver is gone: the subscription is disabled'

/** THE catalogue of events of subscriptions. */
export const WEBHOOKS = {
  newPlanet: {
    summary: 'There is a new planet',
    description: 'Tells of a planet that anyone has created. Subscribe with POST /webhooks.',
    payload: Planet,
    replies: { 200: 'The receiver has got it, as with any other 2XX', 410: GONE, ...REFUSED },
  },
  ping: {
    summary: 'A subscription is tried out',
    description: 'Sent when its owner asks for it with POST /webhooks/{webhookId}/ping.',
    payload: Ping,
    replies: { 200: 'The receiver has got it, as with any other 2XX', 410: GONE, ...REFUSED },
  },
} as const satisfies Record<Exclude<EventName, CallbackName>, EventSpec>

const EVENTS = { ...CALLBACKS, ...WEBHOOKS }

type PayloadOf<Name extends EventName> = z.input<(typeof EVENTS)[Name]['payload']>

/** The body of an event, as the catalogue declares it. */
export function writeEvent<Name extends EventName>(name: Name, payload: PayloadOf<Name>): string {
  return JSON.stringify(EVENTS[name].payload.parse(payload))
}
