import { json } from '../measure.ts'

/** A universe that a benchmark has made. */
export interface MadeUniverse {
  url: string
  token: string
}

export type Seed = 'catalogue' | 'blank'

export async function makeUniverse(serviceUrl: string, seed: Seed = 'catalogue'): Promise<MadeUniverse> {
  const response = await fetch(`${serviceUrl}/universes`, json({ seed }))
  if (response.status !== 201) throw new Error(`POST /universes returned ${response.status}`)
  return (await response.json()) as MadeUniverse
}

export async function resetUniverse(universe: MadeUniverse): Promise<void> {
  await askOwner(universe, 'POST', '/universe/reset')
}

export async function endUniverse(universe: MadeUniverse): Promise<void> {
  await askOwner(universe, 'DELETE', '/universe')
}

async function askOwner({ url, token }: MadeUniverse, method: string, path: string): Promise<void> {
  const response = await fetch(url + path, { method, headers: { Authorization: `Bearer ${token}` } })
  await response.arrayBuffer()
  if (response.status !== 204) throw new Error(`${method} ${url}${path} returned ${response.status}`)
}
