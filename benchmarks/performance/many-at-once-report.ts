import type { Load } from './autocannon.ts'
import { CROWDED, type CrowdedName, MANY, type ManyAtOnce } from './many-at-once.ts'
import { count, namesOf, table } from './markdown.ts'

/** Writes the section of the report about many requests at the same time. */
export function writeManyAtOnce(manyAtOnce: Record<CrowdedName, ManyAtOnce>): string {
  return `## ${MANY.toLocaleString('en')} requests at the same time

${MANY.toLocaleString('en')} connections request a planet of a user: **once**, each connection one request, and **again and again**, each connection
the next request as soon as it has the response. "A constant" is the floor's response to a shipped planet, without a
database. Times are milliseconds.

${table(
  ['server', 'once: p50', 'p99', 'p99 : p50', 'again and again: requests/s', 'p50', 'p99', 'p99 : p50', 'errors'],
  namesOf(manyAtOnce).map((name) => manyRow(name, manyAtOnce[name])),
)}

**The local runtime is not fair.** If requests come again and again, p99 is many times p50, even for the constant. The
runtime reads about 32 requests from its connections, then goes on with what it has read last. With more than about 64
requests under way, there are always newer ones, and the oldest wait until the load ends: workerd with a Worker of one
line, which sends a constant, left 566 of 1,000 connections without any response for three seconds. With 64
connections, each of them got as many responses as the others. The system calls of workerd show the same: of up to 267
requests that it had read, it went on with the newest. A file that workerd sends by itself (a service of the kind
\`disk\`), without JavaScript, came to all 1,000 connections at the same rate. So this happens before Galaxy's code gets
a request, and Galaxy cannot change it. To wait in the Worker before the response did not help either. If each
connection sends one request, no newer one comes before it, and p99 is close to p50.

Memory of all processes of a server, in MiB: at rest before the load, at its peak, and at rest after the last round.
"Before" is after a first load of the same kind, which fills caches.

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
