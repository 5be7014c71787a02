import { createMiddleware } from 'hono/factory'
import { IMAGE_PATH, isAtImageHost } from '../domain/image-url.ts'
import { unknownPath } from '../domain/problems.ts'
import { decodeUnreserved } from '../lib/uri-path.ts'
import type { HonoEnv } from './pipeline/context.ts'

const METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Serves only uploaded images at the host of images. So an image from a stranger never has the same origin as a page of
 * this service.
 */
export const imageHost = createMiddleware<HonoEnv>(async function imageHost(c, next) {
  const { config } = c.env.services
  const url = c.get('url')
  if (!isAtImageHost(url, config.imageHost)) return await next()
  // Links to the service cannot begin with the host of images. Without PUBLIC_URL, their base URL is unknown.
  if (config.publicUrl === undefined) c.set('baseUrl', '')
  if (!METHODS.includes(c.req.method) || !IMAGE_PATH.test(decodeUnreserved(url.pathname))) throw unknownPath()
  await next()
})
