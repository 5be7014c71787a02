import { runtimeMemory } from '../test/service/memory.ts'
import { tellsProcesses } from '../test/service/processes.ts'
import type { Finding } from './measure.ts'

const REQUESTS_PER_SECOND = 200
const SECONDS = 10
const WARM_UP_SECONDS = 3
const BODY_BYTES = 1024 * 1024
/** Maximum number of requests under way, so that a slower machine gets fewer requests and is not overloaded. */
const CONCURRENCY = 32

/** The echo keeps nothing of what it receives, however much that is. */
export async function measureEchoMemory(url: string): Promise<Finding[]> {
  if (!tellsProcesses) {
    console.log('Echo: skipped, because this machine does not report the memory of its processes')
    return []
  }
  const idle = runtimeMemory()
  await offer(url, WARM_UP_SECONDS)
  const rows = [await measure(url, 'first half'), await measure(url, 'second half')]
  console.log(
    `Echo, bodies of 1 MiB, up to ${REQUESTS_PER_SECOND} requests per second; ${idle.toFixed(0)} MiB in use before the load`,
  )
  console.table(rows)
  const [first, second] = rows.map((row) => row['MiB in use at the end'])
  return [
    {
      name: 'memory after the second half of the load, compared with the first',
      ratio: ratio(second, first),
      atMost: 1.25,
    },
  ]
}

function ratio(second = Number.NaN, first = Number.NaN): number {
  return second / first
}

async function measure(url: string, part: string) {
  const { answered, seconds } = await offer(url, SECONDS / 2)
  return {
    part,
    'responses per second': Math.round(answered / seconds),
    'MiB in use at the end': Math.round(runtimeMemory()),
  }
}

interface Offered {
  type: string
  body: Buffer
}

/** The echo describes these in different ways: as text, as bytes, parsed, and as text if there is too much to parse. */
const BODIES: readonly Offered[] = [
  { type: 'text/plain', body: Buffer.alloc(BODY_BYTES, 'planet') },
  { type: 'application/octet-stream', body: Buffer.alloc(BODY_BYTES, 0xff) },
  { type: 'application/json', body: Buffer.from(`["${'planet'.repeat(BODY_BYTES / 6 - 1)}"]`) },
  { type: 'application/json', body: Buffer.from(`[${'-0,'.repeat(BODY_BYTES / 3 - 2)}-0]`) },
  { type: 'application/x-www-form-urlencoded', body: Buffer.alloc(BODY_BYTES, 'a&') },
]

function pickBody(index: number): Offered {
  const offered = BODIES[index % BODIES.length]
  if (!offered) throw new Error('BODIES is empty')
  return offered
}

/** Sends requests at the given rate or, if the machine cannot keep up, as fast as it responds. */
async function offer(url: string, seconds: number): Promise<{ answered: number; seconds: number }> {
  const total = seconds * REQUESTS_PER_SECOND
  const started = performance.now()
  const until = started + seconds * 1000
  let sent = 0
  let answered = 0
  const work = async () => {
    while (sent < total && performance.now() < until) {
      const due = started + (sent * 1000) / REQUESTS_PER_SECOND
      const { type, body } = pickBody(sent++)
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())))
      const response = await fetch(`${url}/echo`, { method: 'POST', body, headers: { 'Content-Type': type } })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`POST /echo returned ${response.status}`)
      answered++
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return { answered, seconds: (performance.now() - started) / 1000 }
}
