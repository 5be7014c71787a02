import type { Finding } from '../measure.ts'
import { MANY, type ManyAtOnce } from './many-at-once.ts'
import type { Summary } from './summary.ts'
import type { Work } from './works.ts'

const MANY_P99_AT_MOST = 10
const MANY_MEMORY_AT_MOST = 1.1

/** Compares what a work costs with its targets. */
export function checkWork({ title, targets = {} }: Work, { galaxyTo }: Summary): Finding[] {
  const { requestsAtLeast, cpuAtMost, aheadOf } = targets
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
  if (aheadOf !== undefined) {
    const name = `${title}: requests per second, compared with ${aheadOf}`
    findings.push({ name, ratio: requestsTo(galaxyTo[aheadOf]), atLeast: 1 })
  }
  return findings
}

/** Compares what Galaxy does with many requests at the same time with what it must do. */
export function checkManyAtOnce({ errors, responses, p50, p99, memoryBefore, memoryAfter }: ManyAtOnce): Finding[] {
  const load = `${MANY} requests at the same time`
  return [
    { name: `${load}: errors, compared with responses`, ratio: errors / responses, atMost: 0 },
    { name: `${load}: p99, compared with p50`, ratio: p99 / p50, atMost: MANY_P99_AT_MOST },
    {
      name: `${load}: memory after them, compared with before`,
      ratio: memoryAfter / memoryBefore,
      atMost: MANY_MEMORY_AT_MOST,
    },
  ]
}
