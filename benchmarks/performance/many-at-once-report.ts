import type { Load } from './autocannon.ts'
import { CROWDED, type CrowdedName, MANY, type ManyAtOnce } from './many-at-once.ts'
import { count, namesOf, table } from './markdown.ts'

/** Writes the section of the report about many requests at the same time. */
export function writeManyAtOnce(manyAtOnce: Record<CrowdedName, ManyAtOnce>): string {
  return `## ${MANY.toLocaleString('en')} requests at the same time

${MANY.toLocaleString('en')} connections request a planet of a user. **Once:** each connection sends one request. **Again and
again:** each connection sends the next request as soon as it has the response, for twice as long as in other rounds.
"A constant" is the floor's response to a shipped planet, without a database. Times are milliseconds. A request that
still waits when the load ends is not counted.

${table(
  ['server', 'once: p50', 'p99', 'p99 : p50', 'again and again: requests/s', 'p50', 'p99', 'p99 : p50', 'errors'],
  namesOf(manyAtOnce).map((name) => manyRow(name, manyAtOnce[name])),
)}

**The local runtime is not fair.** If requests come again and again, p99 is many times p50, even for the constant. The
runtime reads about 32 requests from its connections, then goes on with those that it has read last. If more than about
64 requests are under way, newer ones keep coming, and the oldest wait until the load ends. What shows this:

- workerd with a Worker of one line, which sends a constant, left 566 of 1,000 connections without any response for three
  seconds. With 64 connections, each of them got 531 to 540 responses.
- In the system calls of workerd, up to 267 requests were read and not answered, and it went on with the newest.
- A file that workerd sends by itself, without JavaScript (a service of the kind \`disk\`), came to all 1,000 connections
  at the same rate: p99 was 1.3 times p50.

So requests wait before Galaxy's code gets them, and Galaxy cannot change their order. A Worker that waits a millisecond
before its response was no fairer. If each connection sends one request, no newer one comes before it, and p99 is close
to p50.

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
