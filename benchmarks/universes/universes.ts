import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tellsProcesses } from '../../test/service/processes.ts'
import type { Finding } from '../measure.ts'
import { ensurePackages } from '../performance/packages.ts'
import { prepareGalaxy } from '../performance/programs.ts'
import { startServer } from '../performance/servers.ts'
import { compareWithCommonWorld } from './beside-common-world.ts'
import { measureCrowd } from './crowd.ts'
import { measureLife } from './life.ts'

/** How the rounds of requests per second are measured. */
export interface Options {
  rounds: number
  seconds: number
}

/** Measures universes. The runtime itself listens, so that no figure contains the proxy of `npm start`. */
export async function measureUniverses(options: Options): Promise<Finding[]> {
  if (!tellsProcesses) {
    console.log('Universes: skipped, because this machine does not report the memory of its processes')
    return []
  }
  ensurePackages()
  const folder = await mkdtemp(join(tmpdir(), 'galaxy-benchmark-'))
  try {
    const server = await startServer(await prepareGalaxy(folder), { path: '/planets/4' })
    try {
      const life = await measureLife(server.url)
      const rates = await compareWithCommonWorld(server.url, options)
      return [...life, ...rates, ...(await measureCrowd(server, options))]
    } finally {
      await server.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
