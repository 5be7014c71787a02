import type { Finding } from '../measure.ts'
import type { Machine } from './machine.ts'
import type { CrowdedName, ManyAtOnce } from './many-at-once.ts'
import type { ServerName } from './servers.ts'
import type { Summary } from './summary.ts'

/** How a run measured. */
export interface Settings {
  rounds: number
  secondsPerRound: number
  connections: number
}

/** What a run has measured. */
export interface Measured {
  machine: Machine
  settings: Settings
  /** Milliseconds from the start of the process to the first response. */
  startUpMs: Record<ServerName, number>
  /** By the names of the works. */
  works: Record<string, Summary>
  manyAtOnce: Record<CrowdedName, ManyAtOnce>
}

/** The content of the JSON file. */
export interface Results extends Measured {
  findings: readonly Finding[]
}
