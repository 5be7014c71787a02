import { readCompleteDocument } from '../../scripts/lib/complete-documents.ts'
import { Conformance } from '../support/conformance.ts'
import { dereferenced } from '../support/dereferenced.ts'
import { WorldConformance } from '../support/world-conformance.ts'
import { bodyOf } from './galaxy.ts'
import { ownAddress } from './own-address.ts'

const COMMON = JSON.parse(await readCompleteDocument('common'))

/** An event, as far as tests of transports know it. */
export interface HeardEvent {
  eventId: string
  eventType: string
  [member: string]: unknown
}

/** A universe whose events only its test causes. */
export interface LiveUniverse {
  url: string
  id: string
  token: string
  /** Creates a planet. @returns Its id */
  createPlanet(name: string): Promise<number>
  // biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
  call(method: string, path: string, body?: object): Promise<any>
  /** All events of the log, in its order. */
  listEvents(): Promise<HeardEvent[]>
  end(): Promise<void>
}

/** @param seed What it begins with; without planets, it is made in a tenth of the time */
export async function makeLiveUniverse(
  serviceUrl: string,
  seed: 'catalogue' | 'blank' = 'blank',
): Promise<LiveUniverse> {
  const judge = new WorldConformance(new Conformance(dereferenced(COMMON)), serviceUrl)
  const { url, id, token } = await bodyOf(
    await fetch(`${serviceUrl}/universes`, { method: 'POST', ...json({ seed }, ownAddress()) }),
  )
  const authorization = { Authorization: `Bearer ${token}` }

  async function call(method: string, path: string, body?: object) {
    const init = body ? json(body, authorization) : { headers: authorization }
    const response = await fetch(url + path, { method, ...init })
    const { pathname } = new URL(url + path)
    const faults = await judge.findFaults({ method, path: pathname }, response.clone())
    if (faults.length > 0) throw new Error(`${method} ${path} is not as documented: ${faults.join('\n')}`)
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.status === 204 ? undefined : await bodyOf(response)
  }

  return {
    ...{ url, id, token, call },
    createPlanet: async (name) => (await call('POST', '/planets', { name })).id,
    async listEvents() {
      const events: HeardEvent[] = []
      for (let after: string | undefined; ; after = events.at(-1)?.eventId) {
        const query = after === undefined ? '' : `&after=${after}`
        const { data } = await call('GET', `/events?limit=100${query}`)
        if (data.length === 0) return events
        events.push(...data)
      }
    },
    end: () => call('DELETE', '/universe'),
  }
}

function json(body: object, headers: Record<string, string>): RequestInit {
  return { body: JSON.stringify(body), headers: { ...headers, 'Content-Type': 'application/json' } }
}
