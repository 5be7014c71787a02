import * as z from 'zod'
import { doc } from '#doc'
import { FileBody, reply, SocketBody } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { NO_STORE } from '../../http/pipeline/send-reply.ts'
import { PlanetStreamItem } from '../../schemas/live/stream-item.ts'
import { connect } from './connect.ts'
import {
  chooseStreamType,
  readResumption,
  requireResumable,
  STREAM_PATH,
  STREAM_TYPES,
  streamFrom,
} from './event-stream.ts'

const StreamQuery = z.object({
  // If the parameter is repeated, the last value is used, because an error would end an EventSource for good.
  lastEventId: z
    .unknown()
    .transform((value) => [value].flat().at(-1))
    .meta({
      type: 'string',
      examples: ['019bc210-3240-7000-a168-2f0000000001'],
      description: doc('The same as the header `Last-Event-ID`, which takes precedence.'),
    })
    .optional(),
})

const HEADERS = { 'Cache-Control': NO_STORE, Vary: 'Accept' }

export const streamPlanetEvents = defineRoute({
  method: 'get',
  path: STREAM_PATH,
  operationId: 'streamPlanetEvents',
  tag: 'Planets',
  labels: ['Streaming', 'Beta'],
  summary: 'Stream the events of planets',
  description: doc(
    'Sends an item for each planet that is created, updated, deleted or exploded, as soon as it happens. `Accept` chooses the format. The response ends after about one hour. All items after that in `Last-Event-ID` are sent first. If the log does not have it, server-sent events begin with a `gap`.',
  ),
  since: '2.0.0',
  security: [],
  query: StreamQuery,
  responses: {
    200: { description: doc('A stream of items'), files: STREAM_TYPES, items: PlanetStreamItem },
  },
  problems: ['not-acceptable', 'too-many-requests'],
  async handle(_request, context) {
    const { services, headers, query, method } = context
    const mediaType = chooseStreamType(headers)
    const resumption = readResumption(headers, query)
    requireResumable(resumption, mediaType)
    if (method === 'HEAD') return reply(200, new FileBody(mediaType, null), HEADERS)
    // A stream with an invalid id reports a gap (`streamFrom`), and then has only new events.
    const lastEventId = resumption.isInvalid ? null : resumption.lastEventId
    // The stream is the same for everybody, so it has no caller, and no place at which a credential was checked.
    const socket = await connect({ channel: 'planetStream', subject: null, lastEventId }, undefined, 0, context)
    // In a universe, the entry of the Worker makes the stream, so that the universe's Durable Object can hibernate.
    if (services.hub.sharesObjectWithApp) return reply(200, new SocketBody(socket, mediaType), HEADERS)
    return reply(200, new FileBody(mediaType, streamFrom(socket, mediaType, resumption, services.wait)), HEADERS)
  },
})
