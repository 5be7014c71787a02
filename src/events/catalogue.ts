import type { z } from 'zod'
import { Planet, RefusedPlanet } from '../schemas/planet.ts'

/** An event that the service tells others of, as a call to a URL that they have given. */
export interface EventSpec {
  summary: string
  description: string
  /** Body of the call, in JSON. */
  payload: z.ZodType
  /** What the answers of the receiver mean. */
  replies: Readonly<Record<string, string>>
}

/** An event of one operation. */
interface CallbackSpec extends EventSpec {
  operationId: string
  /** Where the call goes: a runtime expression (OpenAPI 3.1, section 4.8.20.4). */
  url: string
}

const ACCEPTED = 'The receiver accepts'
const REFUSED = { '4XX': 'The receiver refuses, and is called again later' }

/** THE catalogue of events that answer one request. Not sent yet. */
export const CALLBACKS = {
  planetCreated: {
    operationId: 'createPlanet',
    url: '{$request.body#/successCallbackUrl}',
    summary: 'A planet was created',
    description: 'Tells of the planet, as it is stored.',
    payload: Planet,
    replies: { 200: ACCEPTED, 204: 'The receiver accepts, and wants to hear no more of this planet', ...REFUSED },
  },
  planetCreationFailed: {
    operationId: 'createPlanet',
    url: '{$request.body#/failureCallbackUrl}',
    summary: 'A planet was refused',
    description: 'Tells of the planet, as it was sent, and of what is wrong with it.',
    payload: RefusedPlanet,
    replies: { 200: ACCEPTED, ...REFUSED },
  },
  planetExploded: {
    operationId: 'createPlanet',
    url: '{$request.body#/successCallbackUrl}',
    summary: 'A planet has exploded',
    description: 'Tells of the planet, as it last was.',
    payload: Planet,
    replies: { 200: ACCEPTED, ...REFUSED },
  },
} as const satisfies Record<string, CallbackSpec>

/** THE catalogue of events that others can subscribe to. Not sent yet. */
export const WEBHOOKS = {
  newPlanet: {
    summary: 'There is a new planet',
    description: 'Tells of a planet that anyone has created.',
    payload: Planet,
    replies: { 200: 'The receiver has got it', ...REFUSED },
  },
} as const satisfies Record<string, EventSpec>
