import type { Results } from './results.ts'
import { SERVERS, type ServerName } from './servers.ts'
import type { Work } from './works.ts'

/** Prints what a run has measured, as tables. */
export function printResults({ works: measured, manyAtOnce, startUpMs }: Results, works: readonly Work[]): void {
  const rows = works.flatMap(({ title, name }) => {
    const { servers = {}, galaxyTo = {} } = measured[name] ?? {}
    return Object.entries(servers).map(([server, figures]) => {
      const ratios = galaxyTo[server as ServerName]
      return {
        request: title,
        server: SERVERS[server as ServerName],
        'requests/s': Math.round(figures.requestsPerSecond),
        p50: figures.p50,
        p99: figures.p99,
        errors: figures.errors,
        'CPU s/1,000': round(figures.cpuSecondsPerThousand),
        'Galaxy : it, requests': ratios && round(ratios.requestsPerSecond.median),
        'Galaxy : it, CPU': ratios && round(ratios.cpu.median),
      }
    })
  })
  console.table(rows)
  console.table(
    mapValues(manyAtOnce, ({ burst, sustained, ...memory }) => ({
      'burst, p50': burst.p50,
      'burst, p99': burst.p99,
      'again and again, p50': sustained.p50,
      'again and again, p99': sustained.p99,
      errors: burst.errors + sustained.errors,
      ...mapValues(memory, round),
    })),
  )
  console.table(mapValues(startUpMs, (time) => ({ 'start, ms': Math.round(time) })))
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

function mapValues<Value, Mapped>(record: Readonly<Record<string, Value>>, map: (value: Value) => Mapped) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}
