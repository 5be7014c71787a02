import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ROOT } from '../../scripts/lib/root.ts'
import { tellsProcesses } from '../../test/service/processes.ts'
import { openReceiver } from '../../test/service/receiver.ts'
import { type Finding, median } from '../measure.ts'
import { requireSameAnswers, requireSuccess } from './answers.ts'
import type { LoadRequest } from './autocannon.ts'
import { describeMachine } from './machine.ts'
import { measureManyAtOnce } from './many-at-once.ts'
import { ensurePackages } from './packages.ts'
import { preparePrograms } from './programs.ts'
import { writeReport } from './report.ts'
import type { Measured, Results } from './results.ts'
import { measureWork, type Plan, type PopulatedServers } from './rounds.ts'
import { type Program, type Server, type ServerName, startServer } from './servers.ts'
import { timeStarts } from './start-up.ts'
import { summarize } from './summary.ts'
import { printResults } from './tables.ts'
import { checkResults } from './targets.ts'
import { findWork, listWorks, requestOf, type Work } from './works.ts'
import { ANY_WORLD, createWorld, type World } from './world.ts'

export interface Options {
  rounds: number
  seconds: number
  /** The folder for the report and its JSON. */
  out: string
}

const CONNECTIONS = 16

/** Measures how fast Galaxy is beside the floor and the peers, and writes the report. */
export async function measurePerformance({ rounds, seconds, out }: Options): Promise<Finding[]> {
  if (!tellsProcesses) {
    console.log('Performance: skipped, because this machine does not report the CPU time of its processes')
    return []
  }
  ensurePackages()
  const folder = await mkdtemp(join(tmpdir(), 'galaxy-benchmark-'))
  const receiver = await openReceiver()
  try {
    const works = listWorks(receiver.url())
    const measured = await measure(folder, works, {
      rounds,
      seconds,
      connections: CONNECTIONS,
      countCalls: () => receiver.arrivals.length,
    })
    const findings = checkResults(measured, works)
    const results = { ...measured, findings }
    printResults(results, works)
    await writeResults(resolve(ROOT, out), results, works)
    return findings
  } finally {
    await receiver.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(folder: string, works: readonly Work[], plan: Plan): Promise<Measured> {
  const firstRequest = requestOf(findWork(works, 'shippedPlanet'), ANY_WORLD)
  const { programs, floorWorld } = await preparePrograms(folder, works, firstRequest)
  console.log('Starting each server …')
  const times = await timeStarts(programs, firstRequest, plan.rounds)
  const startUpMs = {
    galaxy: median(times.galaxy),
    floor: median(times.floor),
    limit: median(times.limit),
    mockServer: median(times.mockServer),
    prism: median(times.prism),
  }
  const servers = await startAll(programs, firstRequest)
  try {
    const { rounds, seconds, connections } = plan
    const populated = await populate(servers, floorWorld)
    await requireSameAnswers(works, populated)
    await requireSuccess(works, populated)
    const measured: Measured['works'] = {}
    for (const work of works) {
      console.log(`Measuring: ${work.title} …`)
      measured[work.name] = summarize(await measureWork(work, populated, plan))
    }
    console.log('Measuring: many requests at the same time …')
    const crowd = { work: findWork(works, 'planet'), constant: findWork(works, 'shippedPlanet') }
    const manyAtOnce = await measureManyAtOnce(crowd, populated, { rounds, seconds })
    const settings = { rounds, secondsPerRound: seconds, connections }
    return { machine: describeMachine(), settings, startUpMs, works: measured, manyAtOnce }
  } finally {
    await Promise.all(Object.values(servers).map((server) => server.stop()))
  }
}

async function startAll(
  { galaxy, floor, limit, mockServer, prism }: Record<ServerName, Program>,
  firstRequest: LoadRequest,
): Promise<Record<ServerName, Server>> {
  return {
    galaxy: await startServer(galaxy, firstRequest),
    floor: await startServer(floor, firstRequest),
    limit: await startServer(limit, firstRequest),
    mockServer: await startServer(mockServer, firstRequest),
    prism: await startServer(prism, firstRequest),
  }
}

async function populate(servers: Record<ServerName, Server>, floorWorld: World): Promise<PopulatedServers> {
  const { galaxy, floor, limit, mockServer, prism } = servers
  return {
    galaxy: { server: galaxy, world: await createWorld((path, init) => fetch(new URL(path, galaxy.url), init)) },
    floor: { server: floor, world: floorWorld },
    limit: { server: limit, world: floorWorld },
    mockServer: { server: mockServer, world: ANY_WORLD },
    prism: { server: prism, world: ANY_WORLD },
  }
}

async function writeResults(folder: string, results: Results, works: readonly Work[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'performance.json'), `${JSON.stringify(results, undefined, 2)}\n`)
  await writeFile(join(folder, 'performance.md'), writeReport(results, works))
  console.log(`Written: performance.md and performance.json in ${folder}`)
}
