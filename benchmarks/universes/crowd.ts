import { setTimeout as sleep } from 'node:timers/promises'
import { forEachOf } from '../../test/service/callbacks-client.ts'
import { runtimeMemory } from '../../test/service/memory.ts'
import type { Finding } from '../measure.ts'
import type { Server } from '../performance/servers.ts'
import { untilIdle } from '../performance/usage.ts'
import { type MixedLoad, sendMixedLoad } from './mixed-load.ts'
import { endUniverse, type MadeUniverse, makeUniverse } from './universe.ts'
import type { Options } from './universes.ts'

const UNIVERSES = 200
const CONNECTIONS = 50
const MADE_AT_ONCE = 4
const TIMES_LONGER = 2
/** The runtime removes objects from memory some seconds after their last request. */
const REST_MS = 15_000
const RELEASED = 1.25
/** The most memory that one universe under load may take. Most of it is the cache of its database. */
const MIB_EACH = 4

/** Memory of the runtime in MiB: before, with all universes, after their load, and after their end. */
interface Crowd {
  load: MixedLoad
  memory: { before: number; made: number; loaded: number; ended: number }
}

/** Many universes side by side. The second crowd shows what the first one has left behind. */
export async function measureCrowd(server: Server, { seconds }: Options): Promise<Finding[]> {
  console.log(`Measuring: ${UNIVERSES} universes side by side, twice …`)
  const crowds = [await passThrough(server, seconds * TIMES_LONGER), await passThrough(server, seconds * TIMES_LONGER)]
  console.table(crowds.map(describe))
  const [first, second] = crowds.map(({ memory }) => memory.ended)
  const sumOf = (key: 'errors' | 'responses') => crowds.reduce((sum, { load }) => sum + load[key], 0)
  const crowd = `${UNIVERSES} universes side by side`
  const each =
    Math.max(...crowds.map(({ memory: { before, made, loaded } }) => Math.max(made, loaded) - before)) / UNIVERSES
  return [
    { name: `${crowd}: errors, compared with responses`, ratio: sumOf('errors') / sumOf('responses'), atMost: 0 },
    { name: `${crowd}: memory of each, of ${MIB_EACH} MiB`, ratio: each / MIB_EACH, atMost: 1 },
    {
      name: `${crowd}: memory after the end of the second ${UNIVERSES}, compared with the first`,
      ratio: (second ?? Number.NaN) / (first ?? Number.NaN),
      atMost: RELEASED,
    },
  ]
}

async function passThrough(server: Server, seconds: number): Promise<Crowd> {
  const before = runtimeMemory()
  const universes: MadeUniverse[] = []
  await forEachOf([...Array(UNIVERSES).keys()], MADE_AT_ONCE, async () => {
    universes.push(await makeUniverse(server.url))
  })
  const made = runtimeMemory()
  const load = await sendMixedLoad(universes, { connections: CONNECTIONS, seconds })
  const loaded = runtimeMemory()
  await forEachOf(universes, MADE_AT_ONCE, endUniverse)
  await untilIdle(server)
  await sleep(REST_MS)
  return { load, memory: { before, made, loaded, ended: runtimeMemory() } }
}

function describe({ load, memory }: Crowd) {
  return {
    'requests/s': Math.round(load.requestsPerSecond),
    'p50, ms': Math.round(load.p50),
    'p99, ms': Math.round(load.p99),
    errors: load.errors,
    'MiB before': Math.round(memory.before),
    made: Math.round(memory.made),
    loaded: Math.round(memory.loaded),
    ended: Math.round(memory.ended),
  }
}
