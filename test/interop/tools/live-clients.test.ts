import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ROOT } from '../../../scripts/lib/root.ts'
import { type BreakableLine, startBreakableLine } from '../../service/breakable-line.ts'
import { until } from '../../service/callbacks-client.ts'
import { bodyOf } from '../../service/galaxy.ts'
import { type HeardEvent, type LiveUniverse, makeLiveUniverse } from '../../service/live-universe.ts'
import { shareGalaxy } from '../../service/prepared-state.ts'
import { openReceiver } from '../../service/receiver.ts'
import { LiveConformance } from '../../support/frame-conformance.ts'
import { requireTool } from './require-tool.ts'

// Clients that know nothing of this service: ws and eventsource as npm has them, curl, and what modelina makes of the
// AsyncAPI document.

const run = promisify(execFile)
const { WebSocket: Ws } = requireTool('ws')
const { EventSource } = requireTool('eventsource')
const galaxy = shareGalaxy()

let universe: LiveUniverse
let socketUrl: string
let conformance: LiveConformance
/** What ends with the test. */
let closers: (() => void)[] = []

beforeAll(async () => {
  universe = await makeLiveUniverse(galaxy.url, 'catalogue')
  socketUrl = `${universe.url.replace('http', 'ws')}/ws/v1`
  conformance = new LiveConformance(await bodyOf(await fetch(`${universe.url}/asyncapi.json`)))
})

afterEach(() => {
  for (const close of closers) close()
  closers = []
})

afterAll(() => universe.end())

/** A socket of ws, with the frames that it has received. */
function openWs(path: string, protocols: string[] = [], headers: Record<string, string> = {}, base = socketUrl) {
  // After both have said that they close, the runtime may leave the connection open, and ws would wait for half a
  // minute.
  const socket = new Ws(`${base}/${path}`, protocols, { headers, closeTimeout: 100 })
  const frames: string[] = []
  socket.on('message', (data: Buffer) => frames.push(data.toString()))
  socket.on('error', () => {})
  closers.push(() => socket.terminate())
  const closed = new Promise<number>((resolve) => socket.on('close', resolve))
  const untilFrames = (count: number) =>
    until(
      () => frames,
      ({ length }) => length >= count,
    )
  return { socket, frames, closed, untilFrames }
}

/** Everything that curl has received so far. */
function startCurl(...args: string[]): { received(): string } {
  const curl = spawn('curl', ['-sN', ...args])
  let received = ''
  curl.stdout.on('data', (chunk) => (received += chunk))
  closers.push(() => curl.kill())
  return { received: () => received }
}

/** Collects the items of an EventSource. */
function openEventSource(url: string) {
  const source = new EventSource(url)
  const items: { id: string; planet: { name: string } }[] = []
  const gaps: unknown[] = []
  for (const name of ['created', 'updated', 'deleted', 'exploded']) {
    source.addEventListener(name, ({ data }: { data: string }) => items.push(JSON.parse(data)))
  }
  source.addEventListener('gap', ({ data }: { data: string }) => gaps.push(JSON.parse(data)))
  closers.push(() => source.close())
  const opened = new Promise((resolve) => source.addEventListener('open', resolve))
  return { items, gaps, opened }
}

const newestEvent = async (type: string): Promise<HeardEvent> =>
  (await universe.listEvents()).findLast(({ eventType }) => eventType === type) ?? { eventId: '', eventType: '' }

