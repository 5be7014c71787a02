import type { Handler } from 'hono'
import { unknownPath } from '../../domain/problems.ts'
import { isInInbox } from '../../domain/url-guard.ts'
import type { HonoEnv } from '../../http/pipeline/context.ts'
import { requireWritesLeft } from '../../http/pipeline/write-limit.ts'
import { receiveInInbox } from './receive-in-inbox.ts'

/** The paths that inboxes take requests at, as Hono writes them. */
export const INBOX_PATHS = '/inboxes/:inboxId/*'

/**
 * Takes whatever is sent to an inbox, by any method. It is no operation of the interface, whose answers the service
 * decides: here its user does.
 */
export const receiveRequest: Handler<HonoEnv> = async (c, next) => {
  // The address of the inbox itself, without anything behind it, is an operation's.
  if (!isInInbox(c.req.path)) return await next()
  await requireWritesLeft(c.env.services, { id: `inbox/${c.req.param('inboxId')}` })
  const response = await receiveInInbox(c.req.raw, c.env.services, { isOurs: false })
  if (!response) throw unknownPath()
  return response
}
