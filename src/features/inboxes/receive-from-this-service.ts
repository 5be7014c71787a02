import { PROBLEMS, ProblemError } from '../../domain/problems.ts'
import { findUniverse } from '../../domain/universe-address.ts'
import { rootCause } from '../../lib/root-cause.ts'
import type { Services } from '../../services.ts'
import { receiveInInbox } from './receive-in-inbox.ts'

/**
 * Receives a call that the service makes, in any of its worlds, to an inbox of this world. Never throws: a failure
 * becomes an error response.
 *
 * @param request Its URL is absolute. If this world has a path, the URL includes it
 */
export async function receiveFromThisService(request: Request, services: Services): Promise<Response> {
  const receivedRequest = withoutPrefix(request, services)
  return await responseOrFailure(() => receiveInInbox(receivedRequest, services, { isFromThisService: true }))
}

/**
 * Returns the response of an inbox. If there is none, the response explains the failure. Never throws.
 *
 * @param receive Calls the inbox. Returns undefined if the inbox does not exist
 */
export async function responseOrFailure(receive: () => Promise<Response | undefined>): Promise<Response> {
  try {
    return (await receive()) ?? new Response('This inbox does not exist.', { status: 404 })
  } catch (error) {
    if (error instanceof ProblemError) return new Response(error.message, { status: PROBLEMS[error.code].status })
    console.error(JSON.stringify({ event: 'inbox-failed', error: rootCause(error).message }))
    return new Response('The inbox is temporarily unavailable.', { status: 503 })
  }
}

/** The request with its path within the world: a universe's own path prefix is removed. */
function withoutPrefix(request: Request, { config }: Services): Request {
  const url = new URL(request.url)
  // The caller has already checked that the host belongs to the service. The host is passed as one of the common world,
  // so `findUniverse` never returns `no-universe`, even if the host is below the domain of universes. The compiler
  // still requires the check.
  const address = findUniverse(url, config.universeHost, [url.href])
  if (address === undefined || address === 'no-universe') return request
  url.pathname = address.path
  return new Request(url, request)
}
