import * as z from 'zod'
import type { Caller } from '../../auth/scheme.ts'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { ProblemError } from '../../domain/problems.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { readQuery } from '../../http/pipeline/parameters.ts'
import { reply, SocketBody } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { chooseProtocol } from '../../http/pipeline/socket.ts'
import { idInPath } from '../../schemas/fields.ts'
import { CHANNELS, type ChannelName } from '../../schemas/live/channels.ts'
import { EVENT_QUERIES, type EventQuery } from '../../schemas/live/queries.ts'
import type { EventChannelName } from '../../schemas/live/spec.ts'
import { selectNewestPlace } from '../../stores/read-log.ts'
import { connect, type Wish } from './connect.ts'

// The paths of WebSockets. They are not operations of the OpenAPI document: the AsyncAPI document describes them.

const VERSIONS = ['v1', 'v2']

/** The channels at which sockets are opened, with what is wanted there. */
const WISHES: Readonly<Partial<Record<ChannelName, (subject: number | null, query: URLSearchParams) => Wish>>> = {
  planetEvents: wishFor('planetEvents'),
  userEvents: wishFor('userEvents'),
  systemEvents: wishFor('systemEvents'),
  celestialBodyEvents: wishFor('celestialBodyEvents'),
  planetRequest: (subject) => ({ channel: 'planetRequest', subject }),
}

/** The union of the queries of all channels. */
const QUERIES: Readonly<Record<EventChannelName, z.ZodType<EventQuery & Partial<EventQuery<'celestialBodyEvents'>>>>> =
  EVENT_QUERIES

/** Reads the query of a channel of events. @throws ProblemError 400 */
function wishFor(channel: EventChannelName) {
  return (subject: number | null, query: URLSearchParams): Wish => {
    const {
      includeHistory: includesHistory,
      lastEventId = null,
      eventTypes = null,
      bodyType = null,
      minHabitability = null,
    } = readQuery(QUERIES[channel], query)
    return { channel, subject, eventTypes, includesHistory, lastEventId, bodyType, minHabitability }
  }
}

/** The routes of all channels, in both versions. */
export const socketRoutes: readonly Route[] = VERSIONS.flatMap((version) =>
  Object.entries(WISHES).map(([channel, wish]) => {
    const { address } = CHANNELS[channel as keyof typeof WISHES]
    const isOwn = channel === 'userEvents'
    return defineRoute({
      method: 'get',
      path: `/ws/${version}/${address}`,
      operationId: `${channel}-${version}`,
      tag: 'Planets',
      summary: '',
      description: '',
      opensSocket: true,
      security: ALL_SCHEMES,
      scope: isOwn ? 'read:user:events' : 'read:events',
      allowsAnonymous: isOwn ? undefined : true,
      params: z.object({ planetId: idInPath('A planet').optional(), userId: idInPath('A user').optional() }),
      prefetch: (db) => selectNewestPlace(db),
      responses: { 101: { description: 'The socket is open', files: [] } },
      async handle({ params, caller, prefetched }, context) {
        if (isOwn && caller?.id !== params.userId) throw notYours()
        const subject = params.planetId ?? params.userId ?? null
        return await open(wish(subject, context.query), caller, prefetched?.[0]?.place ?? 0, context)
      },
    })
  }),
)

async function open(wish: Wish, caller: Caller | undefined, checkedAt: number, context: RequestContext) {
  const { name, isEnveloped } = chooseProtocol(context.headers)
  const socket = await connect({ ...wish, isEnveloped }, caller, checkedAt, context)
  return reply(101, new SocketBody(socket), name === undefined ? {} : { 'Sec-WebSocket-Protocol': name })
}

/** The error for the channel of another user, whether there is such a user or not. */
function notYours(): ProblemError {
  return new ProblemError('forbidden', 'Only the user can listen to the events of an account.')
}
