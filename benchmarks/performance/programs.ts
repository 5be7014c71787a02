import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../scripts/lib/root.ts'
import type { LoadRequest } from './autocannon.ts'
import { type Build, buildWorker } from './builds.ts'
import { record } from './recordings.ts'
import { PEERS, type Program, type ServerName, startServer, workerProgram } from './servers.ts'
import type { Recording } from './workers/recording.ts'
import type { Work } from './works.ts'
import type { World } from './world.ts'

const run = promisify(execFile)

/** Everything that can be started, and what requests to the floor refer to. */
export interface Programs {
  programs: Record<ServerName, Program>
  floorWorld: World
}

/**
 * Builds the Workers, and records for the floor what Galaxy does.
 *
 * @param folder Where to put everything
 * @param firstRequest A request that every server answers
 */
export async function preparePrograms(
  folder: string,
  works: readonly Work[],
  firstRequest: LoadRequest,
): Promise<Programs> {
  console.log('Preparing a database and building the Workers …')
  const prepared = await prepareState(folder)
  const galaxy = await buildWorker(folder, 'galaxy')
  const floor = await buildWorker(folder, 'floor')
  const limit = await buildWorker(folder, 'limit')
  const recorder = await buildWorker(folder, 'recorder')
  // The floor repeats the statements of the recorder, so it starts with the rows that the recorder has stored.
  const recorded = join(folder, 'recorded')
  await cp(prepared, recorded, { recursive: true })
  const server = await startServer(
    workerProgram(recorder, async () => recorded),
    firstRequest,
  )
  const { world, recordings } = await record(server, works).finally(() => server.stop())
  return {
    programs: {
      galaxy: workerProgram(galaxy, copyOf(folder, prepared)),
      floor: workerProgram({ ...floor, bindings: { RECORDINGS: recordings } }, copyOf(folder, recorded)),
      limit: workerProgram(limit, copyOf(folder, await storeForLimit(folder, limit, recordings))),
      ...PEERS,
    },
    floorWorld: world,
  }
}

/** Makes a state folder in which the limit has the planets that the works read, as Galaxy answers. */
async function storeForLimit(
  folder: string,
  limit: Build,
  recordings: Readonly<Record<string, Recording>>,
): Promise<string> {
  const state = join(folder, 'limit-state')
  await mkdir(state)
  const answers = ['shippedPlanet', 'planet', 'pageOfTen'].map((work) => JSON.parse(recordings[work]?.body ?? ''))
  const planets = answers.flatMap((answer) => answer.data ?? answer)
  const server = await startServer(
    workerProgram(limit, async () => state),
    { path: '/' },
  )
  try {
    const response = await fetch(new URL('/planets', server.url), { method: 'PUT', body: JSON.stringify(planets) })
    if (!response.ok) throw new Error(`the limit did not store the planets: ${await response.text()}`)
  } finally {
    await server.stop()
  }
  return state
}

/** Builds Galaxy alone. @param folder Where to put everything */
export async function prepareGalaxy(folder: string): Promise<Program> {
  console.log('Preparing a database and building the Worker …')
  const prepared = await prepareState(folder)
  return workerProgram(await buildWorker(folder, 'galaxy'), copyOf(folder, prepared))
}

/** Makes a state folder with a database as `npm start` makes it. */
export async function prepareState(folder: string): Promise<string> {
  const prepared = join(folder, 'prepared')
  await run(process.execPath, [join(ROOT, 'scripts', 'run.cjs'), 'prepare-database', prepared])
  return prepared
}

function copyOf(folder: string, state: string): () => Promise<string> {
  return async () => {
    const copy = await mkdtemp(join(folder, 'state-'))
    await cp(state, copy, { recursive: true })
    return copy
  }
}
