import { documentedFetch } from '../support/documented-fetch.ts'
import { bodyOf, type Galaxy, type ScheduledGalaxy } from './galaxy.ts'

// A user of a running service who creates planets and reads the log of their callbacks.

export interface Client {
  get(path: string): Promise<Response>
  post(path: string, body?: object): Promise<Response>
  /** The same user at another address of the service, or by another `fetch`. */
  by(fetcher: typeof fetch): Client
}

const PASSWORD = 'i-love-planets'

/** Signs up, and creates a key that survives restarts. Every response is compared with the OpenAPI document. */
export async function signUp({ url }: Pick<Galaxy, 'url'>, email: string): Promise<Client> {
  const stranger = clientOf(url, {}, documentedFetch)
  await stranger.post('/user/signup', { name: 'Ünal', email, password: PASSWORD })
  const { token } = await bodyOf(await stranger.post('/auth/token', { email, password: PASSWORD }))
  const { key } = await bodyOf(
    await clientOf(url, { Authorization: `Bearer ${token}` }, documentedFetch).post('/me/api-keys', {}),
  )
  return clientOf(url, { 'X-API-Key': key }, documentedFetch)
}

function clientOf(origin: string, headers: Record<string, string>, fetcher: typeof fetch): Client {
  return {
    get: (path) => fetcher(new URL(path, origin), { headers }),
    post: (path, body) =>
      fetcher(new URL(path, origin), {
        method: 'POST',
        headers: body ? { ...headers, 'Content-Type': 'application/json' } : headers,
        ...(body && { body: JSON.stringify(body) }),
      }),
    by: (other) => clientOf(origin, headers, other),
  }
}

/** Runs the scheduled job, which would otherwise run every minute. */
export async function sweep({ scheduled }: Pick<ScheduledGalaxy, 'scheduled'>): Promise<void> {
  const { ok, status } = await fetch(scheduled)
  if (!ok) throw new Error(`the job of each minute was answered with ${status}`)
}

/** The number of a user's deliveries with this status, or of all. */
export async function countDeliveries(client: Client, status?: string): Promise<number> {
  const query = status === undefined ? '' : `&status=${status}`
  return (await bodyOf(await client.get(`/deliveries?limit=1${query}`))).meta.total
}

/**
 * Reads a value repeatedly until it is as wanted, and returns it.
 *
 * @throws Error with the last value if this takes too long
 */
export async function until<Value>(
  read: () => Value | Promise<Value>,
  isWanted: (value: Value) => boolean,
  timeoutMs = 30_000,
): Promise<Value> {
  const end = performance.now() + timeoutMs
  for (;;) {
    const value = await read()
    if (isWanted(value)) return value
    if (performance.now() > end) throw new Error(`not in ${timeoutMs} ms: ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Does something for each item, for `atOnce` items at the same time. */
export async function forEachOf<Item>(
  items: readonly Item[],
  atOnce: number,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  // All workers share one iterator, so each item is taken once.
  const remainingItems = items.values()
  const work = async () => {
    for (const item of remainingItems) await act(item)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}
