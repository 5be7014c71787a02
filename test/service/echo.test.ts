import { createHash, randomBytes } from 'node:crypto'
import { get, request } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCompleteDocument } from '../../scripts/lib/complete-documents.ts'
import { closeAllTabs, findChromium, openTab, shareBrowser, type Tab } from '../support/browser.ts'
import { Conformance } from '../support/conformance.ts'
import { SCRIPT_PAYLOADS } from '../support/script-payloads.ts'
import { bodyOf, type Galaxy, startGalaxy } from './galaxy.ts'
import { runtimeMemory } from './memory.ts'
import { ownAddress } from './own-address.ts'
import { freePort } from './ports.ts'
import { makePreparedState } from './prepared-state.ts'
import { tellsProcesses } from './processes.ts'
import { openUnread } from './unread-socket.ts'
import { hasXmllint, judge } from './xmllint.ts'

const MIB = 1024 * 1024

let state: Awaited<ReturnType<typeof makePreparedState>>
let galaxy: Galaxy
let echoHost = ''

beforeAll(async () => {
  state = await makePreparedState()
  const port = await freePort()
  echoHost = `echo.localhost:${port}`
  galaxy = await startGalaxy(['--port', `${port}`, '--persist-to', state.folder, '--var', `ECHO_HOST:${echoHost}`])
})

afterAll(async () => {
  await galaxy.stop()
  await state.remove()
})

describe('over the network', () => {
  it('a body of any bytes comes back exactly', async () => {
    const bytes = randomBytes(MIB)
    const told = await bodyOf(await fetch(`${galaxy.url}/echo`, { method: 'POST', body: bytes }))
    expect(createHash('sha256').update(Buffer.from(told.body, 'base64')).digest('hex')).toBe(
      createHash('sha256').update(bytes).digest('hex'),
    )
  })

  it('a body of 1 MiB and a byte is 413', async () => {
    const response = await fetch(`${galaxy.url}/echo`, { method: 'POST', body: new Uint8Array(MIB + 1) })
    expect([response.status, response.headers.get('Content-Type')]).toEqual([413, 'application/problem+json'])
  })

  it('the host of the echo returns the same response as the path', async () => {
    const byPath = await bodyOf(await fetch(`${galaxy.url}/echo/planets?a=1`))
    const byHost = await getFromEchoHost('/planets?a=1')
    const headers = { host: echoHost, connection: 'close', 'accept-encoding': expect.any(String) }
    expect(byHost).toEqual({ ...byPath, headers })
    expect(byPath.path).toBe('/planets')
  })

  it('a WebSocket gets text as text and bytes as bytes', async () => {
    const bytes = randomBytes(MIB)
    const { received } = await converse(['hello 🪐', bytes], 2)
    expect(received).toEqual(['hello 🪐', new Uint8Array(bytes).buffer])
  })

  it('a WebSocket that sends more than 1 MiB is closed, and told why', async () => {
    const { closed } = await converse([new Uint8Array(MIB + 1)], 1)
    expect(closed).toEqual([1009, 'A message can have at most 1048576 bytes.'])
  })
})

describe.each(['the common world', 'a universe'])('in %s, a WebSocket whose client', (world) => {
  let base = ''
  beforeAll(async () => {
    base = world === 'a universe' ? await makeUniverse() : galaxy.url
  })

  it('reads nothing gets 4 MiB, and is then closed with 1008', async () => {
    const socket = await openUnread(base)
    await socket.send(8 * MIB)
    const { bytes, code } = await socket.drain()
    expect(code).toBe(1008)
    expect(bytes).toBeGreaterThan(4 * MIB)
    // The received bytes also contain the headers of 64 frames, and the close.
    expect(bytes).toBeLessThan(4 * MIB + 1024)
  })

  it('sends on after that, and reads nothing, is cut off', async () => {
    const socket = await openUnread(base)
    await socket.send(8 * MIB)
    await socket.untilCut()
  })
})

describe('WebSockets whose clients read nothing', () => {
  it('get 16 MiB at one address, and are then closed with 1008, in all universes together', async () => {
    const bases = [await makeUniverse(), await makeUniverse()]
    const address = ownAddress()
    for (const base of [...bases, ...bases]) {
      const socket = await openUnread(base, address)
      await socket.send(4 * MIB)
      await socket.close()
      expect((await socket.drain()).code).toBe(1000)
    }
    for (const base of bases) {
      const socket = await openUnread(base, address)
      await socket.send(1)
      expect((await socket.drain()).code).toBe(1008)
    }
  })

  it.runIf(tellsProcesses)('cost little, however many they are, in two worlds', async () => {
    const bases = [galaxy.url, await makeUniverse()]
    const before = runtimeMemory()
    const sockets = await Promise.all(bases.flatMap((base) => Array.from({ length: 20 }, () => openUnread(base))))
    await Promise.all(sockets.map((socket) => socket.send(20 * MIB)))
    const growth = runtimeMemory() - before
    for (const socket of sockets) socket.destroy()
    // The messages have 800 MiB, of which each kind of world sends at most 96 MiB: 48 MiB in each of two periods. The
    // rest of the growth is memory that the runtime has not freed yet.
    expect(growth).toBeLessThan(250)
  })
})

