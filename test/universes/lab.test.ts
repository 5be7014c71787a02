import { expect, it } from 'vitest'
import { clientNetwork } from '../../src/lib/client-address.ts'
import { finishDeferred } from '../support/deferred.ts'
import { UNIVERSE_HOST } from '../support/world.ts'
import {
  bodyOf,
  COMMON,
  clock,
  commonEnv,
  configure,
  fromAnywhere,
  hostUrlOf,
  MINUTE_MS,
  makeUniverse,
  queryInside,
  useWorlds,
  type World,
  worldAt,
} from '../support/worlds.ts'

useWorlds()

const INPUT = { tool: 'openapi-fetch', version: '0.15.0' }

const begin = (world: World, headers = fromAnywhere()) =>
  world.send('/lab/runs', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(INPUT),
  })

it('a run works in every kind of world, with all that comes as it is sent', async () => {
  configure({ universeHost: UNIVERSE_HOST })
  const universe = await makeUniverse()
  for (const world of [COMMON, universe, worldAt(hostUrlOf(universe))]) {
    const { pathname } = new URL(world.url)
    const basePath = pathname === '/' ? '' : pathname
    const run = await bodyOf(await begin(world))
    expect(run.url).toBe(`${world.url}/lab/runs/${run.id}`)
    const path = `/lab/runs/${run.id}`
    const raw = await bodyOf(await world.send(`${path}/query/form-string?color=%62l|u[e]%zz`))
    expect(raw.received).toBe('color=%62l|u[e]%zz')
    expect((await bodyOf(await world.send(`${path}/path/simple-string/a%2Fb/c|d`))).received).toBe('a%2Fb/c|d')
    const redirect = await world.send(`${path}/redirect/303-post`, { method: 'POST', redirect: 'manual' })
    expect(redirect.headers.get('Location')).toBe(`${basePath}${path}/redirect/303-post/target`)
    expect((await world.send(`${path}/response/bytes`)).status).toBe(200)
    expect((await world.send(`${path}/retry/after-seconds`)).status).toBe(503)
    const put = { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: '{}' }
    const answered = await world.send('/lab/try/response/object', put)
    expect([answered.status, (await bodyOf(answered)).received]).toEqual([200, '{}'])
    const { results } = await bodyOf(await world.send(path))
    expect(results).toHaveLength(5)
    expect((await world.send(`${path}/gate`)).status).toBe(422)
    expect(await (await world.send(`${path}/report`)).text()).toContain('openapi-fetch 0.15.0')
  }
})

it('a run of one world is nothing in another', async () => {
  const universe = await makeUniverse()
  const [common, own] = [await bodyOf(await begin(COMMON)), await bodyOf(await begin(universe))]
  for (const [world, run] of [
    [COMMON, own],
    [universe, common],
  ] as const) {
    expect((await world.send(`/lab/runs/${run.id}`)).status).toBe(404)
    expect((await world.send(`/lab/runs/${run.id}/query/form-string?color=blue`)).status).toBe(404)
  }
})

it('a universe has at most 50 runs, and those that have ended make room', async () => {
  const universe = await makeUniverse('blank', 168)
  const { limits, usage } = await bodyOf(await universe.send('/universe'))
  expect([limits.labRuns, usage.labRuns]).toEqual([50, 0])
  await begin(universe)
  await queryInside(
    universe,
    `insert into lab_runs select printf('%024d', value), tool, version, expect, skip, closed, created_at, expires_at, network, openapi
    from lab_runs, json_each('[${Array.from({ length: 48 }, (_, index) => index)}]')`,
  )
  expect((await begin(universe)).status).toBe(201)
  const refused = await begin(universe)
  expect([refused.status, await bodyOf(refused)]).toEqual([
    403,
    expect.objectContaining({ limit: 'labRuns', used: 50, allowed: 50 }),
  ])
  const { usage: full } = await bodyOf(await universe.send('/universe'))
  expect(full.labRuns).toBe(50)
  await queryInside(universe, `update lab_runs set expires_at = ${clock.now().getTime()} where id glob '0*'`)
  expect((await begin(universe)).status).toBe(201)
  const { usage: later } = await bodyOf(await universe.send('/universe'))
  expect(later.labRuns).toBe(3)
})

it('a run ends with its universe, and with a reset', async () => {
  const universe = await makeUniverse()
  const { id } = await bodyOf(await begin(universe))
  await universe.send(`/lab/runs/${id}/query/form-string?color=blue`)
  expect((await universe.own('POST', '/universe/reset')).status).toBe(204)
  expect((await universe.send(`/lab/runs/${id}`)).status).toBe(404)
  expect((await universe.send(`/lab/runs/${id}/query/form-string?color=blue`)).status).toBe(404)
  const { usage } = await bodyOf(await universe.send('/universe'))
  expect(usage.labRuns).toBe(0)
  expect(await queryInside(universe, 'select * from lab_results')).toEqual([])
  const again = await bodyOf(await begin(universe))
  await universe.own('DELETE', '/universe')
  expect((await universe.send(`/lab/runs/${again.id}`)).status).toBe(410)
  await finishDeferred()
})

/** How many of the 600 writes of an address in a minute a test leaves. */
const LEFT = 2

it('what an address records is limited in all worlds together, by the binding of wrangler.toml', async () => {
  configure({ limitsWrites: true })
  const universes = [await makeUniverse(), await makeUniverse()]
  const worlds = [COMMON, ...universes]
  const runs = await Promise.all(worlds.map(async (world) => ({ world, ...(await bodyOf(await begin(world))) })))
  const record = async ({ world, id }: { world: World; id: string }, headers: Record<string, string>) =>
    (await world.send(`/lab/runs/${id}/query/form-string?color=blue`, { headers })).status
  /** @returns Undefined if a new minute of the clock began meanwhile, in which the local binding counts anew */
  async function spend(): Promise<number[] | undefined> {
    const minute = () => Math.floor(Date.now() / MINUTE_MS)
    const begun = minute()
    const headers = fromAnywhere()
    const key = `lab-address/${clientNetwork(headers['CF-Connecting-IP'] ?? '')}`
    for (let left = 600; left > LEFT; left--) expect((await commonEnv.WRITES.limit({ key })).success).toBe(true)
    const statuses: number[] = []
    for (const run of [...runs, ...runs]) statuses.push(await record(run, headers))
    return minute() === begun ? statuses : undefined
  }
  let statuses = await spend()
  while (statuses === undefined) statuses = await spend()
  expect(statuses).toEqual([200, 200, 429, 429, 429, 429])
  // Other addresses go on in the same runs.
  for (const run of runs) expect(await record(run, fromAnywhere())).toBe(200)
})
