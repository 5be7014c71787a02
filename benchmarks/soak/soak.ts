import { setTimeout as sleep } from 'node:timers/promises'
import { forEachOf } from '../../test/service/callbacks-client.ts'
import { runtimeMemory } from '../../test/service/memory.ts'
import { tellsProcesses } from '../../test/service/processes.ts'
import { openSocket, type Reader, Sequence } from '../live/readers.ts'
import { type Finding, median } from '../measure.ts'
import { Ledger, openNotary } from './ledger.ts'
import { serve } from './serve.ts'
import { work } from './user.ts'

/** How many users work, and for how long. */
export interface Options {
  users: number
  minutes: number
}

const PAUSE_MS = 1000
/** The caches of the runtime first reach their size, at this pace, in this part of the time that is measured. */
const WARM_UP = { pauseMs: PAUSE_MS / 2, part: 0.3 }
const MEMORY_INTERVAL_MS = 1000
/** The memory is compared between tenths of the time. Of ten minutes, the second tenth is minute two. */
const PARTS = 10
const GROWTH_MAX = 1.1
const ARRIVAL_TIMEOUT_MS = 60_000
const READ_AT_ONCE = 20
const FAULTS_SHOWN = 10

/** Measures whether the service stays as it is while users work with it for a long time, each with a socket. */
export async function measureSoak(options: Options): Promise<Finding[]> {
  if (!tellsProcesses) {
    console.log('Soak: skipped, because this machine does not report what its processes use')
    return []
  }
  const server = await serve()
  const ledger = new Ledger()
  const notary = await openNotary(ledger)
  try {
    const pace = { pauseMs: WARM_UP.pauseMs }
    const findings = await measureServer({ url: server.url, receiver: notary.url, ledger, pace }, options)
    console.log(`Attempts to call back, by their outcome: ${JSON.stringify(server.countAttempts())}`)
    return findings
  } finally {
    notary.close()
    await server.stop()
  }
}

async function measureServer(workplace: Parameters<typeof work>[1], { users, minutes }: Options): Promise<Finding[]> {
  const { url, ledger, pace } = workplace
  const sequence = new Sequence()
  const readers = await Promise.all(Array.from({ length: users }, () => openSocket(url, sequence)))
  let isOver = false
  const working = Promise.all(Array.from({ length: users }, (_, index) => work(index + 1, workplace, () => isOver)))
  console.log(`Warming up: ${users} users at twice the pace …`)
  await Promise.race([working, sleep(WARM_UP.part * minutes * 60_000)])
  console.log(`Measuring: ${users} users for ${minutes} minutes …`)
  pace.pauseMs = PAUSE_MS
  const memory = await watchMemory(minutes, working)
  isOver = true
  await working
  await untilArrived(ledger, readers, sequence)
  for (const { close } of readers) close()
  await comparePlanets(url, ledger)
  return [...judgeLedger(ledger), judgeReaders(readers, sequence, ledger), judgeMemory(memory)]
}

/** The memory of the runtime in each second, in MiB. @param working Fails if the users cannot work any more */
async function watchMemory(minutes: number, working: Promise<unknown>): Promise<number[]> {
  const memory: number[] = []
  const end = performance.now() + minutes * 60_000
  while (performance.now() < end) {
    await Promise.race([working, sleep(MEMORY_INTERVAL_MS)])
    memory.push(runtimeMemory())
  }
  return memory
}

/** Waits for the callbacks and events that are under way. */
async function untilArrived(ledger: Ledger, readers: readonly Reader[], sequence: Sequence): Promise<void> {
  const end = performance.now() + ARRIVAL_TIMEOUT_MS
  const isMissing = () => ledger.owed().length > 0 || readers.some(({ count }) => count < sequence.length)
  while (isMissing() && performance.now() < end) await sleep(200)
}

/** Reads each planet and each picture that should be there, and that should not. */
async function comparePlanets(url: string, { planets, faults }: Ledger): Promise<void> {
  await forEachOf([...planets], READ_AT_ONCE, async ([name, { id, isGone, imageUrl }]) => {
    const response = await fetch(`${url}/planets/${id}`)
    const planet = (await response.json()) as { name?: string; image?: string }
    const isThere = response.status === 200 && planet.name === name && planet.image === imageUrl
    if (isGone ? response.status !== 404 : !isThere) faults.push(`${name}: ${response.status}, image ${planet.image}`)
    if (imageUrl === undefined) return
    const image = await fetch(imageUrl)
    await image.arrayBuffer()
    if (image.status !== (isGone ? 404 : 200)) faults.push(`the image of ${name}: ${image.status}`)
  })
}

function judgeLedger(ledger: Ledger): Finding[] {
  const { requests, planets, callbacks, universes, faults } = ledger
  const owed = ledger.owed()
  const images = [...planets.values()].filter(({ imageUrl }) => imageUrl !== undefined).length
  console.table([{ requests, planets: planets.size, images, callbacks, universes, faults: faults.length }])
  const lines = [...faults, ...owed.map((one) => `not received: ${one}`)]
  for (const line of lines.slice(0, FAULTS_SHOWN)) console.log(`  ${line}`)
  return [
    { name: 'soak: responses, planets and pictures that are not as expected', ratio: faults.length, atMost: 0 },
    { name: 'soak: callbacks that did not arrive', ratio: owed.length, atMost: 0 },
  ]
}

/** Each socket has each event once, and there is at least one for each planet. */
function judgeReaders(readers: readonly Reader[], { length }: Sequence, { planets }: Ledger): Finding {
  const wrong = readers.filter(({ count, strays }) => count !== length || strays > 0 || length < planets.size)
  console.log(`${length} events: ${readers.length - wrong.length} of ${readers.length} sockets have each event once`)
  return { name: 'soak: sockets that missed an event or got one twice', ratio: wrong.length, atMost: 0 }
}

function judgeMemory(memory: readonly number[]): Finding {
  const size = Math.floor(memory.length / PARTS)
  const parts = Array.from({ length: PARTS }, (_, part) => median(memory.slice(part * size, (part + 1) * size)))
  console.log(`Memory of the runtime in each tenth of the time, in MiB: ${parts.map(Math.round).join(', ')}`)
  const [, second = Number.NaN] = parts
  const ratio = (parts.at(-1) ?? Number.NaN) / second
  return { name: 'soak: memory in the last tenth of the time, compared with the second', ratio, atMost: GROWTH_MAX }
}
