import { median } from '../measure.ts'
import type { Round, Rounds } from './rounds.ts'
import type { ServerName } from './servers.ts'

/** What the rounds of a work at a server have in common: sums of responses and errors, medians of the rest. */
export interface Figures {
  responses: number
  errors: number
  requestsPerSecond: number
  p50: number
  p99: number
  cpuSecondsPerThousand: number
}

/** Ratios of rounds that followed each other. */
export interface Ratio {
  median: number
  lowest: number
  highest: number
}

/** What a work costs at each server, and Galaxy compared with each other server. */
export interface Summary {
  servers: Partial<Record<ServerName, Figures>>
  /** Galaxy's figure divided by that of the other server, in each round. */
  galaxyTo: Partial<Record<ServerName, { requestsPerSecond: Ratio; cpu: Ratio }>>
}

export function summarize(rounds: Rounds): Summary {
  const measured = Object.entries(rounds) as [ServerName, Round[]][]
  const galaxy = rounds.galaxy ?? []
  const others = measured.filter(([name]) => name !== 'galaxy')
  return {
    servers: Object.fromEntries(measured.map(([name, all]) => [name, figuresOf(all)])),
    galaxyTo: Object.fromEntries(
      others.map(([name, all]) => [
        name,
        {
          requestsPerSecond: ratioOf(galaxy, all, 'requestsPerSecond'),
          cpu: ratioOf(galaxy, all, 'cpuSecondsPerThousand'),
        },
      ]),
    ),
  }
}

function figuresOf(rounds: readonly Round[]): Figures {
  const medianOf = (key: keyof Figures) => median(rounds.map((round) => round[key]))
  const sumOf = (key: keyof Figures) => rounds.reduce((sum, round) => sum + round[key], 0)
  return {
    responses: sumOf('responses'),
    errors: sumOf('errors'),
    requestsPerSecond: medianOf('requestsPerSecond'),
    p50: medianOf('p50'),
    p99: medianOf('p99'),
    cpuSecondsPerThousand: medianOf('cpuSecondsPerThousand'),
  }
}

function ratioOf(galaxy: readonly Round[], other: readonly Round[], key: keyof Figures): Ratio {
  const ratios = galaxy.map((round, index) => round[key] / (other[index]?.[key] ?? Number.NaN))
  return { median: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) }
}
