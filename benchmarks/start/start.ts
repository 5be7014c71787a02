import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readShippedPlanets } from '../../scripts/lib/shipped-planets.ts'
import { readProportionalBytes, tellsProcesses } from '../../test/service/processes.ts'
import { type Finding, median } from '../measure.ts'
import { FOLDER } from '../performance/packages.ts'
import { type Program, peersIn, startServer } from '../performance/servers.ts'
import { timeStarts } from '../performance/start-up.ts'
import { type Installation, installFresh, packGalaxy, peerPackages } from './installs.ts'
import { checkFigures } from './targets.ts'

/** What is compared, with the names in the tables. Only Galaxy has a state. */
const ROWS = {
  newState: 'Galaxy, new state',
  existingState: 'Galaxy, existing state',
  inMemory: 'Galaxy, --memory',
  mockServer: 'mock-server',
  prism: 'Prism',
  jsonServer: 'json-server',
} as const

type Row = keyof typeof ROWS

const FIRST_REQUEST = { path: '/planets/4' }
const REST_MS = 30_000

/**
 * Measures how fast the package is there, what it takes at rest, and what its installation takes, beside mock servers.
 *
 * @param rounds How often each is started
 */
export async function measureStart(rounds: number): Promise<Finding[]> {
  if (!tellsProcesses) {
    console.log('Start: skipped, because this machine does not report the memory of its processes')
    return []
  }
  const folder = await mkdtemp(join(tmpdir(), 'galaxy-benchmark-'))
  try {
    const installations = await installAll(folder)
    const programs = listPrograms(folder, installations)
    console.log(`Starting each server ${rounds} times …`)
    // Makes the existing state.
    await (await startServer(programs.existingState, FIRST_REQUEST)).stop()
    const times = await timeStarts(programs, FIRST_REQUEST, rounds)
    // A file of its own. Otherwise, some 50 MiB of Node would count in part for this process, which runs it too.
    const node = join(folder, 'node')
    await copyFile(process.execPath, node)
    const memory = await measureMemory(programs, node)
    printResults(installations, times, memory)
    return checkFigures({
      startUpMs: {
        newState: median(times.newState),
        existingState: median(times.existingState),
        mockServer: median(times.mockServer),
      },
      memory: Math.max(...[memory.newState, memory.existingState, memory.inMemory].map(sumOf)),
      ...installations.newState,
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Installs each program in a folder of its own. */
async function installAll(folder: string): Promise<Record<Row, Installation>> {
  console.log('Packing Galaxy, and installing it and the mock servers …')
  const galaxy = await installFresh(join(folder, 'galaxy'), [await packGalaxy(folder)])
  // mock-server answers requests, and its users choose what listens.
  const mockServer = await peerPackages(['@scalar/mock-server', '@hono/node-server'])
  const prism = await peerPackages(['@stoplight/prism-cli'])
  const jsonServer = await peerPackages(['json-server'])
  return {
    newState: galaxy,
    existingState: galaxy,
    inMemory: galaxy,
    mockServer: await installFresh(join(folder, 'mock-server'), mockServer, [join(FOLDER, 'mock-server.js')]),
    prism: await installFresh(join(folder, 'prism'), prism),
    jsonServer: await installFresh(join(folder, 'json-server'), jsonServer),
  }
}

function listPrograms(folder: string, installations: Record<Row, Installation>): Record<Row, Program> {
  const galaxy = (listOptions: () => Promise<string[]>): Program => {
    const place = installations.newState.folder
    const command = join(place, 'node_modules', '.bin', 'galaxy')
    return async (port) => ({ args: [command, '--port', String(port), ...(await listOptions())], folder: place })
  }
  return {
    newState: galaxy(async () => ['--persist-to', await mkdtemp(join(folder, 'state-'))]),
    existingState: galaxy(async () => ['--persist-to', join(folder, 'existing-state')]),
    inMemory: galaxy(async () => ['--memory']),
    mockServer: peersIn(installations.mockServer.folder).mockServer,
    prism: peersIn(installations.prism.folder).prism,
    jsonServer: jsonServer(installations.jsonServer.folder),
  }
}

/** json-server serves what is in a file, here the planets that Galaxy serves. */
function jsonServer(folder: string): Program {
  const command = join(folder, 'node_modules', '.bin', 'json-server')
  const database = join(folder, 'db.json')
  return async (port) => {
    const planets = readShippedPlanets().map((planet, index) => ({ id: index + 1, ...planet }))
    await writeFile(database, JSON.stringify({ planets }))
    return { args: [command, database, '--port', String(port), '--host', '127.0.0.1'], folder }
  }
}

/** The memory of each process at rest, in MiB, with its program. */
type Memory = [program: string, mebibytes: number][]

/** Lets each server rest after its first response, while no other one runs. */
async function measureMemory(programs: Record<Row, Program>, node: string): Promise<Record<Row, Memory>> {
  console.log(`Letting each server rest for ${REST_MS / 1000} seconds …`)
  const memory: Partial<Record<Row, Memory>> = {}
  for (const [name, program] of Object.entries(programs)) {
    const server = await startServer(program, FIRST_REQUEST, node)
    try {
      await sleep(REST_MS)
      const processes = readProportionalBytes(server.pid)
      memory[name as Row] = processes.map(({ program, proportionalBytes }) => [program, proportionalBytes / 2 ** 20])
    } finally {
      await server.stop()
    }
  }
  return memory as Record<Row, Memory>
}

function sumOf(memory: Memory): number {
  return memory.reduce((sum, [, mebibytes]) => sum + mebibytes, 0)
}

function printResults(
  installations: Record<Row, Installation>,
  times: Record<Row, number[]>,
  memory: Record<Row, Memory>,
): void {
  const rows = (Object.keys(ROWS) as Row[]).map((row) => [
    ROWS[row],
    {
      'first response, ms': Math.round(median(times[row])),
      from: Math.round(Math.min(...times[row])),
      to: Math.round(Math.max(...times[row])),
      'of mock-server': Number((median(times[row]) / median(times.mockServer)).toFixed(2)),
      'memory at rest, MiB': Math.round(sumOf(memory[row])),
      processes: memory[row].map(([program, mebibytes]) => `${program} ${Math.round(mebibytes)}`).join(', '),
      packages: installations[row].packages,
      'size, MB': Math.round(installations[row].megabytes),
    },
  ])
  console.table(Object.fromEntries(rows))
}
