import { cpus, totalmem } from 'node:os'
import { installedVersion, projectVersion } from './packages.ts'

/** Where and with what a run has measured. */
export interface Machine {
  date: string
  cpu: string
  cores: number
  memoryGib: number
  versions: Record<string, string>
}

export function describeMachine(): Machine {
  const cores = cpus()
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    versions: {
      Node: process.versions.node,
      workerd: projectVersion('workerd') ?? 'unknown',
      Miniflare: projectVersion('miniflare') ?? 'unknown',
      '@scalar/mock-server': installedVersion('@scalar/mock-server') ?? 'unknown',
      '@stoplight/prism-cli': installedVersion('@stoplight/prism-cli') ?? 'unknown',
      autocannon: installedVersion('autocannon') ?? 'unknown',
    },
  }
}
