import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ROOT } from '../../scripts/lib/root.ts'
import { LOG_BYTES_MAX, LOG_HOURS, LOG_ROWS_MAX } from '../../src/domain/limits.ts'
import { SOCKETS_MAX } from '../../src/domain/universe.ts'
import { LIVE_EVENTS } from '../../src/schemas/live/catalogue.ts'
import { CHANNELS } from '../../src/schemas/live/channels.ts'
import { closeAllTabs, findChromium, shareBrowser } from '../support/browser.ts'
import { codeOf, describeComingAgain, eventIdOf, idOf, page } from './coming-again.ts'
import { sectionOf, tableOf } from './documentation.ts'
import { isInstalled } from './installed.ts'
import { shareGalaxy } from './prepared-state.ts'

// Extracts the code, the figures and the table of readers of docs/live.md, and tries them. Its commands are in
// documented-commands.test.ts, and its programs in Go and Python in test/interop.

const galaxy = shareGalaxy()
const chromium = findChromium()
/** If websocat is not installed, a program of this test replaces it. */
const hasWebsocat = isInstalled('websocat', ['websocat', '--version'], 'docs/live.md with the real websocat')

describe('a program that comes again', () => {
  const program = describeComingAgain(galaxy.url)

  it('in a shell with curl misses nothing', async () => {
    await program.run(codeOf('A shell', 'bash')[0] ?? '', 'bash')
    await program.expectAll('planet.created', idOf)
  })

  it('in a shell with websocat misses nothing', async () => {
    const folder = program.folder()
    if (!hasWebsocat) await writeFile(join(folder, 'websocat'), STAND_IN, { mode: 0o755 })
    await program.run(codeOf('A shell', 'bash')[1] ?? '', 'bash', `${process.env.PATH}:${folder}`)
    await program.expectAll('celestial_body.created', eventIdOf)
  })

  it('in Node misses nothing', async () => {
    await program.run(codeOf('Node', 'js')[0] ?? '', process.execPath)
    await program.expectAll('celestial_body.created', eventIdOf)
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
        if (message.type() === 'log') program.note(`${message.text()}\n`)
      })
      const [code = ''] = codeOf(heading, 'js')
      const script = code.replace(/^const GALAXY = .*$/m, `const GALAXY = '${program.address()}'`)
      await tab.addScriptTag({ content: script })
      await program.expectAll(type, read)
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
