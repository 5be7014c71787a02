import type { Load } from './autocannon.ts'
import { CROWDED, type CrowdedName, MANY, type ManyAtOnce } from './many-at-once.ts'
import { count, namesOf, table } from './markdown.ts'

/** Writes the section of the report about many requests at the same time. */
export function writeManyAtOnce(manyAtOnce: Record<CrowdedName, ManyAtOnce>): string {
  return `## ${MANY.toLocaleString('en')} requests at the same time

${MANY.toLocaleString('en')} connections request a planet of a user. **Once:** each connection sends one request. **Again and
again:** it sends the next as soon as it has the response. "A constant" is the floor's shipped planet. Times are
milliseconds. A request that still waits when the load ends is not counted.

${table(
  ['server', 'once: p50', 'p99', 'p99 : p50', 'again and again: requests/s', 'p50', 'p99', 'p99 : p50', 'errors'],
  namesOf(manyAtOnce).map((name) => manyRow(name, manyAtOnce[name])),
)}

**The local runtime is not fair.** Beyond about 64 requests under way, it goes on with those that it has read last, and
the oldest wait, even for the constant. Galaxy's code cannot change their order.

Memory of all processes of a server, in MiB: at rest after a first load, at the peak, and at rest after the last round.

${table(
  ['server', 'before', 'peak', 'after', 'after : before'],
  namesOf(manyAtOnce).map((name) => memoryRow(name, manyAtOnce[name])),
)}`
}

function manyRow(name: CrowdedName, { burst, sustained }: ManyAtOnce): string[] {
  return [
    CROWDED[name],
    ...latencies(burst),
    count(sustained.requestsPerSecond),
    ...latencies(sustained),
    count(burst.errors + sustained.errors),
  ]
}

function latencies({ p50, p99 }: Load): string[] {
  return [count(p50), count(p99), (p99 / p50).toFixed(1)]
}

function memoryRow(name: CrowdedName, { memoryBefore, memoryAtPeak, memoryAfter }: ManyAtOnce): string[] {
  const ratio = (memoryAfter / memoryBefore).toFixed(2)
  return [CROWDED[name], count(memoryBefore), count(memoryAtPeak), count(memoryAfter), ratio]
}
