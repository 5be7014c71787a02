import { isSocketRequest } from '../../src/lib/http.ts'

/**
 * A request for a WebSocket as it arrives through Cloudflare's edge; any other request unchanged. In the local runtime,
 * the Worker holds the connections of sockets (src/events/held-connections.ts). In the runtime of these tests, it
 * cannot: the work of a request does not go on in its own context if another object resolves its promise
 * (`no_handle_cross_request_promise_resolution`). test/service/live-close.test.ts tests it in the local runtime.
 */
export function fromEdge(request: Request): Request {
  if (!isSocketRequest(request)) return request
  const headers = new Headers(request.headers)
  headers.set('CF-Ray', '8f0d1c2b3a495867-FRA')
  return new Request(request, { headers })
}
