import { until } from '../../test/service/callbacks-client.ts'
import { type Load, load } from './autocannon.ts'
import type { Server, ServerName } from './servers.ts'
import { cpuSecondsOf, untilIdle } from './usage.ts'
import { requestOf, type Work } from './works.ts'
import type { World } from './world.ts'

/** A running server, and what requests to it refer to. */
export interface PopulatedServer {
  server: Server
  world: World
}

export type PopulatedServers = Record<ServerName, PopulatedServer>

/** What one round has measured at one server. */
export interface Round extends Load {
  /** Of all processes of the server. If the work has a callback, it contains the work after the response. */
  cpuSecondsPerThousand: number
}

/** The rounds of a work, in their order, at each server that does it. */
export type Rounds = Partial<Record<ServerName, Round[]>>

const WARM_UP_SECONDS = 5
const CALLS_TIMEOUT_MS = 120_000

/** How a work is measured. */
export interface Plan {
  rounds: number
  /** The length of a round. */
  seconds: number
  /** The number of requests at the same time. */
  connections: number
  /** The number of calls that the receiver of callbacks has got so far. */
  countCalls(): number
}

/**
 * Measures a work at its servers in turn, so that whatever else the machine does affects all of them equally. Every
 * second round has the opposite order.
 */
export async function measureWork(work: Work, populated: PopulatedServers, plan: Plan): Promise<Rounds> {
  const measured: Rounds = {}
  const warmUp = { ...plan, seconds: Math.min(WARM_UP_SECONDS, plan.seconds) }
  for (const name of work.servers) await measureRound(work, populated[name], warmUp)
  for (let index = 0; index < plan.rounds; index++) {
    for (const name of index % 2 === 0 ? work.servers : work.servers.toReversed()) {
      measured[name] = [...(measured[name] ?? []), await measureRound(work, populated[name], plan)]
    }
  }
  return measured
}

async function measureRound(work: Work, { server, world }: PopulatedServer, plan: Plan): Promise<Round> {
  const { connections = plan.connections } = work
  const [cpuBefore, callsBefore] = [cpuSecondsOf(server), plan.countCalls()]
  const result = await load(server.url, requestOf(work, world), work.status, { seconds: plan.seconds, connections })
  if (work.hasCallback) {
    const expected = callsBefore + result.responses - result.errors
    await until(plan.countCalls, (calls) => calls >= expected, CALLS_TIMEOUT_MS)
  }
  const used = cpuSecondsOf(server) - cpuBefore
  await untilIdle(server)
  return { ...result, cpuSecondsPerThousand: (used / result.responses) * 1000 }
}
