import { createMiddleware } from 'hono/factory'
import type { HonoEnv } from '../http/pipeline/context.ts'
import { fetchFile } from '../lib/built-file.ts'

/** The folder of the files that the build writes for browsers (scripts/lib/browser-files.ts). */
const FOLDER = '/assets/'

/** The name of each file contains a hash or a version, so browsers and CDNs may keep it for ever (RFC 8246). */
const FOR_EVER = 'public, max-age=31536000, immutable'

/**
 * Responds to requests for files that pages load. It does so at every host, because the pages of the echo also load
 * these files. The files are not operations of the API. A request for an unknown file passes to the app, which responds
 * with 404. That response is not cached.
 */
export const answerAsset = createMiddleware<HonoEnv>(async function answerAsset(c, next) {
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  if (!isRead || !c.req.path.startsWith(FOLDER)) return await next()
  const file = await fetchFile(c.env.services.assets, c.req.raw, (response) => response)
  const isKnown = file.ok || file.status === 304
  if (!isKnown) return await next()
  c.set('routePath', '/assets')
  const response = new Response(file.body, file)
  response.headers.set('Cache-Control', FOR_EVER)
  return response
})
