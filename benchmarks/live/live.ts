import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { forEachOf } from '../../test/service/callbacks-client.ts'
import { tellsProcesses } from '../../test/service/processes.ts'
import { type Finding, median, percentile } from '../measure.ts'
import { prepareGalaxy } from '../performance/programs.ts'
import { type Server, startServer } from '../performance/servers.ts'
import { cpuSecondsOf, memoryOf, untilIdle } from '../performance/usage.ts'
import { type Answered, createPlanets } from './creations.ts'
import { openSocket, openStream, type Reader, Sequence } from './readers.ts'
import { signUp } from './sign-up.ts'

/** How many readers there are, and for how long they read. */
export interface Options {
  sockets: number
  streams: number
  minutes: number
  /** How many planets are created per second. */
  rate: number
}

const OPENED_AT_ONCE = 20
/** One of so many readers says when each event has arrived. */
const SAMPLED = 20
const MEDIAN_MS = 100
const P99_MS = 500
/** The last third of the load may leave at most so many times the memory that the second third left. */
const FLAT = 1.25
const IDLE_MS = 30_000
/** What sockets that hear nothing may cost: one percent of a CPU. */
const IDLE_CPU_SECONDS = (IDLE_MS / 1000) * 0.01
const ARRIVAL_TIMEOUT_MS = 30_000
const MEMORY_INTERVAL_MS = 2000

/** Measures live events, on the runtime itself, in the common world. */
export async function measureLive(options: Options): Promise<Finding[]> {
  if (!tellsProcesses) {
    console.log('Live events: skipped, because this machine does not report what its processes use')
    return []
  }
  const folder = await mkdtemp(join(tmpdir(), 'galaxy-benchmark-'))
  try {
    const server = await startServer(await prepareGalaxy(folder), { path: '/planets/4' })
    try {
      return await measureServer(server, options)
    } finally {
      await server.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureServer(server: Server, options: Options): Promise<Finding[]> {
  const token = await signUp(server.url)
  const withoutSockets = await measureIdle(server)
  const arrivals: Record<keyof typeof SEQUENCES, Arrivals> = { sockets: [], streams: [] }
  console.log(`Measuring: ${options.sockets} sockets and ${options.streams} streams …`)
  const readers = await openAll(
    options.sockets,
    (note) => openSocket(server.url, SEQUENCES.sockets, note),
    arrivals.sockets,
  )
  const withSockets = await measureIdle(server)
  readers.push(
    ...(await openAll(options.streams, (note) => openStream(server.url, SEQUENCES.streams, note), arrivals.streams)),
  )
  const memory = watchMemory(server)
  const load = { perSecond: options.rate, seconds: options.minutes * 60 }
  const answered = await createPlanets({ url: server.url, token }, load)
  await untilAllArrived(readers, answered.size)
  const memories = memory.stop()
  for (const { close } of readers) close()
  return [
    ...judgeReaders(readers, answered.size),
    ...judgeTimes('sockets', arrivals.sockets, answered),
    ...judgeTimes('streams', arrivals.streams, answered),
    judgeMemory(memories),
    {
      name: `CPU of ${options.sockets} idle sockets, of one percent`,
      ratio: (withSockets - withoutSockets) / IDLE_CPU_SECONDS,
      atMost: 1,
    },
  ]
}

const SEQUENCES = { sockets: new Sequence(), streams: new Sequence() }

/** When the events of planets arrived at the readers that are sampled. */
type Arrivals = { planetId: number; at: number }[]

/** The CPU time that the server uses while nothing happens, in seconds. */
async function measureIdle(server: Server): Promise<number> {
  await untilIdle(server)
  const before = cpuSecondsOf(server)
  await sleep(IDLE_MS)
  return cpuSecondsOf(server) - before
}

const PLANET_ID = /"planet":\{"id":(\d+)/

async function openAll(
  count: number,
  open: (note: ((text: string) => void) | undefined) => Promise<Reader>,
  arrivals: Arrivals,
): Promise<Reader[]> {
  const noteArrival = (text: string) =>
    arrivals.push({ planetId: Number(PLANET_ID.exec(text)?.[1]), at: performance.now() })
  const readers: Reader[] = []
  await forEachOf([...Array(count).keys()], OPENED_AT_ONCE, async (index) => {
    readers.push(await open(index % SAMPLED === 0 ? noteArrival : undefined))
  })
  return readers
}

async function untilAllArrived(readers: readonly Reader[], count: number): Promise<void> {
  const end = performance.now() + ARRIVAL_TIMEOUT_MS
  while (readers.some((reader) => reader.count + reader.strays < count) && performance.now() < end) await sleep(100)
}

/** The memory of the server now and then, in MiB. */
function watchMemory(server: Server): { stop(): number[] } {
  const memories: number[] = []
  const timer = setInterval(() => memories.push(memoryOf(server)), MEMORY_INTERVAL_MS)
  return {
    stop() {
      clearInterval(timer)
      return memories
    },
  }
}

/** Every reader has each event exactly once, in the order in which all others have it. */
function judgeReaders(readers: readonly Reader[], created: number): Finding[] {
  const wrong = readers.filter(({ count, strays }) => count !== created || strays > 0)
  const returned = readers.filter(({ returns }) => returns > 0).length
  console.log(`${created} planets: ${readers.length - wrong.length} of ${readers.length} readers have each event once`)
  console.log(`${returned} of them were closed because too much was on its way to them, and came again`)
  return [{ name: 'live events: readers that missed one or got one twice', ratio: wrong.length, atMost: 0 }]
}

function judgeTimes(kind: keyof typeof SEQUENCES, arrivals: Arrivals, answered: Answered): Finding[] {
  // A frame may arrive before the client has read the response. Then there was no wait.
  const waits = arrivals.map(({ planetId, at }) => Math.max(0, at - (answered.get(planetId) ?? Number.NaN)))
  const [middle, slowest] = [median(waits), percentile(waits, 99)]
  console.log(`From 201 to the event on ${kind}: median ${middle.toFixed(1)} ms, 99 % within ${slowest.toFixed(1)} ms`)
  const withinP99 = {
    name: `live events on ${kind}: 99 % from 201, of ${P99_MS} ms`,
    ratio: slowest / P99_MS,
    atMost: 1,
  }
  // A stream waits for its turn among all streams, so only its slowest items are limited.
  if (kind === 'streams') return [withinP99]
  return [
    { name: `live events on ${kind}: median from 201, of ${MEDIAN_MS} ms`, ratio: middle / MEDIAN_MS, atMost: 1 },
    withinP99,
  ]
}

/** The first third warms the server up. */
function judgeMemory(memories: readonly number[]): Finding {
  const third = Math.floor(memories.length / 3)
  const [first, second, last] = [0, third, 2 * third].map((from) => median(memories.slice(from, from + third)))
  console.table([{ 'MiB in the first third': first, 'in the second': second, 'in the last': last }])
  const ratio = (last ?? Number.NaN) / (second ?? Number.NaN)
  return { name: 'live events: memory in the last third, compared with the second', ratio, atMost: FLAT }
}
