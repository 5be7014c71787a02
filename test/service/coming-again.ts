import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { type BreakableLine, startBreakableLine } from './breakable-line.ts'
import { until } from './callbacks-client.ts'
import { codesOf, sectionOf } from './documentation.ts'
import { type LiveUniverse, makeLiveUniverse } from './live-universe.ts'

// What the programs of docs/live.md must do that come again when the line breaks, in whatever language they are.

export const page = await readFile(join(ROOT, 'docs', 'live.md'), 'utf8')

/** The blocks of code under a heading. */
export const codeOf = (heading: string, language: string) => codesOf(sectionOf(page, `### ${heading}`), language)

export const idOf = (json: string) => JSON.parse(json).id
export const eventIdOf = (json: string) => JSON.parse(json).eventId

/**
 * A universe, a line to it that can break, and a program at its other end, for each test of a `describe`.
 *
 * @param serviceUrl The service
 */
export function describeComingAgain(serviceUrl: string) {
  let folder: string
  let universe: LiveUniverse
  let line: BreakableLine
  let program: ChildProcess | undefined
  let output: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'galaxy-examples-'))
    universe = await makeLiveUniverse(serviceUrl)
    line = await startBreakableLine(serviceUrl)
    output = ''
  })

  afterEach(async () => {
    if (program?.pid !== undefined) process.kill(-program.pid, 'SIGKILL')
    program = undefined
    await line.close()
    await universe.end()
    await rm(folder, { recursive: true })
  })

  /** The address of the universe, at the line. */
  const address = () => `${line.url}/u/${universe.id}`

  const untilPrinted = (text: string) =>
    until(
      () => output,
      (printed) => printed.includes(text),
    )

  function start([command = '', ...args]: string[], PATH = process.env.PATH): void {
    const env = { ...process.env, PATH, GALAXY: address() }
    program = spawn(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
    program.stdout?.on('data', (chunk) => (output += chunk))
  }

  /** Breaks the line between two planets, and creates one meanwhile. @returns The ids of what was printed */
  async function breakBetween(read: (line: string) => string): Promise<string[]> {
    await until(line.received, (bytes) => bytes > 0)
    await universe.createPlanet('Before')
    await untilPrinted('Before')
    line.break()
    await universe.createPlanet('Meanwhile')
    line.mend()
    await untilPrinted('Meanwhile')
    await universe.createPlanet('After')
    await untilPrinted('After')
    // Whatever came twice would be there by now, too.
    await sleep(100)
    return output.trim().split('\n').map(read)
  }

  return {
    address,
    start,
    folder: () => folder,
    received: () => line.received(),
    /** Notes what a program prints that is no process. */
    note: (text: string) => {
      output += text
    },
    /** Starts a program that is one file. */
    async run(code: string, command: string, PATH?: string): Promise<void> {
      const file = join(folder, 'program')
      await writeFile(file, code)
      start([command, file], PATH)
    },
    /**
     * The program misses nothing and prints nothing twice while the line breaks.
     *
     * @param read Finds the id of the event in what was printed
     */
    async expectAll(type: string, read: (line: string) => string): Promise<void> {
      const ids = await breakBetween(read)
      const events = await universe.listEvents()
      expect(ids).toEqual(events.filter(({ eventType }) => eventType === type).map(({ eventId }) => eventId))
      expect(ids).toHaveLength(3)
    },
  }
}
