import { ownAddress } from '../../own-address.ts'
import { fetchOnce, type ReferenceClient } from './client.ts'
import { BenchDocument, type Entry } from './document.ts'
import type { KnownCalls } from './known-calls.ts'

const DOCUMENTS = { '3.1': 'openapi.json', '3.2': 'openapi-3.2.json' } as const

/** What a run says about a case. */
export interface Result {
  case: string
  level: Entry['level']
  verdict: string
  reason: string | null
  at: number | null
  received: string | null
  encoding: 'base64' | null
}

/**
 * Lets a client call every case of a new run.
 *
 * @param base The base URL of a world
 * @param openapi The version of OpenAPI whose document it reads
 * @param known What other clients have sent, which is not sent again
 * @returns What the run says about each case that was called
 */
export async function runClient(
  base: string,
  tool: string,
  Client: typeof ReferenceClient,
  openapi: keyof typeof DOCUMENTS,
  known?: KnownCalls,
): Promise<Result[]> {
  const response = await fetch(`${base}/lab/runs`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...ownAddress() },
    body: JSON.stringify({ tool, version: '1', openapi }),
  })
  const { url } = await response.json()
  const calls = known?.ofClient()
  const client = new Client(url, new BenchDocument(await (await fetch(`${url}/${DOCUMENTS[openapi]}`)).json()), calls)
  const catalogue = (await (await fetch(`${base}/lab/cases`)).json()) as { cases: Entry[] }
  const cases = catalogue.cases.filter(({ versions }) => versions.includes(openapi))
  // A client that throws has done what it could: the run says what arrived.
  const call = async (entry: Entry) => await client.call(entry).catch(() => undefined)
  // Retries wait for seconds, so all of them are called at once.
  const retries = cases.filter(({ id }) => id.startsWith('retry/')).map(call)
  for (const entry of cases) if (!entry.id.startsWith('retry/')) await call(entry)
  await Promise.all(retries)
  await calls?.sendRest(fetchOnce)
  const { results } = (await (await fetch(url)).json()) as { results: Result[] }
  return calls ? calls.complete(results) : results
}
