import * as z from 'zod'
import { doc } from '#doc'
import type { Caller } from '../../auth/scheme.ts'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { selectNewestPlace } from '../../changes/read-log.ts'
import { ProblemError } from '../../domain/problems.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { readQuery } from '../../http/pipeline/parameters.ts'
import { reply, SocketBody } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { chooseProtocol } from '../../http/pipeline/socket.ts'
import { idParameter } from '../../schemas/fields.ts'
import { CHANNELS, type ChannelName } from '../../schemas/live/channels.ts'
import { type ChannelQuery, EVENT_QUERIES } from '../../schemas/live/queries.ts'
import type { EventChannelName } from '../../schemas/live/spec.ts'
import { connect, type SubscriptionInput } from './connect.ts'

// The paths of WebSockets. They are not operations of the OpenAPI document: the AsyncAPI document describes them.

/** The versions in the paths. Both behave in the same way. */
const VERSIONS = ['v1', 'v2']

/** @param subject The id of the planet or the user in the path; null if the path has none */
type InputReader = (subject: number | null, query: URLSearchParams) => SubscriptionInput

/** Registry: the channels at which clients open sockets, and how their requests are read. */
const INPUT_READERS: Readonly<Partial<Record<ChannelName, InputReader>>> = {
  planetEvents: inputReader('planetEvents'),
  userEvents: inputReader('userEvents'),
  systemEvents: inputReader('systemEvents'),
  celestialBodyEvents: inputReader('celestialBodyEvents'),
  planetRequest: (subject) => ({ channel: 'planetRequest', subject }),
}

/** The query of each channel, typed as if each could have the members of all. */
const QUERIES: Readonly<
  Record<EventChannelName, z.ZodType<ChannelQuery & Partial<ChannelQuery<'celestialBodyEvents'>>>>
> = EVENT_QUERIES

/** The reader throws ProblemError 400 if the query is not valid. */
function inputReader(channel: EventChannelName): InputReader {
  return (subject, query) => {
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

/** What a path can name. One schema for all routes, because each costs time at the start. */
const Subject = z.object({
  planetId: idParameter(doc('A planet')).optional(),
  userId: idParameter(doc('A user')).optional(),
})

export const socketRoutes: readonly Route[] = VERSIONS.flatMap((version) =>
  Object.entries(INPUT_READERS).map(([channel, readInput]) => {
    const { address } = CHANNELS[channel as keyof typeof INPUT_READERS]
    const isOwn = channel === 'userEvents'
    return defineRoute({
      method: 'get',
      path: `/ws/${version}/${address}`,
      operationId: `${channel}-${version}`,
      // Required members of a route. They are not shown, because this route is not in the OpenAPI document.
      tag: 'Planets',
      summary: '',
      description: '',
      opensSocket: true,
      security: ALL_SCHEMES,
      scope: isOwn ? 'read:user:events' : 'read:events',
      allowsAnonymous: isOwn ? undefined : true,
      params: Subject,
      prefetch: () => selectNewestPlace(),
      responses: { 101: { description: doc('The socket is open'), files: [] } },
      async handle({ params, caller, prefetched }, context) {
        if (isOwn && caller?.id !== params.userId) throw otherUsersChannel()
        const subject = params.planetId ?? params.userId ?? null
        // Nothing is prefetched without a caller, and an empty log has no place. Both count as the place 0.
        const checkedAt = prefetched?.[0]?.place ?? 0
        return await openSocket(readInput(subject, context.query), caller, checkedAt, context)
      },
    })
  }),
)

async function openSocket(
  input: SubscriptionInput,
  caller: Caller | undefined,
  checkedAt: number,
  context: RequestContext,
) {
  const { name, isEnveloped } = chooseProtocol(context.headers)
  const socket = await connect({ ...input, isEnveloped }, caller, checkedAt, context)
  return reply(101, new SocketBody(socket), name === undefined ? {} : { 'Sec-WebSocket-Protocol': name })
}

/** The error for the channel of another user. It is the same if no such user exists. */
function otherUsersChannel(): ProblemError {
  return new ProblemError(
    'forbidden',
    'You can listen only to the events of your own account. Put your own user id into the path.',
  )
}
