import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { TokenAuthority } from '../../src/auth/tokens.ts'
import { aroundRuns, openD1 } from '../../src/db/port.ts'
import { failingDatabase } from '../support/failing-database.ts'
import {
  bodyOf,
  COMMON,
  clock,
  commonEnv,
  commonServices,
  fromAnywhere,
  MINUTE_MS,
  makeUniverse,
  readTables,
  replaceServices,
  stubOf,
  sweepUniverses,
  useWorlds,
} from '../support/worlds.ts'

useWorlds()

const create = () =>
  COMMON.send('/universes', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...fromAnywhere() },
    body: '{"seed":"blank"}',
  })

async function listedIds(): Promise<string[]> {
  const { results } = await commonEnv.DB.prepare('select id from universes').all<{ id: string }>()
  return results.map(({ id }) => id).toSorted()
}

/** The universes whose objects contain anything. */
async function filledIds(): Promise<string[]> {
  const ids = await listDurableObjectIds(commonEnv.UNIVERSE)
  const found = await Promise.all(
    ids.map((id) =>
      runInDurableObject(commonEnv.UNIVERSE.get(id), async (_, { storage }) => {
        const isFilled =
          storage.sql.exec("select 1 from sqlite_master where name not glob '_cf_*'").toArray().length > 0
        return isFilled || (await storage.getAlarm()) !== null ? [String(id)] : []
      }),
    ),
  )
  return found.flat()
}

/** The real database, which fails from one call on, or only at that. */
function failingAt(failing: (call: number) => boolean, when: 'before' | 'after') {
  let calls = 0
  const through = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const fails = failing(++calls)
    if (fails && when === 'before') throw new Error('D1_ERROR: Network connection lost.')
    const result = await work()
    if (fails) throw new Error('D1_ERROR: Network connection lost.')
    return result
  }
  return {
    database: aroundRuns(openD1(commonEnv.DB), (statements, run) => through(() => run(statements))),
    calls: () => calls,
  }
}

/** Fails the test unless the sweep leaves what there was before, and no more. */
async function expectOnly(before: string[], filled: string[]): Promise<void> {
  clock.advance(2 * MINUTE_MS)
  await sweepUniverses()
  expect(await listedIds()).toEqual(before)
  expect((await filledIds()).toSorted()).toEqual(filled.toSorted())
  expect((await commonEnv.IMAGES.list()).objects).toEqual([])
}

/** A fetcher of the files from which universes are made, which changes the answers. */
function assetsWith(change: (text: string) => Response | Promise<Response>): Fetcher {
  const { ASSETS } = commonEnv
  const fetch = async (...args: Parameters<Fetcher['fetch']>) =>
    await change(await (await ASSETS.fetch(...args)).text())
  return { fetch } as unknown as Fetcher
}

/** A place at which something waits until the test lets it go on. */
class Stall {
  #isOver = false
  #isReached = false