it('all of them hear of a planet under one id, and so does the receiver of its callback', async () => {
  const receiver = await openReceiver()
  closers.push(() => void receiver.close())
  await universe.createPlanet('The one before')
  const { eventId: before } = await newestEvent('planet.created')
  const { id, name } = await universe.call('POST', '/planets', { name: 'Ix', successCallbackUrl: receiver.url() })
  const event = await newestEvent('planet.created')
  expect(event).toMatchObject({ planet: { id, name } })

  const [, frame = ''] = await openWs(`planets/${id}/events?lastEventId=${before}`).untilFrames(2)
  expect(JSON.parse(frame)).toEqual(event)
  const item = {
    id: event.eventId,
    event: 'created',
    planet: event.planet,
    note: { lang: 'en', value: 'Ix was created.' },
    occurredAt: event.timestamp,
  }
  const { items } = openEventSource(`${universe.url}/planets/events?lastEventId=${before}`)
  await until(
    () => items.length,
    (length) => length === 1,
  )
  expect(items).toEqual([item])
  const begins = {
    'application/jsonl': '',
    'application/x-ndjson': '',
    'application/json-seq': '\u001e',
    'text/event-stream': 'data: ',
  }
  for (const [type, begin] of Object.entries(begins)) {
    const headers = ['-H', `Accept: ${type}`, '-H', `Last-Event-ID: ${before}`]
    const curl = startCurl('-i', ...headers, `${universe.url}/planets/events`)
    const text = await until(curl.received, (received) => received.includes('}\n'))
    expect(text).toMatch(new RegExp(`^content-type: ${type}\r$`, 'im'))
    expect(text).toContain(`\n${begin}${JSON.stringify(item)}\n`)
  }
  await until(
    () => receiver.arrivals.length,
    (length) => length === 1,
  )
  expect(receiver.arrivals[0]?.headers['x-galaxy-event-id']).toBe(event.eventId)
})

describe('ws', () => {
  it('opens every channel with both subprotocols, and gets what the document describes', async () => {
    const id = await universe.createPlanet('Arrakis')
    const { userId } = (await newestEvent('planet.created')).metadata as { userId: number }
    const authorization = { Authorization: `Bearer ${universe.token}` }
    const channels = {
      planetEvents: `planets/${id}/events`,
      celestialBodyEvents: 'celestial-bodies/events',
      systemEvents: 'system/events',
      userEvents: `users/${userId}/events`,
    }
    for (const protocol of ['galaxy.v1', 'galaxy.envelope.v1']) {
      const sockets = Object.entries(channels).map(([channel, path]) => {
        return { channel, ...openWs(path, [protocol], authorization) }
      })
      for (const { untilFrames, socket } of sockets) {
        await untilFrames(1)
        expect(socket.protocol).toBe(protocol)
      }
      await universe.call('PUT', `/planets/${id}`, { name: protocol })
      for (const type of ['system.maintenance', 'user.profile_updated', 'discovery.new']) {
        await universe.call('POST', '/events', { type })
      }
      for (const { channel, untilFrames } of sockets) {
        const frames = await untilFrames(2)
        const options = { envelope: protocol === 'galaxy.envelope.v1' }
        expect(frames.flatMap((frame) => conformance.findFaults(channel, frame, options))).toEqual([])
      }
    }
  })

  it('can say who it is in the subprotocol, as browsers do', async () => {
    const { userId } = (await newestEvent('planet.created')).metadata as { userId: number }
    const own = openWs(`users/${userId}/events`, [`bearer.${universe.token}`])
    await own.untilFrames(1)
    expect(own.socket.protocol).toBe(`bearer.${universe.token}`)
  })

  it('asks for planets, and gets the answers in order', async () => {
    const { socket, untilFrames } = openWs('planets/1/get')
    await new Promise((resolve) => socket.on('open', resolve))
    for (const planetId of [4, 999_999, 3]) socket.send(JSON.stringify({ requestId: `r${planetId}`, planetId }))
    socket.send('junk')
    const replies = await untilFrames(4)
    expect(replies.map((reply) => JSON.parse(reply))).toMatchObject([
      { id: 4 },
      { status: 404, requestId: 'r999999' },
      { id: 3 },
      { status: 400 },
    ])
    expect(replies.flatMap((reply) => conformance.findFaults('planetRequest', reply))).toEqual([])
  })

  it('gets pongs for its pings, of both kinds', async () => {
    const { socket, untilFrames } = openWs('system/events')
    await untilFrames(1)
    const pong = new Promise((resolve) => socket.on('pong', resolve))
    socket.ping()
    socket.send('ping')
    await pong
    expect((await untilFrames(2))[1]).toBe('pong')
  })

  it.each([
    ['binary', Buffer.from('x'), 1003],
    ['too much', 'x'.repeat(64 * 1024 + 1), 1009],
  ])('is told why it is cut off if it sends %s', async (_, message, code) => {
    const { socket, closed, untilFrames } = openWs('system/events')
    await untilFrames(1)
    socket.send(message)
    expect(await closed).toBe(code)
  })

  it('is told why it is refused, before the upgrade', async () => {
    const { socket } = openWs('users/1/events')
    const response = await new Promise<{ status: number; type: string }>((resolve) =>
      socket.on('unexpected-response', (_: unknown, { statusCode, headers }: Refusal) =>
        resolve({ status: statusCode, type: headers['content-type'] ?? '' }),
      ),
    )
    expect(response).toEqual({ status: 401, type: 'application/problem+json' })
  })

  interface Refusal {
    statusCode: number
    headers: Record<string, string>
  }

  it('is told of the reset of its universe, and of its end', async () => {
    const own = await makeLiveUniverse(galaxy.url)
    const base = `${own.url.replace('http', 'ws')}/ws/v2`
    const first = openWs('celestial-bodies/events', [], {}, base)
    await first.untilFrames(1)
    await own.call('POST', '/universe/reset')
    expect(await first.closed).toBe(1012)
    const second = openWs('celestial-bodies/events', [], {}, base)
    await second.untilFrames(1)
    await own.end()
    expect(await second.closed).toBe(1012)
    const third = openWs('celestial-bodies/events', [], {}, base)
    const status = await new Promise((resolve) =>
      third.socket.on('unexpected-response', (_: unknown, { statusCode }: Refusal) => resolve(statusCode)),
    )
    expect(status).toBe(410)
  })
})

