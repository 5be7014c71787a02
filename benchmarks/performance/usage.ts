import { setTimeout as sleep } from 'node:timers/promises'
import { readTree } from '../../test/service/processes.ts'
import type { Server } from './servers.ts'

const IDLE_WINDOW_MS = 200
const IDLE_CPU_SECONDS = 0.02
const IDLE_TIMEOUT_MS = 20_000

/** The CPU time of all processes of a server since their starts. */
export function cpuSecondsOf({ pid }: Server): number {
  return readTree(pid).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0)
}

/** The resident memory of all processes of a server, in MiB. */
export function memoryOf({ pid }: Server): number {
  return readTree(pid).reduce((sum, { residentBytes }) => sum + residentBytes, 0) / 2 ** 20
}

/**
 * Waits until a server has nothing left to do. A load ends with requests under way, which the server goes on serving.
 */
export async function untilIdle(server: Server): Promise<void> {
  const end = performance.now() + IDLE_TIMEOUT_MS
  while (performance.now() < end) {
    const before = cpuSecondsOf(server)
    await sleep(IDLE_WINDOW_MS)
    if (cpuSecondsOf(server) - before <= IDLE_CPU_SECONDS) return
  }
  throw new Error(`the server at ${server.url} is still busy after ${IDLE_TIMEOUT_MS} ms without requests`)
}