  async reach(): Promise<void> {
    this.#isReached = true
    // Not a promise of the test: it belongs to another request than those of the object.
    while (!this.#isOver) await scheduler.wait(1)
  }

  async untilReached(): Promise<void> {
    while (!this.#isReached) await scheduler.wait(1)
  }

  end(): void {
    this.#isOver = true
  }
}

function stallingAssets(stall: Stall): Fetcher {
  return assetsWith(async (text) => {
    await stall.reach()
    return new Response(text)
  })
}

/** Waits before it signs a token. */
class StallingTokens extends TokenAuthority {
  readonly #stall: Stall

  constructor(stall: Stall) {
    super(commonServices.config.signingKeys)
    this.#stall = stall
  }

  override async sign(...parameters: Parameters<TokenAuthority['sign']>): Promise<string> {
    await this.#stall.reach()
    return await super.sign(...parameters)
  }
}

/** What was there before a creation: another universe, which must not be affected. */
async function prepare() {
  const other = await makeUniverse()
  return { other, listed: await listedIds(), filled: await filledIds() }
}

describe('a creation that fails', () => {
  const STEPS_MAX = 20

  it.each(['before', 'after'] as const)(
    'leaves nothing if a call of the database is lost %s its effect',
    async (when) => {
      const { other, listed, filled } = await prepare()
      for (let step = 1; step <= STEPS_MAX; step++) {
        const failing = failingAt((call) => call === step, when)
        replaceServices({ database: failing.database })
        const response = await create()
        replaceServices({ database: openD1(commonEnv.DB) })
        if (failing.calls() < step) {
          expect(response.status).toBe(201)
          expect(step).toBeGreaterThan(3)
          break
        }
        expect(response.status, `step ${step}`).toBe(503)
        await expectOnly(listed, filled)
      }
      expect((await other.own('GET', '/me')).status).toBe(200)
    },
  )

  it('leaves nothing if the database fails from some call on, also while that is given up', async () => {
    const { listed, filled } = await prepare()
    for (let step = 1; step <= 3; step++) {
      replaceServices({ database: failingAt((call) => call >= step, 'before').database })
      expect((await create()).status).toBe(503)
      replaceServices({ database: openD1(commonEnv.DB) })
      await expectOnly(listed, filled)
    }
  })

  /** The steps of a creation at which it waits, and whether the object has a universe then. */
  const STEPS: Record<string, { isFilled: boolean; wait(stall: Stall): void }> = {
    'it is listed, and the object reads what it is made from': {
      isFilled: false,
      wait: (stall) => replaceServices({ assets: stallingAssets(stall) }),
    },
    'the object has everything and its alarm, and signs the token': {
      isFilled: true,
      wait: (stall) => replaceServices({ tokens: new StallingTokens(stall) }),
    },
  }

  it.each(Object.entries(STEPS))('leaves nothing if everything dies when %s', async (_, { isFilled, wait }) => {
    const { other, listed, filled } = await prepare()
    const stall = new Stall()
    wait(stall)
    const making = create()
    await stall.untilReached()
    const id = (await listedIds()).find((one) => !listed.includes(one)) ?? ''
    // Nobody is left to give the creation up.
    replaceServices({ database: failingDatabase('D1_ERROR: Network connection lost.') })
    await runInDurableObject(stubOf(id), (_, context) => context.abort('the process is killed')).catch(() => {})
    stall.end()
    const response = await making
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5'])
    replaceServices({ database: openD1(commonEnv.DB) })
    expect((await filledIds()).length).toBe(filled.length + (isFilled ? 1 : 0))
    expect((await COMMON.send(`/u/${id}/planets`)).status).toBe(404)
    await expectOnly(listed, filled)
    expect((await COMMON.send(`/u/${id}/planets`)).status).toBe(404)
    expect((await other.own('GET', '/me')).status).toBe(200)
  })

  it.each([
    ['cannot be read', 503, () => new Response('', { status: 500 })],
    ['is cut off', 500, (text: string) => new Response(text.slice(0, -10))],
    [
      'contains a statement that fails at the end',
      500,
      (text: string) => {
        const seed = JSON.parse(text)
        return Response.json({ ...seed, planets: [...seed.planets, 'insert into nowhere values (1)'] })
      },
    ],
    [
      'contains a migration that fails',
      500,
      (text: string) => {
        const seed = JSON.parse(text)
        return Response.json({ ...seed, migrations: [...seed.migrations, 'drop table nowhere'] })
      },
    ],
  ] as const)('leaves nothing if what it is made from %s', async (_, status, change) => {
    const { listed, filled } = await prepare()
    replaceServices({ assets: assetsWith(change) })
    const body = '{"seed":"catalogue"}'
    const headers = { 'Content-Type': 'application/json', ...fromAnywhere() }
    expect((await COMMON.send('/universes', { method: 'POST', headers, body })).status).toBe(status)
    expect(await listedIds()).toEqual(listed)
    await expectOnly(listed, filled)
  })

  it('leaves nothing if the sweep has given it up before it was done', async () => {
    const { listed, filled } = await prepare()
    const stall = new Stall()
    replaceServices({ assets: stallingAssets(stall) })
    const late = create()
    await stall.untilReached()
    await expectOnly(listed, filled)
    stall.end()
    expect((await late).status).toBe(500)
    expect(await listedIds()).toEqual(listed)
    expect((await filledIds()).toSorted()).toEqual(filled.toSorted())
  })

  it('is unknown while it is under way', async () => {
    const { listed } = await prepare()
    const stall = new Stall()
    replaceServices({ assets: stallingAssets(stall) })
    const making = create()
    await stall.untilReached()
    const id = (await listedIds()).find((one) => !listed.includes(one))
    expect((await COMMON.send(`/u/${id}/planets`)).status).toBe(404)
    stall.end()
    const made = await making
    expect(made.status).toBe(201)
    expect((await bodyOf(made)).id).toBe(id)
    expect((await COMMON.send(`/u/${id}/planets`)).status).toBe(200)
  })
})

describe('a reset that fails', () => {
  it('changes nothing', async () => {
    const world = await makeUniverse()
    await world.own('POST', '/planets', { name: 'Kept' })
    const before = await readTables(world)
    replaceServices({ assets: assetsWith(() => new Response('', { status: 500 })) })
    expect((await world.own('POST', '/universe/reset')).status).toBe(503)
    expect(await readTables(world)).toEqual(before)
    replaceServices({ assets: commonEnv.ASSETS })
    const catalogue = await makeUniverse('catalogue')
    await catalogue.own('POST', '/planets', { name: 'Kept' })
    const whole = await readTables(catalogue)
    const failing = (text: string) => {
      const seed = JSON.parse(text)
      return Response.json({ ...seed, planets: [...seed.planets, 'insert into nowhere values (1)'] })
    }
    replaceServices({ assets: assetsWith(failing) })
    expect((await catalogue.own('POST', '/universe/reset')).status).toBe(500)
    expect(await readTables(catalogue)).toEqual(whole)
    replaceServices({ assets: commonEnv.ASSETS })
    expect((await catalogue.own('POST', '/universe/reset')).status).toBe(204)
    expect((await bodyOf(await catalogue.send('/universe'))).usage.planets).toBe(5402)
  })
})
