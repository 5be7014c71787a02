import { json, median, percentile } from '../measure.ts'
import { PLANET } from '../performance/world.ts'
import type { MadeUniverse } from './universe.ts'

/** What a mixed load has measured. Times in milliseconds. */
export interface MixedLoad {
  responses: number
  errors: number
  requestsPerSecond: number
  p50: number
  p99: number
}

/** A kind of request, and how many of a thousand requests are of this kind. */
interface Kind {
  share: number
  status: number
  path: string
  init?(universe: MadeUniverse, index: number): RequestInit
}

/** A sign-up hashes a password, which takes longer than a hundred other requests. */
const KINDS: readonly Kind[] = [
  { share: 500, status: 200, path: '/planets/4' },
  { share: 200, status: 200, path: '/planets?limit=10&offset=100' },
  { share: 218, status: 201, path: '/planets', init: ({ token }) => withToken(token, json(PLANET)) },
  { share: 80, status: 200, path: '/echo', init: () => json({ hello: 'universe' }) },
  {
    share: 2,
    status: 201,
    path: '/user/signup',
    init: (_, index) => json({ email: `user${index}@galaxy.test`, password: 'correct horse' }),
  },
]

/** Every thousand requests have all kinds, well mixed: 7 and 1,000 have no common factor. */
const ORDER = KINDS.flatMap((kind) => Array<Kind>(kind.share).fill(kind))
const STEP = 7

/** Sends requests of all kinds to all universes in turn. */
export async function sendMixedLoad(
  universes: readonly MadeUniverse[],
  { connections, seconds }: { connections: number; seconds: number },
): Promise<MixedLoad> {
  const started = performance.now()
  const times: number[] = []
  let sent = 0
  let errors = 0
  const work = async () => {
    while (performance.now() - started < seconds * 1000) {
      const index = sent++
      const universe = universes[index % universes.length]
      // The second part lets a universe get other kinds in the next thousand.
      const kind = ORDER[(index * STEP + Math.floor(index / ORDER.length)) % ORDER.length]
      if (!universe || !kind) throw new Error('there are no universes')
      const begin = performance.now()
      const status = await send(universe, kind, index)
      times.push(performance.now() - begin)
      if (status !== kind.status) errors++
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
  const requestsPerSecond = (times.length * 1000) / (performance.now() - started)
  return { responses: times.length, errors, requestsPerSecond, p50: median(times), p99: percentile(times, 99) }
}

/** @returns The status; undefined without a response */
async function send(universe: MadeUniverse, { path, init }: Kind, index: number): Promise<number | undefined> {
  try {
    const response = await fetch(universe.url + path, init?.(universe, index))
    await response.arrayBuffer()
    return response.status
  } catch {
    return undefined
  }
}

function withToken(token: string, { headers, ...init }: RequestInit): RequestInit {
  return { ...init, headers: { ...(headers as Record<string, string>), Authorization: `Bearer ${token}` } }
}
