import { createMiddleware } from 'hono/factory'
import { IMAGE_PATH, isAtImageHost } from '../domain/image-url.ts'
import { unknownPath } from '../domain/problems.ts'
import type { HonoEnv } from './pipeline/context.ts'

const READS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Serves nothing but uploaded images at the host of images. So an image from a stranger never shares an origin with a
 * page of this service.
 */
export const imageHost = createMiddleware<HonoEnv>(async function imageHost(c, next) {
  const { config } = c.env.services
  const url = c.get('url')
  if (!isAtImageHost(url, config.imageHost)) return await next()
  // This host does not lead to the service, so links to the service need PUBLIC_URL.
  if (config.publicUrl === undefined) c.set('baseUrl', '')
  if (!READS.includes(c.req.method) || !IMAGE_PATH.test(url.pathname)) throw unknownPath()
  await next()
})
