import { doc } from '#doc'
import { eventOriginOf } from '../../auth/event-origin.ts'
import type { Caller } from '../../auth/scheme.ts'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { commit } from '../../changes/commit.ts'
import { makeSalt } from '../../domain/event-id.ts'
import { EXAMPLE_ORIGIN } from '../../domain/example-origin.ts'
import { type Fault, ProblemError } from '../../domain/problems.ts'
import { OWNER_ID } from '../../domain/universe.ts'
import { makeEvents } from '../../events/events-of.ts'
import { entity } from '../../http/body/entity.ts'
import { faultsOf } from '../../http/body/faults.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { membersOf } from '../../lib/objects.ts'
import { type EventType, exampleEvent, LIVE_EVENTS } from '../../schemas/live/catalogue.ts'
import { EventDocument, EventTrigger } from '../../schemas/live/event-list.ts'
import type { LiveEventSpec } from '../../schemas/live/spec.ts'
import { presentUser } from '../../schemas/user.ts'
import { asDocument, EVENTS_PATH } from './event-list.ts'

/**
 * The maximum length of a payload in JSON. Everybody shares the log, so nobody may fill it with large events that no
 * other user can see.
 */
const PAYLOAD_MAX_CHARACTERS = 16 * 1024

/** Creates an event on demand, to test clients that receive events. */
export const triggerEvent = defineRoute({
  method: 'post',
  path: EVENTS_PATH,
  operationId: 'triggerEvent',
  tag: 'Events',
  summary: 'Make an event',
  description: doc(
    `Creates an event, so that you can test your clients. In a universe, its owner can create events of every type. In the common world, and as another user of a universe, you can create only events of your own account: \`user.*\` or \`login.attempt\`. The event is sent on sockets and streams and is in the list of events, but no callback is sent. The service sets its id, its time and its metadata, which describe this request. An event about a user is always about you. [The AsyncAPI document](${EXAMPLE_ORIGIN}/asyncapi.json) describes the payload of each type.`,
  ),
  since: '2.0.0',
  formats: ['json'],
  security: ALL_SCHEMES,
  scope: 'write:events',
  body: entity(EventTrigger, ['json'], { inspect: findPayloadFaults }),
  responses: {
    201: {
      description: doc('The event'),
      schema: EventDocument,
      headers: ['Location'],
      exampleHeaders: { Location: `${EXAMPLE_ORIGIN}${EVENTS_PATH}/019bc210-3240-7000-a168-2f0000000001` },
      links: {
        GetEvent: {
          operationId: 'getEvent',
          description: doc('The event, as the log has it'),
          parameters: { eventId: '$response.body#/eventId' },
        },
      },
    },
  },
  problems: ['forbidden'],
  async handle({ body: { type, payload }, caller }, context) {
    requireAllowed(type, caller, context)
    const { baseUrl, now } = context
    const {
      eventId: _id,
      eventType: _type,
      timestamp: _time,
      metadata: _metadata,
      ...members
    } = membersOf(payload === undefined ? exampleEvent(type, baseUrl) : parsePayload(type, payload))
    const body = { ...members, ...aboutCaller(type, members, caller) }
    const { audience }: LiveEventSpec = LIVE_EVENTS[type]
    const happening = { kind: 'triggered', body, details: { ...eventOriginOf(caller, context), type } } as const
    const salt = makeSalt()
    const [event] = makeEvents(happening, { createdAt: now, salt })
    if (!event) throw new Error('a triggered event has no contents')
    const answer = reply(201, asDocument(event), { Location: `${baseUrl}${EVENTS_PATH}/${event.eventId}` })
    await commit(context, {
      statements: [],
      happened: { ...happening, userId: audience === 'user' ? caller.id : null, planetId: planetOf(body), salt },
      reply: answer,
    })
    return answer
  },
})

/** Checks that a caller may trigger events of a type. @throws ProblemError 403 */
function requireAllowed(type: EventType, caller: Caller, { services }: RequestContext): void {
  const isOwner = services.universe !== undefined && caller.id === OWNER_ID
  const { isTriggerableByAnyone }: LiveEventSpec = LIVE_EVENTS[type]
  if (isOwner || isTriggerableByAnyone) return
  throw new ProblemError(
    'forbidden',
    `Only the owner of a universe can create events of the type ${type}. Create your own universe with POST /universes.`,
  )
}

/** The faults of a payload: it is too long, or does not fit the schema of its type. */
function findPayloadFaults(sentBody: unknown): Fault[] {
  // The schema of the body reports a body that is not an `EventTrigger`.
  const { type, payload } = EventTrigger.safeParse(sentBody).data ?? {}
  if (type === undefined || payload === undefined) return []
  if (JSON.stringify(payload).length > PAYLOAD_MAX_CHARACTERS) {
    return [{ pointer: '/payload', detail: `must have at most ${PAYLOAD_MAX_CHARACTERS} characters` }]
  }
  const { error } = LIVE_EVENTS[type].payload.safeParse(completePayload(type, payload))
  const faults = error ? faultsOf(error) : []
  return faults.map(({ pointer, ...fault }) => ({ ...fault, pointer: `/payload${pointer}` }))
}

/** The members of an event with this payload, as the schema of its type returns them. */
function parsePayload(type: EventType, payload: Record<string, unknown>): object {
  return LIVE_EVENTS[type].payload.parse(completePayload(type, payload))
}

/** Adds the members that the service sets, with the values of the example, so that the schema accepts the payload. */
function completePayload(type: EventType, payload: Record<string, unknown>): object {
  const { example }: LiveEventSpec = LIVE_EVENTS[type]
  const { eventId, eventType, timestamp } = example.payload
  const { metadata: _ignored, ...members } = payload
  return { ...members, eventId, eventType, timestamp }
}

/** The members that say which user an event is about: always the caller. @throws ProblemError 403 */
function aboutCaller(type: EventType, members: Readonly<Record<string, unknown>>, caller: Caller): object {
  const { audience }: LiveEventSpec = LIVE_EVENTS[type]
  if (audience === 'anybody') return {}
  if (type !== 'login.attempt') return { user: presentUser(caller) }
  if (caller.email === null)
    throw new ProblemError(
      'forbidden',
      'An event login.attempt contains the e-mail address of your account, but your account has none.',
    )
  return { attempt: { ...membersOf(members.attempt), email: caller.email } }
}

/** The planet that an event is about, wherever it is in the payload; null if there is none. */
function planetOf({ planet, planetId, satellite }: Readonly<Record<string, unknown>>): number | null {
  const { orbit } = membersOf(satellite)
  const hostPlanet = membersOf(orbit).planet
  const id = membersOf(planet).id ?? planetId ?? membersOf(hostPlanet).id
  return typeof id === 'number' ? id : null
}