describe('eventsource', () => {
  let line: BreakableLine

  beforeEach(async () => {
    line = await startBreakableLine(galaxy.url)
  })

  afterEach(() => line.close())

  it('comes again by itself, and misses nothing', async () => {
    const { items, gaps, opened } = openEventSource(`${line.url}/u/${universe.id}/planets/events`)
    await opened
    const untilItems = (count: number) =>
      until(
        () => items.length,
        (length) => length >= count,
      )
    await universe.createPlanet('Before')
    await untilItems(1)
    line.break()
    await universe.createPlanet('Meanwhile')
    line.mend()
    await untilItems(2)
    await universe.createPlanet('After')
    await untilItems(3)
    const created = (await universe.listEvents()).filter(({ eventType }) => eventType === 'planet.created').slice(-3)
    expect(items.map(({ id, planet }) => [id, planet.name])).toEqual(
      created.map(({ eventId }, index) => [eventId, ['Before', 'Meanwhile', 'After'][index]]),
    )
    expect(gaps).toEqual([])
  })

  it.each(['019bc210-3240-7000-a168-2f0000000001', 'junk'])('is told of a gap after %s', async (lastEventId) => {
    const { gaps, opened } = openEventSource(`${universe.url}/planets/events?lastEventId=${lastEventId}`)
    await opened
    await until(
      () => gaps.length,
      (length) => length === 1,
    )
    expect(gaps).toEqual([{ lastEventId }])
  })
})

describe('fetch', () => {
  it.each(['application/jsonl', 'application/x-ndjson', 'application/json-seq'])(
    'gets a stream of %s before there is anything to tell',
    async (type) => {
      const abort = new AbortController()
      closers.push(() => abort.abort())
      const response = await fetch(`${universe.url}/planets/events`, {
        headers: { Accept: type },
        signal: abort.signal,
      })
      expect(response.headers.get('Content-Type')).toBe(type)
    },
  )
})

