import { type Finding, json, median } from '../measure.ts'
import { type Load, load } from '../performance/autocannon.ts'
import { findWork, listWorks, requestOf, type Work } from '../performance/works.ts'
import { ANY_WORLD, PLANET } from '../performance/world.ts'
import { makeUniverse } from './universe.ts'
import type { Options } from './universes.ts'

const CONNECTIONS = 10
const FASTER = 1.5

/** What is measured in both worlds. A shipped planet is no fair comparison: the common world has it in memory. */
const WORKS = [
  { name: 'planet', atLeast: FASTER },
  { name: 'pageOfTen' },
  { name: 'createJson', atLeast: FASTER },
] as const

/** A world, and a user in it who has a planet. */
interface WorldUser {
  /** The part of the base URL after the origin. */
  prefix: string
  token: string
  planetId: number
}

type Round = Record<'common' | 'universe', Load>

/** Compares requests per second in a universe with those in the common world, in alternating rounds. */
export async function compareWithCommonWorld(url: string, { rounds, seconds }: Options): Promise<Finding[]> {
  const works = listWorks('')
  const common = await settle(url, '', await signUp(url))
  const findings: Finding[] = []
  const rows: object[] = []
  for (const { name, ...target } of WORKS) {
    const work = findWork(works, name)
    console.log(`Measuring: ${work.title}, in a universe and in the common world …`)
    await measureRound(url, work, common, 1, false)
    const measured: Round[] = []
    for (let round = 0; round < rounds; round++) {
      measured.push(await measureRound(url, work, common, seconds, round % 2 === 0))
    }
    const ratio = median(measured.map(({ common, universe }) => universe.requestsPerSecond / common.requestsPerSecond))
    rows.push(describe(work, measured, ratio))
    if ('atLeast' in target)
      findings.push({ name: `${work.title}: requests per second, universe : common`, ratio, ...target })
    findings.push({ name: `${work.title}: errors`, ratio: countErrors(measured), atMost: 0 })
  }
  console.table(rows)
  return findings
}

/** Measures both worlds, one right after the other. Each round has a new universe, because its room is limited. */
async function measureRound(
  url: string,
  work: Work,
  common: WorldUser,
  seconds: number,
  commonFirst: boolean,
): Promise<Round> {
  const { url: universeUrl, token } = await makeUniverse(url)
  const universe = await settle(url, new URL(universeUrl).pathname, token)
  const run = (user: WorldUser) => {
    const { path, ...request } = requestOf(work, { ...ANY_WORLD, ...user })
    return load(url, { ...request, path: user.prefix + path }, work.status, { connections: CONNECTIONS, seconds })
  }
  if (commonFirst) return { common: await run(common), universe: await run(universe) }
  const first = await run(universe)
  return { common: await run(common), universe: first }
}

/** Creates a planet. */
async function settle(url: string, prefix: string, token: string): Promise<WorldUser> {
  const { headers, ...init } = json(PLANET)
  const authorized = { ...init, headers: { ...(headers as Record<string, string>), Authorization: `Bearer ${token}` } }
  const { id } = await post(`${url}${prefix}/planets`, authorized)
  return { prefix, token, planetId: id }
}

/** Signs up a user. @returns A token */
async function signUp(url: string): Promise<string> {
  await post(`${url}/user/signup`, json(ANY_WORLD.account))
  return (await post(`${url}/auth/token`, json(ANY_WORLD.account))).token
}

// biome-ignore lint/suspicious/noExplicitAny: the caller knows the shape
async function post(url: string, init: RequestInit): Promise<any> {
  const response = await fetch(url, init)
  if (response.status !== 201) throw new Error(`POST ${url} returned ${response.status}`)
  return await response.json()
}

function countErrors(rounds: readonly Round[]): number {
  return rounds.reduce((sum, { common, universe }) => sum + common.errors + universe.errors, 0)
}

function describe({ title }: Work, rounds: readonly Round[], ratio: number) {
  const rateIn = (world: keyof Round) => Math.round(median(rounds.map((round) => round[world].requestsPerSecond)))
  const p99In = (world: keyof Round) => median(rounds.map((round) => round[world].p99))
  return {
    request: title,
    'common, requests/s': rateIn('common'),
    'universe, requests/s': rateIn('universe'),
    'universe : common': Math.round(ratio * 100) / 100,
    'common, p99 ms': p99In('common'),
    'universe, p99 ms': p99In('universe'),
    errors: countErrors(rounds),
  }
}
