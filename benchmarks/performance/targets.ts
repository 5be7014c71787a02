import type { Finding } from '../measure.ts'
import { MANY, type ManyAtOnce } from './many-at-once.ts'
import type { Measured } from './results.ts'
import { SERVERS } from './servers.ts'
import type { Summary } from './summary.ts'
import type { Work } from './works.ts'

const MANY_P99_AT_MOST = 10
const MANY_MEMORY_AT_MOST = 1.1

/** Compares what a run has measured with what it must be. */
export function checkResults({ works: measured, manyAtOnce }: Measured, works: readonly Work[]): Finding[] {
  return [
    ...works.flatMap((work) => checkWork(work, measured[work.name])),
    checkErrors(Object.values(measured)),
    ...checkManyAtOnce(manyAtOnce.galaxy),
  ]
}

/** A figure with errors tells nothing, neither about Galaxy nor about the floor. */
function checkErrors(summaries: readonly Summary[]): Finding {
  const figures = summaries.flatMap(({ servers: { galaxy, floor, limit } }) => [galaxy, floor, limit])
  const sumOf = (key: 'errors' | 'responses') => figures.reduce((sum, figure) => sum + (figure?.[key] ?? 0), 0)
  const name = 'All requests to Galaxy, the floor and the limit: errors, compared with responses'
  return { name, ratio: sumOf('errors') / sumOf('responses'), atMost: 0 }
}

/** Compares what a work costs with its targets. */
function checkWork({ title, targets = {} }: Work, summary: Summary | undefined): Finding[] {
  const { requestsAtLeast, cpuAtMost, cpuOverLimitAtMost, aheadOf } = targets
  const { galaxyTo = {} } = summary ?? {}
  const findings: Finding[] = []
  const requestsTo = (ratios: Summary['galaxyTo'][keyof Summary['galaxyTo']]) =>
    ratios?.requestsPerSecond.median ?? Number.NaN
  if (requestsAtLeast !== undefined) {
    const name = `${title}: requests per second, compared with the floor`
    findings.push({ name, ratio: requestsTo(galaxyTo.floor), atLeast: requestsAtLeast })
  }
  if (cpuAtMost !== undefined) {
    const ratio = galaxyTo.floor?.cpu.median ?? Number.NaN
    findings.push({ name: `${title}: CPU, compared with the floor`, ratio, atMost: cpuAtMost })
  }
  if (cpuOverLimitAtMost !== undefined) {
    const ratio = galaxyTo.limit?.cpu.median ?? Number.NaN
    findings.push({ name: `${title}: CPU, compared with the limit`, ratio, atMost: cpuOverLimitAtMost })
  }
  if (aheadOf !== undefined) {
    const name = `${title}: requests per second, compared with ${SERVERS[aheadOf]}`
    findings.push({ name, ratio: requestsTo(galaxyTo[aheadOf]), atLeast: 1 })
  }
  return findings
}

/** Compares what Galaxy does with many requests at the same time with what it must do. */
function checkManyAtOnce({ burst, sustained, memoryBefore, memoryAfter }: ManyAtOnce): Finding[] {
  const load = `${MANY.toLocaleString('en')} requests at the same time`
  const errors = burst.errors + sustained.errors
  return [
    {
      name: `${load}: errors, compared with responses`,
      ratio: errors / (burst.responses + sustained.responses),
      atMost: 0,
    },
    { name: `${load}, once: p99, compared with p50`, ratio: burst.p99 / burst.p50, atMost: MANY_P99_AT_MOST },
    {
      name: `${load}, again and again: p99, compared with p50`,
      ratio: sustained.p99 / sustained.p50,
      atMost: MANY_P99_AT_MOST,
    },
    {
      name: `${load}: memory after them, compared with before`,
      ratio: memoryAfter / memoryBefore,
      atMost: MANY_MEMORY_AT_MOST,
    },
  ]
}
