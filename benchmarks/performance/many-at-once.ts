import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../measure.ts'
import { type Load, load } from './autocannon.ts'
import type { Place, Places } from './rounds.ts'
import type { ServerName } from './servers.ts'
import { memoryOf, untilIdle } from './usage.ts'
import { requestOf, type Work } from './works.ts'

/** The number of requests at the same time. */
export const MANY = 1_000

/** What a server does with many requests at the same time. Memory is that of all its processes, in MiB. */
export interface ManyAtOnce extends Load {
  /** At rest, after a first load of the same kind, which fills its caches. */
  memoryBefore: number
  memoryAtPeak: number
  /** At rest, after the last load. */
  memoryAfter: number
}

/** A load, with the memory at its peak and at rest after it. */
interface Round extends Load {
  memoryAtPeak: number
  memoryAfter: number
}

const REST_MS = 5_000
const SAMPLE_MS = 250

/** Sends many requests at the same time to each server, in alternating rounds, after a first one to fill the caches. */
export async function measureManyAtOnce(
  work: Work,
  places: Places,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Record<ServerName, ManyAtOnce>> {
  const names = Object.keys(places) as ServerName[]
  const measured: Partial<Record<ServerName, Round[]>> = {}
  for (let index = 0; index <= rounds; index++) {
    for (const name of index % 2 === 0 ? names : names.toReversed()) {
      measured[name] = [...(measured[name] ?? []), await measureRound(work, places[name], seconds)]
    }
  }
  const summaries = names.map((name) => [name, summarize(measured[name] ?? [])])
  return Object.fromEntries(summaries)
}

async function measureRound(work: Work, { server, world }: Place, seconds: number): Promise<Round> {
  let memoryAtPeak = 0
  const timer = setInterval(() => {
    memoryAtPeak = Math.max(memoryAtPeak, memoryOf(server))
  }, SAMPLE_MS)
  const result = await load(server.url, requestOf(work, world), work.status, { connections: MANY, seconds }).finally(
    () => clearInterval(timer),
  )
  await untilIdle(server)
  await sleep(REST_MS)
  return { ...result, memoryAtPeak, memoryAfter: memoryOf(server) }
}

/** Counts the errors of all rounds. The first one is the warm-up, so it has no part in the other figures. */
function summarize([warmUp, ...rounds]: readonly Round[]): ManyAtOnce {
  const all = [...(warmUp ? [warmUp] : []), ...rounds]
  const medianOf = (key: keyof Round) => median(rounds.map((round) => round[key]))
  const sumOf = (key: keyof Round) => all.reduce((sum, round) => sum + round[key], 0)
  return {
    responses: sumOf('responses'),
    errors: sumOf('errors'),
    requestsPerSecond: medianOf('requestsPerSecond'),
    p50: medianOf('p50'),
    p99: medianOf('p99'),
    memoryBefore: warmUp?.memoryAfter ?? Number.NaN,
    memoryAtPeak: Math.max(...rounds.map((round) => round.memoryAtPeak)),
    memoryAfter: rounds.at(-1)?.memoryAfter ?? Number.NaN,
  }
}
