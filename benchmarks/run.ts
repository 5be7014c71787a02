import { parseArgs } from 'node:util'
import { measureLive } from './live/live.ts'
import { measureUnread } from './live/unread.ts'
import { isKept, limitOf } from './measure.ts'
import { measurePages } from './pages.ts'
import { measurePerformance } from './performance/performance.ts'
import { measurePromises } from './promises.ts'
import { measureSearch } from './search/search.ts'
import { measureSoak } from './soak/soak.ts'
import { measureStart } from './start/start.ts'
import { measureUniverses } from './universes/universes.ts'

// `npm run benchmark` measures what the service promises about time and memory, and how fast it, its pages, its live
// events and its universes are, and how fast its package starts. It also measures whether the service stays as it is under a long load. Figures differ
// from machine to machine, so most promises are ratios of two figures of one run.

const USAGE =
  'npm run benchmark -- [live] [pages] [performance] [promises] [search] [soak] [start] [universes] [unread] [--rounds N] [--seconds N] [--out FOLDER]\n' +
  '  [--minutes N] [--sockets N] [--streams N] [--rate N] [--users N]\n' +
  'Without a part, all are measured. The figures of the performance are written to FOLDER (docs).'

const PARTS = ['live', 'pages', 'performance', 'promises', 'search', 'soak', 'start', 'universes', 'unread']

/** How often requests are measured, servers started and lists read, unless somebody says otherwise. */
const ROUNDS = 5
const START_ROUNDS = 10
const SEARCH_ROUNDS = 11

const { parts, rounds, seconds, out, live, soak } = readArguments()
const findings = [
  ...(parts.includes('pages') ? await measurePages() : []),
  ...(parts.includes('promises') ? await measurePromises() : []),
  ...(parts.includes('performance') ? await measurePerformance({ rounds: rounds ?? ROUNDS, seconds, out }) : []),
  ...(parts.includes('live') ? await measureLive(live) : []),
  ...(parts.includes('search') ? await measureSearch(rounds ?? SEARCH_ROUNDS) : []),
  ...(parts.includes('soak') ? await measureSoak(soak) : []),
  ...(parts.includes('start') ? await measureStart(rounds ?? START_ROUNDS) : []),
  ...(parts.includes('universes') ? await measureUniverses({ rounds: rounds ?? ROUNDS, seconds }) : []),
  ...(parts.includes('unread') ? await measureUnread() : []),
]
for (const finding of findings) {
  const { name, ratio } = finding
  console.log(`${name}: ${ratio.toFixed(3)} times (${limitOf(finding)}), ${isKept(finding) ? 'kept' : 'BROKEN'}`)
}
process.exitCode = findings.every(isKept) ? 0 : 1

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: 'string' },
        seconds: { type: 'string', default: '10' },
        out: { type: 'string', default: 'docs' },
        minutes: { type: 'string', default: '10' },
        sockets: { type: 'string', default: '1000' },
        streams: { type: 'string', default: '200' },
        rate: { type: 'string', default: '50' },
        users: { type: 'string', default: '100' },
      },
    })
    const unknown = positionals.find((part) => !PARTS.includes(part))
    if (unknown !== undefined) throw new Error(`${unknown} is not a part`)
    return {
      parts: positionals.length > 0 ? positionals : PARTS,
      rounds: values.rounds === undefined ? undefined : readCount('--rounds', values.rounds),
      seconds: readCount('--seconds', values.seconds),
      out: values.out,
      live: {
        minutes: readMinutes(values.minutes),
        sockets: readCount('--sockets', values.sockets),
        streams: readCount('--streams', values.streams),
        rate: readCount('--rate', values.rate),
      },
      soak: { minutes: readMinutes(values.minutes), users: readCount('--users', values.users) },
    }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\nUsage: ${USAGE}`)
    process.exit(2)
  }
}

function readCount(option: string, text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) throw new Error(`${option} must be a whole number from 1`)
  return count
}

function readMinutes(text: string): number {
  const minutes = Number(text)
  if (!(minutes > 0)) throw new Error('--minutes must be a number above 0')
  return minutes
}
