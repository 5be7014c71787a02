import { parseArgs } from 'node:util'
import { isKept, limitOf } from './measure.ts'
import { measurePages } from './pages.ts'
import { measurePerformance } from './performance/performance.ts'
import { measurePromises } from './promises.ts'

// `npm run benchmark` measures what the service promises about time and memory, how fast it is, and how fast its pages are. Figures differ from
// machine to machine, so every promise is a ratio of two figures of one run.

const USAGE =
  'npm run benchmark -- [pages] [performance] [promises] [--rounds N] [--seconds N] [--out FOLDER]\n' +
  'Without a part, all are measured. The figures of the performance are written to FOLDER (docs).'

const PARTS = ['pages', 'performance', 'promises']

const { parts, rounds, seconds, out } = readArguments()
const findings = [
  ...(parts.includes('pages') ? await measurePages() : []),
  ...(parts.includes('promises') ? await measurePromises() : []),
  ...(parts.includes('performance') ? await measurePerformance({ rounds, seconds, out }) : []),
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
        rounds: { type: 'string', default: '5' },
        seconds: { type: 'string', default: '4' },
        out: { type: 'string', default: 'docs' },
      },
    })
    const unknown = positionals.find((part) => !PARTS.includes(part))
    if (unknown !== undefined) throw new Error(`${unknown} is not a part`)
    return {
      parts: positionals.length > 0 ? positionals : PARTS,
      rounds: readCount('--rounds', values.rounds),
      seconds: readCount('--seconds', values.seconds),
      out: values.out,
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