async function makeUniverse(): Promise<string> {
  return (await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST', headers: ownAddress() }))).url
}

/** Sends a request with a given Host. Not every machine resolves names below localhost, and fetch cannot set Host. */
function getFromEchoHost(path: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    get(new URL(path, galaxy.url), { headers: { Host: echoHost, Connection: 'close' } }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += chunk)).on('end', () => resolve(JSON.parse(text)))
    }).on('error', reject)
  })
}

/** Sends over a WebSocket until the given number of messages has arrived, or the WebSocket is closed. */
function converse(messages: (string | Uint8Array<ArrayBuffer>)[], count: number) {
  const socket = new WebSocket(`${galaxy.url.replace('http', 'ws')}/echo/chat`)
  socket.binaryType = 'arraybuffer'
  const received: unknown[] = []
  return new Promise<{ received: unknown[]; closed: [number, string] }>((resolve) => {
    socket.onopen = () => {
      for (const message of messages) socket.send(message)
    }
    socket.onmessage = ({ data }) => received.push(data) >= count && socket.close()
    socket.onclose = ({ code, reason }) => resolve({ received, closed: [code, reason] })
  })
}

describe.runIf(hasXmllint)('xmllint finds nothing in', () => {
  it('the XML of any request', async () => {
    const answers = await Promise.all(
      [...SCRIPT_PAYLOADS, '\0\u001b\uFFFE', '\u{10ffff}', 'xml', '', 'a:b', '_x0020_', '1', '__proto__'].map(
        async (payload) => {
          const body = JSON.stringify({
            [payload]: payload,
            list: [payload, [[payload], []], { [payload]: null }, 1e21],
          })
          const query = new URLSearchParams([[payload, payload]])
          const headers = { 'Content-Type': 'application/json', Cookie: 'a="<b>&"; c=]]>' }
          const response = await fetch(`${galaxy.url}/echo/a.xml?${query}`, { method: 'POST', body, headers })
          return await response.text()
        },
      ),
    )
    expect(judge(answers).filter(Boolean)).toEqual([])
    expect(answers.every((answer) => answer.includes('<echo '))).toBe(true)
  })
})

const chromium = findChromium()

const conformance = new Conformance(JSON.parse(await readCompleteDocument('common')))

describe.runIf(chromium)('in a browser', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await shareBrowser()
  })

  afterAll(() => closeAllTabs(browser))

  it.each([
    ['with the policy of the page', {}],
    ['by what is written alone, without its policy', { bypassCSP: true }],
  ])('nothing that a request has in it runs a script, %s', async (_, options) => {
    const tab = await openTab(browser, galaxy.url, conformance, options)
    expect(SCRIPT_PAYLOADS).toHaveLength(100)
    for (let index = 0; index < SCRIPT_PAYLOADS.length; index += AT_ONCE) {
      const payloads = SCRIPT_PAYLOADS.slice(index, index + AT_ONCE)
      await visit(tab, payloads, index / AT_ONCE)
      expect([payloads, await findTraces(tab.page)]).toEqual([payloads, []])
    }
    // A violation of the Content-Security-Policy would be one of these faults.
    expect(await tab.recording.takeFaults()).toEqual([])
    await tab.close()
  })

  it('these tests would notice a page that repeats a payload without escaping it', async () => {
    const { page, close } = await openTab(browser, galaxy.url, conformance)
    for (const payload of SCRIPT_PAYLOADS.slice(0, 8)) {
      await page.setContent(`<p>${payload}</p>`)
      await expect.poll(() => findTraces(page), { message: payload }).not.toEqual([])
    }
    await close()
  })

  it('the page is readable on a phone', async () => {
    const options = { viewport: { width: 320, height: 640 }, colorScheme: 'dark' } as const
    const tab = await openTab(browser, galaxy.url, conformance, options)
    await tab.page.goto(`${galaxy.url}/echo/${'a'.repeat(500)}?${'b'.repeat(300)}=${'c'.repeat(300)}`)
    await expect.poll(() => tab.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
    await expect.poll(() => tab.page.getByRole('heading', { level: 1 }).textContent()).toMatch(/^GET \/a{500}$/)
    expect(await tab.recording.takeFaults()).toEqual([])
    await tab.close()
  })

  it('an EventSource of another origin gets the events, reconnects once, and is then told to stop', async () => {
    const page = await browser.newPage()
    const seen = await page.evaluate(readEvents, `${galaxy.url}/echo/stream?count=3&interval=0.1&data=a%0Ab`)
    expect(seen).toEqual({ events: ['1: a\nb', '2: a\nb', '3: a\nb'], opened: 1, state: 2 })
    await page.close()
  })

  /** Opens the echo page of a request that has payloads in all its parts. */
  async function visit({ page }: Tab, payloads: readonly string[], round: number): Promise<void> {
    const cookies = payloads.map((payload, index) => ({ name: `c${index}`, value: encodeURIComponent(payload) }))
    await page.context().addCookies(cookies.map((cookie) => ({ ...cookie, url: galaxy.url })))
    await page.unrouteAll()
    await page.route('**/echo/**', (route) => route.continue(requestWith(payloads, round)))
    const query = new URLSearchParams([
      ...payloads.map((payload): [string, string] => [payload, payload]),
      ...payloads.map((payload): [string, string] => ['a', payload]),
    ])
    const path = payloads.map(encodeURIComponent).join('/')
    const response = await page.goto(`${galaxy.url}/echo/${path}/a.html?${query}`)
    expect(response?.headers()['content-type']).toBe('text/html; charset=utf-8')
    const sections = ['Query', 'Authentication', 'Cookies', 'Headers', 'Body']
    await expect.poll(() => page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(sections)
    const cells = await page.getByRole('cell').allTextContents()
    // Each payload is in the query twice, in a header and in a cookie. The first is also the user name.
    for (const payload of payloads) expect(cells.filter((cell) => cell === payload).length).toBeGreaterThanOrEqual(4)
  }
})