describe('curl', () => {
  it('gets the headers of a stream without the stream', async () => {
    const { stdout } = await run('curl', ['-sI', '-m', '10', `${universe.url}/planets/events`])
    expect(stdout).toMatch(/^HTTP\/1.1 200 OK/)
    expect(stdout).toMatch(/^content-type: text\/event-stream\r$/im)
    expect(stdout).toMatch(/^cache-control: no-store\r$/im)
  })

  it('gets a stream as it is, even if it would take it compressed', async () => {
    const headers = startCurl('-i', '-H', 'Accept-Encoding: gzip, br', `${universe.url}/planets/events`)
    const text = await until(headers.received, (received) => received.endsWith(':\n'))
    expect(text).not.toMatch(/^content-encoding:/im)
  })

  it('is told that it has to upgrade', async () => {
    const { stdout } = await run('curl', ['-s', '-w', '%{http_code}', `${universe.url}/ws/v1/system/events`])
    expect(stdout).toMatch(/problems\/upgrade-required.*426$/s)
  })
})

describe('a client from modelina', () => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'galaxy-modelina-'))
  })

  afterAll(() => rm(folder, { recursive: true }))

  it('compiles, and reads real events by their types', async () => {
    const { TypeScriptFileGenerator } = requireTool('@asyncapi/modelina')
    const options = { modelType: 'interface', enumType: 'union', rawPropertyNames: true }
    const document = await bodyOf(await fetch(`${universe.url}/asyncapi.json`))
    await new TypeScriptFileGenerator(options).generateToFiles(document, folder, { exportType: 'named' })
    await writeFile(join(folder, 'client.ts'), TYPED_CLIENT)
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc')
    const flags = ['--strict', '--target', 'esnext', '--module', 'esnext', '--moduleResolution', 'bundler']
    await run(tsc, [...flags, '--types', '', '--lib', 'esnext,dom', '--outDir', '.', 'client.ts'], { cwd: folder })

    const atmosphere = [{ compound: 'N2', percentage: 78 }]
    const { id } = await universe.call('POST', '/planets', { name: 'Arrakis', satellites: [{ name: 'Krelln' }] })
    await universe.call('PUT', `/planets/${id}`, { name: 'Dune', atmosphere })
    await universe.call('DELETE', `/planets/${id}`)
    const url = `${socketUrl}/planets/${id}/events?includeHistory=true`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', await readClient(folder), url])
    expect(stdout.trim().split('\n')).toEqual([
      'Arrakis was created',
      'Krelln is a satellite of Arrakis',
      'name, satellites, atmosphere changed',
      'Dune has N2',
      'Dune is gone',
    ])
  })

  const readClient = async (path: string) => (await run('cat', [join(path, 'client.js')])).stdout
})

/** It only compiles if the types tell the events apart. */
const TYPED_CLIENT = `
import { PlanetEvents } from './PlanetEvents'

declare const process: { argv: string[] }

function tell(event: PlanetEvents): string {
  switch (event.eventType) {
    case 'planet.created':
      return event.planet.name + ' was created'
    case 'planet.updated':
      return event.changes.map(({ field }) => field).join(', ') + ' changed'
    case 'planet.deleted':
      // @ts-expect-error A deleted planet is only named
      event.planet
      return event.planetName + ' is gone'
    case 'satellite.discovered':
      return event.satellite.name + ' is a satellite of ' + event.satellite.orbit?.planet?.name
    case 'atmosphere.changed':
      return event.planet.name + ' has ' + event.atmosphere.map(({ compound }) => compound).join()
    default:
      return event.eventType
  }
}

const socket = new WebSocket(process.argv[1] ?? '')
socket.onmessage = ({ data }) => {
  const event: PlanetEvents = JSON.parse(data)
  if (!('eventType' in event)) return
  console.log(tell(event))
  if (event.eventType === 'planet.deleted') socket.close()
}
`
