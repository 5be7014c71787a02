import { doc } from '#doc'
import type { Caller } from '../../auth/scheme.ts'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { locateEvent } from '../../changes/read-log.ts'
import { ProblemError } from '../../domain/problems.ts'
import { eventsOf, type LiveEvent } from '../../events/events-of.ts'
import type { LogRow } from '../../events/happening.ts'
import { pageResponse } from '../../http/pagination.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { PageBody, reply } from '../../http/pipeline/reply.ts'
import { defineRoute } from '../../http/pipeline/route.ts'
import { EventDocument, EventListQuery, EventPage, EventPath } from '../../schemas/live/event-list.ts'
import { type EventRows, listEventRows } from './queries.ts'

export const EVENTS_PATH = '/events'

const common = {
  method: 'get',
  tag: 'Events',
  since: '2.0.0',
  formats: ['json'],
  security: ALL_SCHEMES,
  scope: 'read:events',
  allowsAnonymous: true,
} as const

const VISIBILITY =
  'Everybody sees the events of planets, celestial bodies and the system. With the scope `read:user:events`, you also see the events of your account.'

export const listEvents = defineRoute({
  ...common,
  path: EVENTS_PATH,
  operationId: 'listEvents',
  summary: 'Get the latest events',
  description: doc(
    `Returns the events of the last 24 hours in the order in which they happened. At most the events of the newest 10,000 requests are in the list. ${VISIBILITY}`,
  ),
  query: EventListQuery,
  responses: { 200: pageResponse(EVENTS_PATH, EventPage, doc('A page of the events')) },
  async handle({ query, caller }, context) {
    const { session, now } = context
    const located = query.after === undefined ? undefined : await locateVisible(query.after, caller, context)
    const after = located && { place: located.row.place, index: located.index }
    const eventRows = await listEventRows(session.db, { ...query, userId: userOfOwnEvents(caller), after }, now)
    const { rows, skipped } = eventRows
    // A row can contain several events. The first events of the first row may belong to the previous page.
    const events = rows.flatMap(eventsOf).slice(skipped, skipped + query.limit)
    const hasGap = query.after !== undefined && !located
    return replyEvents(query, events, eventRows, hasGap)
  },
})

export const getEvent = defineRoute({
  ...common,
  path: `${EVENTS_PATH}/{eventId}`,
  operationId: 'getEvent',
  summary: 'Get an event',
  description: doc(
    `Returns an event of the last 24 hours by its id, which is the same on every transport. ${VISIBILITY}`,
  ),
  params: EventPath,
  responses: { 200: { description: doc('The event'), schema: EventDocument } },
  async handle({ params, caller }, context) {
    const located = await locateVisible(params.eventId, caller, context)
    const event = located && eventsOf(located.row)[located.index]
    if (!event)
      throw new ProblemError('not-found', 'The log contains no event with this id. It keeps events for 24 hours.')
    return reply(200, asDocument(event))
  },
})

/** The caller's id if the caller may see the events of their own account; null if only the events for everybody. */
function userOfOwnEvents(caller: Caller | undefined): number | null {
  return caller?.scopes.includes('read:user:events') ? caller.id : null
}

/** Finds an event that the caller may see: its row in the log, and its index among the events of the row. */
async function locateVisible(
  id: string,
  caller: Caller | undefined,
  { session, now }: RequestContext,
): Promise<{ row: LogRow; index: number } | undefined> {
  const located = await locateEvent(session.db, id, now)
  if (!located) return undefined
  const { userId } = located.row
  return userId === null || userId === userOfOwnEvents(caller) ? located : undefined
}

/**
 * The reply with a page of events. If the request has `after`, the link to the next page names the last event of this
 * page. Otherwise it has an offset.
 *
 * @param hasGap Whether the event `after` is no longer in the log, so that events may be missing
 */
function replyEvents(
  { limit, offset, after }: EventListQuery,
  events: LiveEvent[],
  { total }: EventRows,
  hasGap: boolean,
) {
  const documents = events.map(asDocument)
  const page = new PageBody(documents, (count, basePath) => {
    const last = events[count - 1]
    const hasMore = last !== undefined && offset + count < total
    const nextStart = after === undefined ? { offset: String(offset + count) } : { after: last?.eventId ?? after }
    const next = hasMore
      ? `${basePath}${EVENTS_PATH}?${new URLSearchParams({ limit: String(limit), ...nextStart })}`
      : null
    const meta = { limit, offset, total, next, ...(hasGap && { gap: true as const }) }
    const headers = {
      ...(next !== null && { Link: `<${next}>; rel="next"` }),
      'X-Pagination-Total': String(total),
      'X-Pagination-Page': String(Math.floor(offset / limit) + 1),
      'X-Pagination-Per-Page': String(limit),
    }
    return { others: { meta }, headers }
  })
  return reply(200, page)
}

/** An event as the document that the API returns. @throws ZodError if its type is not in the catalogue */
export function asDocument(event: LiveEvent) {
  return EventDocument.parse(event)
}
