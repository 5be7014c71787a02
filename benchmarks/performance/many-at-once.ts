import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../measure.ts'
import { type Extent, type Load, load } from './autocannon.ts'
import type { PopulatedServer, PopulatedServers } from './rounds.ts'
import { SERVERS, type ServerName } from './servers.ts'
import { memoryOf, untilIdle } from './usage.ts'
import { requestOf, type Work } from './works.ts'

/** The number of requests at the same time. */
export const MANY = 1_000

/** What gets many requests at the same time, with the names in tables. */
export const CROWDED = { ...SERVERS, constant: 'floor, a constant' } as const

export type CrowdedName = keyof typeof CROWDED

/** The load of one round. */
interface Round {
  /** Each connection sends one request. */
  burst: Load
  /** Each connection sends a request again and again. */
  sustained: Load
  /** Memory of all processes of the server, in MiB. */
  memoryAtPeak: number
  memoryAtRest: number
}

/** What a server does with many requests at the same time. Memory is that of all its processes, in MiB. */
export interface ManyAtOnce {
  burst: Load
  sustained: Load
  /** At rest, after a first load of the same kind, which fills its caches. */
  memoryBefore: number
  memoryAtPeak: number
  /** At rest, after the last load. */
  memoryAfter: number
}

interface Case {
  name: CrowdedName
  work: Work
  at: PopulatedServer
}

const REST_MS = 5_000
const SAMPLE_MS = 250

/**
 * Sends many requests at the same time to each server, in alternating rounds, after a first one to fill the caches.
 *
 * @param work The request
 * @param constant A request that the floor answers with a constant. The runtime does nothing else there
 */
export async function measureManyAtOnce(
  { work, constant }: { work: Work; constant: Work },
  populated: PopulatedServers,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Record<CrowdedName, ManyAtOnce>> {
  const names = Object.keys(populated) as ServerName[]
  const cases: Case[] = names.map((name) => ({ name, work, at: populated[name] }))
  cases.push({ name: 'constant', work: constant, at: populated.floor })
  const measured = new Map<CrowdedName, Round[]>(cases.map(({ name }) => [name, []]))
  for (let index = 0; index <= rounds; index++) {
    for (const one of index % 2 === 0 ? cases : cases.toReversed()) {
      measured.get(one.name)?.push(await measureRound(one, seconds))
    }
  }
  const summaries = [...measured].map(([name, all]) => [name, summarize(all)])
  return Object.fromEntries(summaries)
}

async function measureRound({ work, at: { server, world } }: Case, seconds: number): Promise<Round> {
  let memoryAtPeak = 0
  const send = (extent: Extent) =>
    load(server.url, requestOf(work, world), work.status, { connections: MANY, ...extent })
  const timer = setInterval(() => {
    memoryAtPeak = Math.max(memoryAtPeak, memoryOf(server))
  }, SAMPLE_MS)
  try {
    const burst = await send({ requests: MANY })
    const sustained = await send({ seconds })
    await untilIdle(server)
    await sleep(REST_MS)
    return { burst, sustained, memoryAtPeak, memoryAtRest: memoryOf(server) }
  } finally {
    clearInterval(timer)
  }
}

function summarize(all: readonly Round[]): ManyAtOnce {
  const [warmUp, ...rounds] = all
  return {
    burst: summarizeLoads(all.map(({ burst }) => burst)),
    sustained: summarizeLoads(all.map(({ sustained }) => sustained)),
    memoryBefore: warmUp?.memoryAtRest ?? Number.NaN,
    memoryAtPeak: Math.max(...rounds.map((round) => round.memoryAtPeak)),
    memoryAfter: rounds.at(-1)?.memoryAtRest ?? Number.NaN,
  }
}

/** Counts the responses and errors of all loads. The first one is the warm-up, so it has no part in the medians. */
function summarizeLoads(all: readonly Load[]): Load {
  const medianOf = (key: keyof Load) => median(all.slice(1).map((load) => load[key]))
  const sumOf = (key: keyof Load) => all.reduce((sum, load) => sum + load[key], 0)
  return {
    responses: sumOf('responses'),
    errors: sumOf('errors'),
    requestsPerSecond: medianOf('requestsPerSecond'),
    p50: medianOf('p50'),
    p99: medianOf('p99'),
  }
}
