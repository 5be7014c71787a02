import { type Load, load, type Pressure } from './autocannon.ts'
import type { Server, ServerName } from './servers.ts'
import { cpuSecondsOf, untilIdle } from './usage.ts'
import { requestOf, type Work } from './works.ts'
import type { World } from './world.ts'

/** A running server, and what requests to it refer to. */
export interface Place {
  server: Server
  world: World
}

export type Places = Record<ServerName, Place>

/** What one round has measured at one server. */
export interface Round extends Load {
  /** Of all processes of the server. If the work has a callback, it contains the work after the response. */
  cpuSecondsPerThousand: number
}

/** The rounds of a work, in their order, at each server that does it. */
export type Rounds = Partial<Record<ServerName, Round[]>>

const WARM_UP_SECONDS = 2

/** Waits until the receiver has got this many calls since the last time. */
export type Drain = (calls: number) => Promise<void>

/**
 * Measures a work at its servers in turn, so that whatever else the machine does affects all of them equally. Every
 * second round has the opposite order.
 *
 * @throws Error if a response has an unexpected status, because a figure with errors tells nothing
 */
export async function measureWork(
  work: Work,
  places: Places,
  { rounds, ...pressure }: Pressure & { rounds: number },
  drain: Drain,
): Promise<Rounds> {
  const measured: Rounds = {}
  const warmUp = { ...pressure, seconds: Math.min(WARM_UP_SECONDS, pressure.seconds) }
  for (const name of work.servers) await measureRound(work, places[name], warmUp, drain)
  for (let index = 0; index < rounds; index++) {
    for (const name of index % 2 === 0 ? work.servers : work.servers.toReversed()) {
      const round = await measureRound(work, places[name], pressure, drain)
      const { errors, responses } = round
      if (errors > 0 || responses === 0)
        throw new Error(`${work.name} at ${name}: ${responses} responses, ${errors} errors`)
      measured[name] = [...(measured[name] ?? []), round]
    }
  }
  return measured
}

async function measureRound(work: Work, { server, world }: Place, pressure: Pressure, drain: Drain): Promise<Round> {
  const { connections = pressure.connections } = work
  const before = cpuSecondsOf(server)
  const result = await load(server.url, requestOf(work, world), work.status, { ...pressure, connections })
  if (work.hasCallback) await drain(result.responses)
  const used = cpuSecondsOf(server) - before
  await untilIdle(server)
  return { ...result, cpuSecondsPerThousand: (used / result.responses) * 1000 }
}
