import type { Handler } from 'hono'
import { CredentialEnded } from '../../db/guarded-session.ts'
import { RefusedBody } from '../../domain/problems.ts'
import { rootCause } from '../../lib/root-cause.ts'
import type { BodyReader } from '../body/reader.ts'
import { explainEnd } from './authorize.ts'
import { contextOf, type HonoContext, type HonoEnv } from './context.ts'
import type { Route, RouteRequest } from './route.ts'
import { replySender } from './send-reply.ts'

/** Reads the body, runs the handler and sends its reply. */
export function serve(route: Route): Handler<HonoEnv> {
  const sendReply = replySender(route)
  return async function serve(c) {
    try {
      const body = route.body && (await readBody(route, route.body, c))
      const request: RouteRequest = {
        params: c.get('params'),
        query: c.get('query'),
        body,
        caller: c.get('caller'),
        prefetched: c.get('prefetched'),
      }
      // The context is created after the body was read, which may take minutes. So `now` is when the handler starts.
      return sendReply(await route.handle(request, contextOf(c)), c.get('format'), c.req.raw.headers)
    } catch (error) {
      throw rootCause(error) instanceof CredentialEnded ? await explainEnd(c, route) : error
    }
  }
}

/** Reads the body. If it is rejected, the route's `onBodyRefused` runs first. */
async function readBody({ onBodyRefused }: Route, body: BodyReader<unknown>, c: HonoContext): Promise<unknown> {
  const bytes = new Uint8Array(await c.req.arrayBuffer())
  const context = contextOf(c)
  const caller = c.get('caller')
  try {
    return await body.read(bytes, context)
  } catch (error) {
    if (error instanceof RefusedBody && caller) await onBodyRefused?.(error, caller, context)
    throw error
  }
}
