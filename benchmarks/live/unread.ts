import { mkdtemp, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tellsProcesses } from '../../test/service/processes.ts'
import { openPaused, textFrame } from '../../test/service/unread-socket.ts'
import { type Finding, median, request, time } from '../measure.ts'
import { requirePackage } from '../performance/packages.ts'
import { prepareGalaxy } from '../performance/programs.ts'
import { type Program, type Server, startServer } from '../performance/servers.ts'
import { memoryOf } from '../performance/usage.ts'
import { signUp } from './sign-up.ts'

const { WebSocket: Ws } = requirePackage('ws')

const SOCKETS = 40
/** How many sockets ask for planets, and how many requests of each wait all the time. */
const [ASKERS, ASKED] = [5, 40]
/** How many large changes of the planet the sockets hear of. */
const CHANGES = 27
const SECONDS = 60
/** What sockets that do not read may take more than sockets that read. */
const UNREAD_MAX_MIB = 64
/** How many times as long the reads of others may take. */
const READS_MAX = 3
const READ_PAUSE_MS = 50
const USUAL_READS = 100

/** A planet of about 240 KB. */
const LARGE_PLANET = {
  name: 'Arrakis',
  type: 'terrestrial',
  satellites: Array.from({ length: 24 }, (_, index) => ({ name: `Moon ${index}`, description: 'x'.repeat(9900) })),
}

type Close = () => void

