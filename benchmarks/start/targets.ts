import type { Finding } from '../measure.ts'

const EXISTING_AT_MOST = 0.7
const NEW_AT_MOST = 1
const MEMORY_MIB = 400
const PACKAGES = 45
const MEGABYTES = 250

/** What the targets are about. */
export interface Figures {
  /** Medians of first responses, in milliseconds. */
  startUpMs: Record<'newState' | 'existingState' | 'mockServer', number>
  /** The largest memory of Galaxy at rest, in MiB. */
  memory: number
  packages: number
  megabytes: number
}

/** Compares what a start and an installation of Galaxy take with what they may take. */
export function checkFigures({ startUpMs, memory, packages, megabytes }: Figures): Finding[] {
  const { newState, existingState, mockServer } = startUpMs
  return [
    {
      name: 'first response with an existing state, compared with mock-server',
      ratio: existingState / mockServer,
      atMost: EXISTING_AT_MOST,
    },
    {
      name: 'first response with a new state, compared with mock-server',
      ratio: newState / mockServer,
      atMost: NEW_AT_MOST,
    },
    { name: `memory at rest, of ${MEMORY_MIB} MiB`, ratio: memory / MEMORY_MIB, atMost: 1 },
    { name: `packages of a fresh installation, of ${PACKAGES}`, ratio: packages / PACKAGES, atMost: 1 },
    { name: `size of a fresh installation, of ${MEGABYTES} MB`, ratio: megabytes / MEGABYTES, atMost: 1 },
  ]
}
