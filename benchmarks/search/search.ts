import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLocalDatabase } from '../../scripts/lib/local-database.ts'
import { type Finding, median } from '../measure.ts'
import { buildWorker } from '../performance/builds.ts'
import { prepareState } from '../performance/programs.ts'
import { startServer, workerProgram } from '../performance/servers.ts'

/** Lists of planets. Each filter that costs something is in one of them, and each order. */
const LISTS = [
  'limit=10&offset=100',
  'limit=100&offset=5000',
  'name=kepler&limit=10',
  'name=no-such-planet',
  'type=terrestrial&type=super_earth&minHabitabilityIndex=0.1&limit=100',
  'minHabitabilityIndex=0&sort=-habitabilityIndex&limit=100',
  'name=e&sort=-name&limit=100&offset=2700',
  'sort=name&limit=100',
  'sort=-name&limit=100&offset=5000',
  'sort=habitabilityIndex&limit=100',
]
/** The lists that are also continued by cursor. */
const CONTINUED = ['name=kepler&limit=10', 'sort=-name&limit=100&offset=5000']

/** How many planets there are besides those that are shipped, and how long a list may wait for the database. */
const SIZES = [
  { planets: undefined, databaseMs: 20 },
  { planets: 300_000, databaseMs: 300 },
] as const

/** What a page may read besides two passes over all planets. */
const PAGE_ROWS = 500

/** What a list costs. */
interface Cost {
  planets: number
  list: string
  roundTrips: number
  rowsRead: number
  /** Medians, in milliseconds: how long the request waited for the database, and how long it took. */
  databaseMs: number
  totalMs: number
}

/** Measures what filtered and sorted lists cost: with the shipped planets, and with many more. */
export async function measureSearch(rounds: number): Promise<Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'galaxy-benchmark-'))
  try {
    console.log('Preparing the databases and building the Worker …')
    const prepared = await prepareState(folder)
    const build = await buildWorker(folder, 'meter')
    const findings: Finding[] = []
    for (const { planets, databaseMs } of SIZES) {
      const state = join(folder, `planets-${planets ?? 'shipped'}`)
      await cp(prepared, state, { recursive: true })
      const count = fillUp(state, planets)
      const program = workerProgram(build, async () => state)
      const server = await startServer(program, { path: '/planets/4' })
      const costs = await measureLists(server.url, count, rounds).finally(() => server.stop())
      console.table(costs)
      findings.push(...check(costs, count, databaseMs))
    }
    return findings
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Copies the shipped planets until there are so many.
 *
 * @param wanted Undefined: as many as are shipped
 * @returns How many there are
 */
function fillUp(state: string, wanted: number | undefined): number {
  const database = openLocalDatabase(state)
  const count = () => Number(database.prepare('select count(*) as planets from planets').get()?.planets)
  const columns = 'creator_id, version, last_updated, properties, lists_satellites, extras, satellite_bytes'
  try {
    const copy = database.prepare(`insert into planets (${columns}) select ${columns} from planets order by id limit ?`)
    for (let now = count(); wanted !== undefined && now < wanted; now = count()) copy.run(wanted - now)
    return count()
  } finally {
    database.close()
  }
}

async function measureLists(url: string, planets: number, rounds: number): Promise<Cost[]> {
  const continued = await Promise.all(CONTINUED.map((list) => nextOf(url, list)))
  const costs: Cost[] = []
  for (const list of [...LISTS, ...continued]) {
    const path = `${url}/planets?${list}`
    const metered = await fetch(path, { headers: { 'X-Meter': 'on' } })
    const { status, roundTrips, rowsRead } = (await metered.json()) as Pick<Cost, 'roundTrips' | 'rowsRead'> & {
      status: number
    }
    if (status !== 200) throw new Error(`${path} returned ${status}`)
    const times: { database: number; total: number }[] = []
    for (let round = 0; round < rounds; round++) times.push(await time(path))
    costs.push({
      planets,
      list: list.replace(/cursor=.*/, 'cursor=…'),
      roundTrips,
      rowsRead,
      databaseMs: Math.round(median(times.map(({ database }) => database))),
      totalMs: Math.round(median(times.map(({ total }) => total))),
    })
  }
  return costs
}

/** The list that goes on where another one ends. */
async function nextOf(url: string, list: string): Promise<string> {
  const response = await fetch(`${url}/planets?${list}`)
  const { meta } = (await response.json()) as { meta: { nextCursor: string } }
  return `${list.replace(/&offset=\d+/, '')}&cursor=${meta.nextCursor}`
}

async function time(url: string): Promise<{ database: number; total: number }> {
  const started = performance.now()
  const response = await fetch(url)
  await response.arrayBuffer()
  const total = performance.now() - started
  const database = /\bdb;dur=([\d.]+)/.exec(response.headers.get('Server-Timing') ?? '')?.[1]
  if (response.status !== 200 || database === undefined) throw new Error(`${url} returned ${response.status}`)
  return { database: Number(database), total }
}

function check(costs: readonly Cost[], planets: number, databaseMs: number): Finding[] {
  const most = (figure: 'roundTrips' | 'rowsRead' | 'databaseMs') => Math.max(...costs.map((cost) => cost[figure]))
  const rows = 2 * planets + PAGE_ROWS
  return [
    { name: `round trips of a list of ${planets} planets`, ratio: most('roundTrips'), atMost: 1 },
    { name: `rows read, of ${rows}, with ${planets} planets`, ratio: most('rowsRead') / rows, atMost: 1 },
    {
      name: `wait for the database, of ${databaseMs} ms, with ${planets} planets`,
      ratio: most('databaseMs') / databaseMs,
      atMost: 1,
    },
  ]
}
