import type { Handler } from 'hono'
import { unknownPath } from '../../domain/problems.ts'
import { isInInbox } from '../../domain/url-guard.ts'
import type { HonoEnv } from '../../http/pipeline/context.ts'
import { requireWritesLeft } from '../../http/pipeline/write-limit.ts'
import { receiveInInbox } from './receive-in-inbox.ts'

/** The paths at which inboxes receive requests, in the syntax of Hono. */
export const INBOX_PATHS = '/inboxes/:inboxId/*'

/**
 * Accepts every request to an inbox, with any method. This is not an operation of the API, because the user of the
 * inbox decides the response, not the service.
 */
export const receiveRequest: Handler<HonoEnv> = async (c, next) => {
  // The URL of the inbox itself belongs to the operations of the API.
  if (!isInInbox(c.req.path)) return await next()
  c.set('routePath', '/inboxes/{inboxId}/*')
  await requireWritesLeft(c.env.services, { id: `inbox/${c.req.param('inboxId')}` })
  const response = await receiveInInbox(c.req.raw, c.env.services, { isFromThisService: false })
  if (!response) throw unknownPath()
  return response
}
