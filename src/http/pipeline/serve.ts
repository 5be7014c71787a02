import type { Handler } from 'hono'
import { CredentialEnded } from '../../db/constraints.ts'
import { RefusedBody } from '../../domain/problems.ts'
import type { Reply } from '../../domain/reply.ts'
import { rootCause } from '../../lib/root-cause.ts'
import { streamDecoded } from '../body/content-coding.ts'
import type { ReadBody } from '../body/reader.ts'
import { pageWorldOf } from '../pages.ts'
import { explainEndedCredential } from './authorize.ts'
import { contextOf, type HonoContext, type HonoEnv, type Parameters } from './context.ts'
import { onlyOnce } from './only-once.ts'
import type { Route, RouteRequest } from './route.ts'
import { takesIdempotencyKey } from './route-facts.ts'
import { replySender } from './send-reply.ts'

/** Reads the body, runs the handler and sends its reply. */
export function serve(route: Route): Handler<HonoEnv, string, Parameters> {
  const sendReply = replySender(route)
  const keepsReply = takesIdempotencyKey(route)
  return async function serve(c) {
    const send = (reply: Reply) =>
      sendReply(reply, c.get('format'), c.req.raw.headers, pageWorldOf(c.get('baseUrl'), c.env.services))
    try {
      const { body, content } = await readBody(route, c)
      const request: RouteRequest = {
        params: c.req.valid('param'),
        query: c.req.valid('query'),
        headers: c.req.valid('header'),
        body,
        caller: c.get('caller'),
        prefetched: c.get('prefetched'),
      }
      // The context is created after the body was read, which may take minutes. So `now` is when the handler starts.
      const work = async () => send(await route.handle(request, contextOf(c)))
      return await (keepsReply ? onlyOnce(c, content, send, work) : work())
    } catch (error) {
      throw rootCause(error) instanceof CredentialEnded ? await explainEndedCredential(c, route) : error
    }
  }
}

/** Reads the body, if the route has one. If the body is rejected, the route's `onBodyRefused` runs before the error. */
async function readBody({ body: reader, onBodyRefused }: Route, c: HonoContext): Promise<ReadBody<unknown>> {
  if (!reader) return { body: undefined, content: new Uint8Array() }
  if (reader.kind === 'mixed') {
    const { body, headers } = c.req.raw
    const stream = streamDecoded(body ?? new Blob().stream(), headers, reader.maxBytes)
    return await reader.readStream(stream, contextOf(c))
  }
  const bytes = c.get('decodedBody') ?? new Uint8Array(await c.req.arrayBuffer())
  const context = contextOf(c)
  const caller = c.get('caller')
  try {
    const body = await reader.read(bytes, context)
    // Each attempt to send a form with a file has another boundary. So only the file counts as the content. It is
    // copied, because the compiler cannot know that its buffer is an ArrayBuffer.
    return { body, content: body instanceof Uint8Array ? new Uint8Array(body) : bytes }
  } catch (error) {
    if (error instanceof RefusedBody && caller) await onBodyRefused?.(error, caller, context)
    throw error
  }
}
