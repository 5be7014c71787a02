import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ROOT } from '../../scripts/lib/root.ts'
import { LOG_BYTES_MAX, LOG_HOURS, LOG_ROWS_MAX } from '../../src/domain/limits.ts'
import { SOCKETS_MAX } from '../../src/domain/universe.ts'
import { LIVE_EVENTS } from '../../src/schemas/live/catalogue.ts'
import { CHANNELS } from '../../src/schemas/live/channels.ts'
import { isInstalled as arePackagesInstalled, folderOf } from '../interop/languages.ts'
import { closeAllTabs, findChromium, shareBrowser } from '../support/browser.ts'
import { type BreakableLine, startBreakableLine } from './breakable-line.ts'
import { until } from './callbacks-client.ts'
import { codesOf, sectionOf, tableOf } from './documentation.ts'
import { isInstalled } from './installed.ts'
import { type LiveUniverse, makeLiveUniverse } from './live-universe.ts'
import { shareGalaxy } from './prepared-state.ts'

// Extracts the code, the figures and the table of readers of docs/live.md, and tries them. Its commands are in
// documented-commands.test.ts.

const page = await readFile(join(ROOT, 'docs', 'live.md'), 'utf8')
const galaxy = shareGalaxy()
const chromium = findChromium()
/** If websocat is not installed, a program of this test replaces it. */
const hasWebsocat = isInstalled('websocat', ['websocat', '--version'], 'docs/live.md with the real websocat')
/** Debian installs Python's websockets for its own Python, which need not be the first one in the PATH. */
const python = ['python3', '/usr/bin/python3'].find((command) =>
  isInstalled(`websockets for ${command}`, [command, '-c', 'import websockets'], `docs/live.md with ${command}`),
)
/** Its package of WebSockets is one of those that the clients in Go need. */
const hasGo = arePackagesInstalled('go')
if (!hasGo) console.warn('\n*** npm run interop:install -- go has not run. Not tested: docs/live.md with Go. ***\n')

describe('a program that comes again', () => {
  let folder: string
  let universe: LiveUniverse
  let line: BreakableLine
  let program: ChildProcess | undefined
  let output: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'galaxy-examples-'))
    universe = await makeLiveUniverse(galaxy.url)
    line = await startBreakableLine(galaxy.url)
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

  async function run(code: string, command: string, PATH = process.env.PATH): Promise<void> {
    const file = join(folder, 'program')
    await writeFile(file, code)
    start([command, file], PATH)
  }

  function start([command = '', ...args]: string[], PATH = process.env.PATH): void {
    const env = { ...process.env, PATH, GALAXY: address() }
    program = spawn(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
    program.stdout?.on('data', (chunk) => (output += chunk))
  }

  const untilPrinted = (text: string) =>
    until(
      () => output,
      (printed) => printed.includes(text),
    )

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

  async function expectAll(type: string, printed: Promise<string[]>): Promise<void> {
    const ids = await printed
    const events = await universe.listEvents()
    expect(ids).toEqual(events.filter(({ eventType }) => eventType === type).map(({ eventId }) => eventId))
    expect(ids).toHaveLength(3)
  }

  const idOf = (json: string) => JSON.parse(json).id
  const eventIdOf = (json: string) => JSON.parse(json).eventId
  const codeOf = (heading: string, language: string) => codesOf(sectionOf(page, `### ${heading}`), language)

  it('in a shell with curl misses nothing', async () => {
    await run(codeOf('A shell', 'bash')[0] ?? '', 'bash')
    await expectAll('planet.created', breakBetween(idOf))
  })

  it('in a shell with websocat misses nothing', async () => {
    if (!hasWebsocat) await writeFile(join(folder, 'websocat'), STAND_IN, { mode: 0o755 })
    await run(codeOf('A shell', 'bash')[1] ?? '', 'bash', `${process.env.PATH}:${folder}`)
    await expectAll('celestial_body.created', breakBetween(eventIdOf))
  })

  it('in Node misses nothing', async () => {
    await run(codeOf('Node', 'js')[0] ?? '', process.execPath)
    await expectAll('celestial_body.created', breakBetween(eventIdOf))
  })

  it.runIf(python)('in Python misses nothing', async () => {
    await run(codeOf('Python', 'python')[0] ?? '', python ?? '')
    await expectAll('celestial_body.created', breakBetween(eventIdOf))
  })

  it.runIf(hasGo)('in Go misses nothing, and sends pings', async () => {
    // In its module are the versions that the lock file names.
    const place = join(folderOf('go'), 'build', 'live')
    await mkdir(place, { recursive: true })
    const [code = ''] = codeOf('Go', 'go')
    // So that it does not come again because of a late answer, it waits for one as long as before.
    const often = code
      .replace('pingEvery = 30 * time.Second', 'pingEvery = time.Second')
      .replace('2*pingEvery', '60*pingEvery')
    expect(often).toContain('60*pingEvery')
    await writeFile(join(place, 'main.go'), often)
    const file = join(folder, 'program')
    const env = { ...process.env, GOPROXY: 'off' }
    await promisify(execFile)('go', ['build', '-o', file, './build/live'], { cwd: folderOf('go'), env })
    start([file])
    await expectAll('celestial_body.created', breakBetween(eventIdOf))
    const received = line.received()
    // Nothing else happens in this universe: it is the answer to a ping.
    await until(line.received, (bytes) => bytes > received)
  })

  describe.runIf(chromium)('in a browser misses nothing', () => {
    let browser: Browser

    beforeAll(async () => {
      browser = await shareBrowser()
    })

    afterAll(() => closeAllTabs(browser))

    it.each([
      ['as a stream', 'A browser', 'planet.created', idOf],
      ['on a channel', 'Node', 'celestial_body.created', eventIdOf],
    ] as const)('%s', async (_, heading, type, read) => {
      const tab = await browser.newPage()
      tab.on('console', (message) => {
        // Chromium itself reports each broken connection.
        if (message.type() === 'log') output += `${message.text()}\n`
      })
      const [code = ''] = codeOf(heading, 'js')
      const script = code.replace(/^const GALAXY = .*$/m, `const GALAXY = '${address()}'`)
      await tab.addScriptTag({ content: script })
      await expectAll(type, breakBetween(read))
      await tab.close()
    })
  })
})

