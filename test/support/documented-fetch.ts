import { readCompleteDocument } from '../../scripts/lib/complete-documents.ts'
import { Conformance } from './conformance.ts'

const conformance = new Conformance(JSON.parse(await readCompleteDocument('common')))

/** Paths that the runtime itself answers, without the Worker. */
const RUNTIME_PATHS = /^\/(?:cdn-cgi\/|__scheduled)/

/**
 * Fetches from the service.
 *
 * @throws Error if the OpenAPI document does not describe the response
 */
export async function documentedFetch(input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> {
  const request = new Request(input, init)
  const { method, url } = request
  const response = await fetchNow(request)
  const { pathname } = new URL(url)
  if (RUNTIME_PATHS.test(pathname)) return response
  const faults = await conformance.findFaults({ method, path: pathname }, response.clone())
  if (faults.length > 0) throw new Error(`${method} ${pathname} is not as documented:\n${faults.join('\n')}`)
  return response
}

// Captured now, so that the global one can be replaced by the one above.
const fetchNow = globalThis.fetch
