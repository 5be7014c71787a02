import type { LoadRequest } from './autocannon.ts'
import { type Program, startServer } from './servers.ts'

/**
 * Starts and stops each program several times, in turn, so that whatever else the machine does affects all equally.
 *
 * @returns The times from each start to the first response, in milliseconds
 */
export async function timeStarts<Name extends string>(
  programs: Record<Name, Program>,
  firstRequest: LoadRequest,
  rounds: number,
): Promise<Record<Name, number[]>> {
  const entries = Object.entries<Program>(programs)
  const times: Record<string, number[]> = Object.fromEntries(entries.map(([name]) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, program] of entries) {
      const server = await startServer(program, firstRequest)
      times[name]?.push(server.startUpMs)
      await server.stop()
    }
  }
  return times
}