/** Prints each frame as a line, as websocat does. */
const STAND_IN = `#!${process.execPath}
new WebSocket(process.argv.at(-1)).onmessage = ({ data }) => console.log(data)
`

describe('who may see what', () => {
  const rows = tableOf(sectionOf(page, '### Who may see what'))

  it.each(Object.entries(LIVE_EVENTS))('%s', (type, { audience, payload }) => {
    const reader = { anybody: 'everybody', user: 'that user' }[audience]
    expect(rows.get(type)).toEqual([membersOf(payload), reader])
  })

  it('the table has no other events', () => {
    expect([...rows.keys()]).toEqual(Object.keys(LIVE_EVENTS))
  })

  it.each(['ipAddress', 'userAgent', 'email'])('%s is only in events that only the user sees', (member) => {
    const types = Object.entries(LIVE_EVENTS).filter(([, { payload }]) => namesIn(payload).has(member))
    expect(types.length).toBeGreaterThan(0)
    expect(types.filter(([, { audience }]) => audience !== 'user')).toEqual([])
  })
})

/** The members of an event as the table has them: what is an object of the event itself shows its members, too. */
function membersOf(payload: z.ZodObject): string {
  const everyEvent = ['eventId', 'eventType', 'timestamp', 'metadata']
  const members = Object.entries(payload.shape).filter(([name]) => !everyEvent.includes(name))
  return members
    .map(([name, schema]) => {
      const inner = bareOf(schema)
      const isOwn = inner instanceof z.ZodObject && inner.meta()?.id === undefined
      return isOwn ? `${name} (${Object.keys(inner.shape).join(', ')})` : name
    })
    .join(', ')
}

/** The names of all members, at any depth. */
function namesIn(schema: unknown, known = new Set<unknown>()): Set<string> {
  const bare = bareOf(schema)
  if (!(bare instanceof z.ZodObject) || known.has(bare)) return new Set()
  known.add(bare)
  const inner = Object.values(bare.shape).flatMap((member) => [...namesIn(member, known)])
  return new Set([...Object.keys(bare.shape), ...inner])
}

/** A schema without what says that it is optional or a list. A shared schema stays one. */
function bareOf(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional) return bareOf(schema.unwrap())
  if (schema instanceof z.ZodArray) return bareOf(schema.element)
  return schema
}

describe('the figures', () => {
  const figure = (value: number) => value.toLocaleString('en-US')
  const log = `${LOG_HOURS} hours, ${figure(LOG_ROWS_MAX)} rows and ${LOG_BYTES_MAX / 2 ** 20} MiB`

  it('are those of the log', () => {
    expect(tableOf(sectionOf(page, '## Limits')).get('the log')?.[0]).toContain(log)
    expect(sectionOf(page, '## Miss nothing')).toContain(`${LOG_HOURS} hours, the newest ${figure(LOG_ROWS_MAX)} rows`)
  })

  it('are those of sockets', async () => {
    const toml = await readFile(join(ROOT, 'wrangler.toml'), 'utf8')
    const deployed = /^SOCKET_LIMIT = "(\d+)"/m.exec(toml)?.[1]
    const limits = [...tableOf(sectionOf(page, '## Limits'))].map(([, [limit = '']]) => limit)
    expect(limits).toContainEqual(expect.stringContaining(`${deployed} (SOCKET_LIMIT)`))
    expect(limits).toContainEqual(expect.stringContaining(`${figure(SOCKETS_MAX)}, then 429`))
  })

  it('has each channel at which a socket can be opened', () => {
    const open = Object.values(CHANNELS).filter(({ acceptsSockets }) => acceptsSockets)
    const described = [...tableOf(sectionOf(page, '### Channels')).keys()]
    expect(described.toSorted()).toEqual(open.map(({ address }) => address).toSorted())
  })
})