/** The number of payloads on one page. Loading a page takes long, so there are several. */
const AT_ONCE = 10

/** Each round uses another kind of body. */
function requestWith(payloads: readonly string[], round: number) {
  const pairs = payloads.map((payload): [string, string] => [payload, payload])
  const bodies = [
    [
      'application/json',
      JSON.stringify(Object.fromEntries(pairs.map(([name, value]) => [name, [value, { [name]: 1 }]]))),
    ],
    ['application/x-www-form-urlencoded', new URLSearchParams(pairs).toString()],
    ['text/plain', payloads.join('\n')],
    ['multipart/form-data; boundary=x', writeFiles(payloads)],
  ] as const
  const [type, postData] = bodies[round % bodies.length] ?? bodies[0]
  const headers = {
    ...Object.fromEntries(payloads.map((payload, index) => [`X-Payload-${index}`, payload])),
    'Content-Type': type,
    Authorization: `Basic ${Buffer.from(payloads.join(':')).toString('base64')}`,
  }
  return { method: 'POST', headers, postData }
}

/** A form with files whose names are the payloads. */
function writeFiles(payloads: readonly string[]): string {
  const parts = payloads.map((payload) => {
    const name = payload.replaceAll('"', '%22')
    return `--x\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n${payload}\r\n`
  })
  return `${parts.join('')}--x--\r\n`
}

/** The traces of a payload: it ran, or the page has an element or attribute that no echo page has. */
async function findTraces(page: Page): Promise<string[]> {
  return await page.evaluate(`{
    const known = 'html head meta title link style body main h1 h2 p code pre table tbody tr th td'.split(' ')
    const attributes = 'lang charset name content rel href scope id class'.split(' ')
    // The frame of every page contains nothing of the request.
    const frame = 'body > .skip-link, body > .site-header, body > .site-footer'
    const ours = (element) => element.closest(frame) === null
    const found = [...document.querySelectorAll('*')].filter(ours).flatMap((element) => [
      ...(known.includes(element.localName) ? [] : [element.localName]),
      ...element.getAttributeNames().filter((name) => !attributes.includes(name)),
    ])
    '__ran' in globalThis ? ['it ran', ...found] : found
  }`)
}

/** Runs in the page. */
function readEvents(url: string) {
  const events: string[] = []
  let opened = 0
  const source = new EventSource(url)
  source.onmessage = ({ lastEventId, data }) => events.push(`${lastEventId}: ${data}`)
  source.onopen = () => opened++
  return new Promise((resolve) => {
    source.onerror = () =>
      source.readyState === EventSource.CLOSED && resolve({ events, opened, state: source.readyState })
  })
}

describe.runIf(tellsProcesses)('under load', () => {
  const CONCURRENCY = 4
  const ROUND = 80

  async function sendMany(count: number): Promise<void> {
    const body = Buffer.alloc(MIB, 'planet')
    let left = count
    const one = async () => {
      while (left-- > 0) expect(await sendOne(body)).toBeGreaterThan(MIB)
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, one))
  }

  /** Sends a body to the echo, with much less work than `fetch`. @returns The number of bytes in the response */
  function sendOne(body: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      const outgoing = request(new URL('/echo', galaxy.url), { method: 'POST' }, (response) => {
        let bytes = 0
        response.on('data', (chunk) => (bytes += chunk.byteLength))
        response.on('end', () => resolve(bytes)).on('error', reject)
      })
      outgoing.on('error', reject).end(body)
    })
  }

  it('the service does not keep bodies of 1 MiB in memory', async () => {
    await sendMany(ROUND)
    const before = runtimeMemory()
    await sendMany(1.5 * ROUND)
    // The garbage collector may not have freed everything yet, but this is less than all bodies together.
    expect(runtimeMemory() - before).toBeLessThan(ROUND)
  })
})
