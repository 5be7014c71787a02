import { type Finding, isKept, limitOf } from '../measure.ts'
import { FILTERED_LISTS } from './filtered-lists.ts'
import { writeManyAtOnce } from './many-at-once-report.ts'
import { count, namesOf, table } from './markdown.ts'
import type { Results } from './results.ts'
import { SERVERS } from './servers.ts'
import type { Ratio, Summary } from './summary.ts'
import type { Work } from './works.ts'

// docs/performance.md.

/** Writes the page about the performance. */
export function writeReport(results: Results, works: readonly Work[]): string {
  const { machine, settings } = results
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`)
  return `# Performance

How fast Galaxy is. \`npm run benchmark\` writes this page, so do not edit it: its text is in
\`benchmarks/performance/report.ts\`. [performance.json](performance.json) has the same figures.

- Machine: ${machine.cores} cores of ${machine.cpu}, ${machine.memoryGib} GiB of memory. The load runs on the same cores.
- Date: ${machine.date}
- Versions: ${versions.join(', ')}
- Each figure is the median of ${settings.rounds} rounds of ${settings.secondsPerRound} seconds, with ${settings.connections} requests at the same time.

## How to read it

Compare only figures of one run. The ratios tell more.

- **Galaxy** is the Worker as it is deployed, in the local runtime (workerd), without the proxy of \`wrangler dev\`.
- **The floor** is a bare Worker in the same runtime, with the same database calls and size of response, but without a
  framework, validation or authentication. So the ratio is what Galaxy's own code costs. A shipped planet is a constant.
- **The limit** is a bare Worker that stores each planet as a text, and joins ten texts to a page. It checks nothing, and
  makes the fewest and shortest database calls. It is a limit to compare with, not a rival.
- **mock-server** (\`@scalar/mock-server\`) and **Prism** (\`@stoplight/prism-cli\`) return examples of \`openapi.json\`, and
  store nothing.
- **CPU** is the time of all processes of a server for a thousand requests.
- **p50 and p99** are milliseconds until the response, for half and for 99 % of the requests.
- **Galaxy : floor** and **Galaxy : limit** are medians of the ratios of the rounds (lowest–highest).

## Galaxy, the floor and the limit

${table(
  [
    'request',
    'Galaxy/s',
    'floor/s',
    'limit/s',
    'Galaxy : floor, requests',
    'Galaxy : floor, CPU',
    'Galaxy : limit, CPU',
  ],
  works.filter(({ servers }) => servers.includes('floor')).map((work) => compareRow(work, results.works[work.name])),
)}

## Targets

The command fails if one of these is missed.

${table(['ratio', 'measured', 'target', ''], results.findings.map(findingRow))}

## All requests

${table(
  ['request', 'server', 'requests/s', 'p50, ms', 'p99, ms', 'CPU seconds for 1,000'],
  works.flatMap((work) => workRows(work, results.works[work.name])),
)}

A sign-in checks a password hash of 600,000 iterations, two at the same time. The CPU of a planet with a callback
includes the callback itself.

${writeManyAtOnce(results.manyAtOnce)}

${FILTERED_LISTS}

## Start

From the start of the process to the first response, with a prepared database.

${table(
  ['server', 'milliseconds'],
  namesOf(results.startUpMs).map((name) => [SERVERS[name], String(Math.round(results.startUpMs[name]))]),
)}

## Measure it yourself

\`\`\`sh
npm ci
npm run benchmark -- performance
\`\`\`

This needs Linux and an otherwise idle machine. \`--rounds 1 --seconds 1 --out /tmp\` is a short trial that leaves this
page alone.

## What is not measured

Cloudflare's network, D1 and R2 (a deployed service waits longer for its database, and has more instances); HTTPS and
HTTP/2; \`npm start\` with its proxy and log; large databases, except for filtered and sorted lists; OAuth's endpoints and
the echo. benchmarks/README.md lists what else \`npm run benchmark\` checks.
`
}

function compareRow({ title }: Work, summary: Summary | undefined): string[] {
  const { galaxy, floor, limit } = summary?.servers ?? {}
  const { floor: toFloor, limit: toLimit } = summary?.galaxyTo ?? {}
  return [
    title,
    count(galaxy?.requestsPerSecond),
    count(floor?.requestsPerSecond),
    limit ? count(limit.requestsPerSecond) : '',
    range(toFloor?.requestsPerSecond),
    range(toFloor?.cpu),
    range(toLimit?.cpu),
  ]
}

function workRows({ title, servers }: Work, summary: Summary | undefined): string[][] {
  return servers.map((name) => {
    const figures = summary?.servers[name]
    return [
      title,
      SERVERS[name],
      count(figures?.requestsPerSecond),
      count(figures?.p50),
      count(figures?.p99),
      figures?.cpuSecondsPerThousand.toFixed(2) ?? '',
    ]
  })
}

function findingRow(finding: Finding): string[] {
  const { name, ratio } = finding
  return [name, ratio.toFixed(2), limitOf(finding), isKept(finding) ? 'kept' : 'missed']
}

function range(ratio: Ratio | undefined): string {
  return ratio ? `${ratio.median.toFixed(2)} (${ratio.lowest.toFixed(2)}–${ratio.highest.toFixed(2)})` : ''
}
