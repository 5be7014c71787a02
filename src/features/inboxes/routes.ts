import { doc } from '#doc'
import { inboxLimit, rateLimitHeaders, spendAttempt } from '../../auth/limits.ts'
import { openSession, write } from '../../db/port.ts'
import { EXAMPLE_ORIGIN } from '../../domain/example-origin.ts'
import { ProblemError } from '../../domain/problems.ts'
import { entity } from '../../http/body/entity.ts'
import { RATE_LIMIT_HEADERS } from '../../http/headers.ts'
import { pageResponse, replyList } from '../../http/pagination.ts'
import { ALL_FORMATS } from '../../http/pipeline/formats.ts'
import { reply } from '../../http/pipeline/reply.ts'
import { defineRoute, type Route } from '../../http/pipeline/route.ts'
import { requireWritesLeft } from '../../http/pipeline/write-limit.ts'
import { widerNetwork } from '../../lib/client-address.ts'
import { newUuid } from '../../lib/ids.ts'
import { EXAMPLE_INBOX_ID, Inbox, InboxInput, InboxPage, InboxPath, type RecordedRequest } from '../../schemas/inbox.ts'
import { PageQuery } from '../../schemas/page.ts'
import type { Services } from '../../services.ts'
import {
  deleteInbox,
  insertInbox,
  needsTouch,
  readInbox,
  type StoredInbox,
  touchInbox,
  updateInbox,
} from '../../stores/inboxes.ts'

const PATH = '/inboxes'
const EXAMPLE_PATH = `${PATH}/${EXAMPLE_INBOX_ID}`
const LIFETIME_MS = 24 * 60 * 60 * 1000

const create = defineRoute({
  method: 'post',
  path: PATH,
  operationId: 'createInbox',
  tag: 'Callbacks',
  summary: 'Create an inbox',
  description: doc(
    'Creates an inbox that receives callbacks, so that you can test them without a server of your own. The inbox records every request to its URL, or to any path below `/inboxes/{inboxId}/`, with any method. It responds with the status and body that you set here: set 503 to see retries. No credentials are required. Anyone who knows the URL can read, change and delete the inbox, and a planet shows its callback URLs to everyone. The inbox is deleted after 24 hours.',
  ),
  since: '2.0.0',
  security: [],
  body: entity(InboxInput, ALL_FORMATS, { mayBeEmpty: true }),
  responses: {
    201: {
      description: doc('The new inbox'),
      schema: Inbox,
      headers: ['Location', ...RATE_LIMIT_HEADERS],
      exampleHeaders: { Location: `${EXAMPLE_ORIGIN}${EXAMPLE_PATH}` },
      links: {
        GetInbox: {
          operationId: 'getInbox',
          description: doc('The inbox, with the requests that it has received'),
          parameters: { inboxId: '$response.body#/id' },
        },
      },
    },
  },
  problems: ['universe-limit', 'too-many-requests'],
  async handle({ body }, { services, session, baseUrl, clientAddress, now }) {
    const limitState = await spendAttempt(session, inboxLimit(services.config, clientAddress), now)
    const expiresAt = new Date(now.getTime() + LIFETIME_MS)
    const network = widerNetwork(clientAddress)
    const inbox = { id: newUuid('inbox'), ...body, network, createdAt: now, lastUsedAt: now, expiresAt }
    await insertInbox(session, inbox)
    return reply(201, presentInbox(inbox, baseUrl), {
      ...rateLimitHeaders(limitState),
      Location: `${baseUrl}${PATH}/${inbox.id}`,
    })
  },
})

const read = defineRoute({
  method: 'get',
  path: `${PATH}/{inboxId}`,
  operationId: 'getInbox',
  tag: 'Callbacks',
  summary: 'Get the requests that an inbox received',
  description: doc(
    'Returns the inbox and the 100 newest requests that it received, in order of arrival. For each request, the response says whether its signatures are valid.',
  ),
  since: '2.0.0',
  security: [],
  isSecret: true,
  params: InboxPath,
  query: PageQuery,
  responses: {
    200: pageResponse(EXAMPLE_PATH, InboxPage, doc('The inbox and a page of the requests that it received')),
  },
  async handle({ params: { inboxId }, query }, { services, session, baseUrl, now }) {
    const { inbox, rows, total } = await readInbox(session.db, inboxId, query, now)
    if (inbox && needsTouch(inbox, now)) services.defer(noteUse(services, inboxId, now))
    const requests = rows.map(({ id, receivedAt, request }) => ({
      id,
      receivedAt: receivedAt.toISOString(),
      ...request,
      truncated: storedBytes(request) < request.size,
    }))
    const { body } = replyList(`${PATH}/${inboxId}`, query, requests, total)
    return reply(200, body.with({ inbox: presentInbox(requireFound(inbox), baseUrl) }))
  },
})

const update = defineRoute({
  method: 'put',
  path: `${PATH}/{inboxId}`,
  operationId: 'updateInbox',
  tag: 'Callbacks',
  summary: 'Change the response of an inbox',
  description: doc(
    'Sets how the inbox responds from now on. Members that you do not send get their defaults: status 200 and an empty body. The recorded requests and the expiry time stay unchanged.',
  ),
  since: '2.0.0',
  security: [],
  params: InboxPath,
  body: entity(InboxInput),
  responses: { 200: { description: doc('The updated inbox'), schema: Inbox } },
  problems: ['too-many-requests'],
  async handle({ params, body }, { services, session, baseUrl, now }) {
    await requireWritesLeft(services, { id: `inbox/${params.inboxId}` })
    const inbox = await updateInbox(session, params.inboxId, body, now)
    return reply(200, presentInbox(requireFound(inbox), baseUrl))
  },
})

const remove = defineRoute({
  method: 'delete',
  path: `${PATH}/{inboxId}`,
  operationId: 'deleteInbox',
  tag: 'Callbacks',
  summary: 'Delete an inbox',
  description: doc('Deletes an inbox before it expires, with all requests that it received.'),
  since: '2.0.0',
  security: [],
  params: InboxPath,
  responses: { 204: { description: doc('The inbox was deleted') } },
  async handle({ params }, { session, now }) {
    if (await deleteInbox(session, params.inboxId, now)) return reply(204)
    throw notFound()
  },
})

/** Size of the stored part of a body, in bytes. */
function storedBytes({ body, encoding }: RecordedRequest): number {
  return encoding === 'text' ? new TextEncoder().encode(body).byteLength : Uint8Array.fromBase64(body).byteLength
}

/** Records the use of an inbox, in a new session, because the session of a request that reads may use a replica. */
async function noteUse({ database }: Services, id: string, now: Date): Promise<void> {
  await write(openSession({ database, hub: undefined }, 'first-primary'), [touchInbox(id, now)])
}

function presentInbox({ id, status, body, expiresAt }: StoredInbox, baseUrl: string): Inbox {
  return { id, url: `${baseUrl}${PATH}/${id}/callbacks`, status, body, expiresAt: expiresAt.toISOString() }
}

function requireFound(inbox: StoredInbox | undefined): StoredInbox {
  if (inbox) return inbox
  throw notFound()
}

function notFound(): ProblemError {
  return new ProblemError('not-found', 'There is no inbox with this id. Inboxes are deleted after 24 hours.')
}

export const inboxRoutes: readonly Route[] = [create, read, update, remove]
