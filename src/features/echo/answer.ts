import { createMiddleware } from 'hono/factory'
import { ProblemError } from '../../domain/problems.ts'
import { isAtEchoHost } from '../../domain/url-guard.ts'
import { problemResponse } from '../../http/errors/problem.ts'
import { pageWorldOf } from '../../http/pages.ts'
import { clientAddressOf, type HonoContext, type HonoEnv } from '../../http/pipeline/context.ts'
import { echoPathOf } from '../../http/pipeline/echo-path.ts'
import { isSocketRequest, mayHaveBody } from '../../lib/http.ts'
import { readWhole } from '../../lib/read-stream.ts'
import { decodeBody, describeBody, describeEncoded, describePlainly } from './body.ts'
import { requestedDelay } from './delay.ts'
import { chooseEchoFormat, ECHO_FORMATS, formatOfPath } from './formats.ts'
import { describeHead, type EchoWorld } from './message.ts'
import { abortRequest, openSocket } from './socket.ts'
import { requestedStatus, statusHeaders, titleOf } from './status.ts'
import { openStream, STREAM_PATH } from './stream.ts'

const BODY_MAX_BYTES = 1024 * 1024

/**
 * Responds to every request to the echo, with any method, with a description of the request. It runs before all routes,
 * because the host of the echo has no other routes, and the paths of the echo are not operations of the API.
 */
export const answerEcho = createMiddleware<HonoEnv>(async function answerEcho(c, next) {
  const path = echoPathOf(c.get('url'), c.env.services.config)
  if (path === undefined) return await next()
  c.set('routePath', '/echo')
  return await respond(c, path)
})

/** Responds to a request to the echo. @param path The path without the prefix `/echo` */
async function respond(c: HonoContext, path: string): Promise<Response> {
  const request = c.req.raw
  const { services } = c.env
  if (isSocketRequest(request)) {
    const cut = () => abortRequest(c.executionCtx)
    return openSocket(request.headers, clientAddressOf(request.headers), { ...services, cut })
  }
  const delay = requestedDelay(request.url)
  // The body has not been read yet, so it takes no memory during the delay.
  if (delay > 0) await services.wait(delay)
  if (path === STREAM_PATH && ['GET', 'HEAD'].includes(request.method)) return openStream(request, services)
  const status = requestedStatus(path) ?? 200
  if (status >= 400) return respondWithProblem(c, path, status)
  const headers = statusHeaders(status, `${c.get('baseUrl')}/echo`)
  return mayHaveBody(status)
    ? await respondWithMessage(request, path, status, headers, echoWorldOf(c))
    : new Response(null, { status, headers })
}

/**
 * Where the page of an echo is shown. At the host of the echo, `/` is an echo too, so links to the service need its
 * public address, if it is configured.
 */
function echoWorldOf(c: HonoContext): EchoWorld {
  const { echoHost, publicUrl } = c.env.services.config
  const linkBase = isAtEchoHost(c.get('url'), echoHost) ? (publicUrl ?? null) : ''
  return { linkBase, ...pageWorldOf(c.get('baseUrl'), c.env.services) }
}

/** @throws ProblemError 406 if no format is acceptable; 413 if the body is larger than `BODY_MAX_BYTES`, or decodes to too much */
async function respondWithMessage(
  request: Request,
  path: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  world: EchoWorld,
): Promise<Response> {
  const { mediaType, policy, write } = chooseEchoFormat(path, request.headers)
  const bytes = await readWhole(request.body, BODY_MAX_BYTES)
  if (!bytes) throw new ProblemError('content-too-large', `The echo accepts a body of at most ${BODY_MAX_BYTES} bytes.`)
  const head = describeHead(request, path)
  const decoded = decodeBody(bytes, request.headers, BODY_MAX_BYTES)
  const body = decoded ? await describeBody(decoded, request.headers) : describeEncoded(bytes)
  const withParsedBody = await write({ ...head, ...body }, world)
  // With the parsed body, the echo can be too long. It then has the body as text or base64.
  const content = withParsedBody ?? (await write({ ...head, ...(decoded ? describePlainly(decoded) : body) }, world))
  return new Response(content, {
    status,
    headers: { ...headers, 'Content-Type': mediaType, 'Content-Security-Policy': policy, Vary: 'Accept' },
  })
}

/**
 * Responds with the error status that the path requests. This is not a problem of the service, so its type is
 * `about:blank` (RFC 9457, section 4.2.1).
 */
function respondWithProblem(c: HonoContext, path: string, status: number): Response {
  const detail = 'The path requested this status.'
  const problem = {
    type: 'about:blank',
    title: titleOf(status),
    status,
    detail,
    instance: `urn:uuid:${c.get('requestId')}`,
  }
  const format = formatOfPath(path)
  // A problem is JSON or XML. If the path requests one of them, that takes precedence over `Accept`.
  const isFormatRequested = format === 'json' || format === 'xml'
  const headers = isFormatRequested ? new Headers({ Accept: ECHO_FORMATS[format].mediaType }) : c.req.raw.headers
  // An error status is no redirect, so the target is not used.
  return problemResponse(problem, statusHeaders(status, c.get('baseUrl')), headers)
}