/** Measures what clients that do not read, and clients that ask for too much, take from others, on the runtime itself. */
export async function measureUnread(): Promise<Finding[]> {
  if (!tellsProcesses) {
    console.log('Unread sockets: skipped, because this machine does not report what its processes use')
    return []
  }
  const folder = await mkdtemp(join(tmpdir(), 'galaxy-benchmark-'))
  try {
    const program = await prepareGalaxy(folder)
    const read = await measureLoad(program, { open: openReading, includesAskers: false })
    const findings: Finding[] = []
    for (const [name, open] of Object.entries({
      'that never read': openUnread,
      'of /get that never read': openUnreadGet,
    })) {
      const unread = await measureLoad(program, { open, includesAskers: true })
      console.log(
        `Memory after ${SECONDS} s: ${read.mib.toFixed()} MiB with ${SOCKETS} sockets that read, ` +
          `${unread.mib.toFixed()} MiB (at most ${unread.mostMib.toFixed()}) with ${SOCKETS} ${name}`,
      )
      console.log(
        `Reads of others: usually ${unread.usualMs.toFixed(1)} ms, ${unread.loadedMs.toFixed(1)} ms while ${ASKERS} sockets ` +
          `have ${ASKED} waiting requests each (${unread.answers} answers)`,
      )
      findings.push(
        {
          name: `live events: memory of ${SOCKETS} sockets ${name} above that of sockets that read, of ${UNREAD_MAX_MIB} MiB`,
          ratio: (unread.mib - read.mib) / UNREAD_MAX_MIB,
          atMost: 1,
        },
        {
          name: `live events: reads of others beside sockets ${name}`,
          ratio: unread.loadedMs / unread.usualMs,
          atMost: READS_MAX,
        },
      )
    }
    return findings
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Load {
  open(url: string, planetId: number, index: number): Promise<Close>
  includesAskers: boolean
}

async function measureLoad(program: Program, { open, includesAskers }: Load) {
  const server = await startServer(program, { path: '/planets/4' })
  try {
    const token = await signUp(server.url)
    const planetId = await createPlanet(server, token)
    const usualMs = await medianRead(server, () => performance.now(), USUAL_READS)
    const closes: Close[] = []
    for (let index = 0; index < SOCKETS; index++) closes.push(await open(server.url, planetId, index))
    const askers = includesAskers ? await Promise.all(Array.from({ length: ASKERS }, () => openAsker(server.url))) : []
    const end = performance.now() + SECONDS * 1000
    const reads = medianRead(server, () => performance.now() - end)
    let mostMib = 0
    for (let change = 0; change < CHANGES; change++) {
      await changePlanet(server, token, planetId)
      mostMib = Math.max(mostMib, memoryOf(server))
      await sleep(Math.max(0, (end - performance.now()) / 2 / (CHANGES - change)))
    }
    while (performance.now() < end) {
      mostMib = Math.max(mostMib, memoryOf(server))
      await sleep(500)
    }
    const [mib, loadedMs] = [memoryOf(server), await reads]
    const answers = askers.reduce((sum, { count }) => sum + count(), 0)
    for (const close of [...closes, ...askers.map(({ close }) => close)]) close()
    return { mib, mostMib, usualMs, loadedMs, answers }
  } finally {
    await server.stop()
  }
}

const writing = (method: string, token: string) => ({
  method,
  headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
  body: JSON.stringify(LARGE_PLANET),
})

async function createPlanet({ url }: Server, token: string): Promise<number> {
  const response = await fetch(`${url}/planets`, writing('POST', token))
  if (response.status !== 201) throw new Error(`POST /planets: ${response.status} ${await response.text()}`)
  const { id } = (await response.json()) as { id: number }
  return id
}

async function changePlanet({ url }: Server, token: string, planetId: number): Promise<void> {
  await request(`${url}/planets/${planetId}`, 200, writing('PUT', token))()
}

/** The median time of reads of a list, which somebody else makes until `passed` is positive, or `count` times. */
async function medianRead({ url }: Server, passed: () => number, count = Number.POSITIVE_INFINITY): Promise<number> {
  const times: number[] = []
  while (times.length < count && (count < Number.POSITIVE_INFINITY || passed() < 0)) {
    times.push(await time(request(`${url}/planets`, 200)))
    await sleep(READ_PAUSE_MS)
  }
  return median(times)
}

/** Every second socket wants the history, too. */
const eventsPath = (planetId: number, index: number) =>
  `/ws/v1/planets/${planetId}/events?includeHistory=${index % 2 === 1}`

/** A client that reads, and sends a `ping` each second. */
function openReading(url: string, planetId: number, index: number): Promise<Close> {
  const socket = new Ws(url.replace('http', 'ws') + eventsPath(planetId, index), { perMessageDeflate: false })
  const timer = setInterval(() => socket.send('ping'), 1000)
  const close = () => {
    clearInterval(timer)
    socket.terminate()
  }
  return new Promise((resolve, reject) => socket.on('error', reject).on('open', () => resolve(close)))
}

async function openUnread(url: string, planetId: number, index: number): Promise<Close> {
  const socket = await openPaused(url + eventsPath(planetId, index))
  return () => socket.destroy()
}

/** A client that asks for a large planet 40 times at once, and again each second, and does not read. */
async function openUnreadGet(url: string, planetId: number): Promise<Close> {
  const socket: Socket = await openPaused(`${url}/ws/v1/planets/${planetId}/get`)
  const ask = () => {
    for (let count = 0; count < ASKED; count++) socket.write(textFrame(`{"requestId":"r","planetId":${planetId}}`))
  }
  ask()
  const timer = setInterval(ask, 1000)
  return () => {
    clearInterval(timer)
    socket.destroy()
  }
}

/** A client that always has waiting requests: after each answer it sends the next one. */
function openAsker(url: string): Promise<{ close: Close; count(): number }> {
  const socket = new Ws(`${url.replace('http', 'ws')}/ws/v1/planets/4/get`, { perMessageDeflate: false })
  let count = 0
  const ask = () => socket.send('{"requestId":"r","planetId":4}')
  socket.on('message', () => {
    count++
    ask()
  })
  return new Promise((resolve, reject) => {
    socket.on('error', reject).on('open', () => {
      for (let asked = 0; asked < ASKED; asked++) ask()
      resolve({ close: () => socket.terminate(), count: () => count })
    })
  })
}
