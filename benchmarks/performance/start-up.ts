import { median } from '../measure.ts'
import type { LoadRequest } from './autocannon.ts'
import { type Program, type Server, type ServerName, startServer } from './servers.ts'

export interface Started {
  servers: Record<ServerName, Server>
  /** The median of all starts. */
  startUpMs: Record<ServerName, number>
}

/** Starts each program several times, in turn, and lets the last ones run. */
export async function startInTurn(
  programs: Record<ServerName, Program>,
  firstRequest: LoadRequest,
  rounds: number,
): Promise<Started> {
  const entries = Object.entries(programs) as [ServerName, Program][]
  const times = new Map(entries.map(([name]) => [name, [] as number[]]))
  const servers: Partial<Record<ServerName, Server>> = {}
  for (let left = rounds; left > 0; left--) {
    for (const [name, program] of entries) {
      const server = await startServer(program, firstRequest)
      times.get(name)?.push(server.startUpMs)
      if (left > 1) await server.stop()
      else servers[name] = server
    }
  }
  return {
    servers: servers as Record<ServerName, Server>,
    startUpMs: Object.fromEntries(entries.map(([name]) => [name, median(times.get(name) ?? [])])) as Record<
      ServerName,
      number
    >,
  }
}
