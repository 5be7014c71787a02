import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { forEachOf, sweep, until } from './callbacks-client.ts'
import { CRASHES_TIMEOUT_MS, ROUNDS } from './crash.ts'
import { bodyOf, type ScheduledGalaxy, startGalaxy } from './galaxy.ts'
import { killAll, untilMoment } from './kill-all.ts'
import { findDamage, queryState } from './local-database.ts'
import { freePort } from './ports.ts'
import { makePreparedState } from './prepared-state.ts'

// A universe is made whole or not at all, and ends whole or not at all, whenever the service is killed.

const MAKERS = 4
const LOAD_MIN_MS = 300
const LOAD_MAX_MS = 2500
const SHIPPED = 5402
/** Longer than a creation may take, and than the sweep leaves an end to whoever has begun it. */
const PATIENCE_MS = 120_000

/** What the answers have promised. */
interface Ledger {
  /** Universes that are there, by their ids, with the number of their planets. */
  made: Map<string, { token: string; planets: number }>
  ended: Set<string>
  /** Universes whose DELETE was never answered. */
  unsure: Set<string>
  /** Creations that have been sent, and not been answered yet. */
  underWay: number
  /** Creations that were never answered. */
  unanswered: number
  faults: string[]
}

/** Makes universes, and ends every second, until the service is killed. With an odd `first`, the first is ended. */
async function makeUniverses(url: string, ledger: Ledger, load: { isOver: boolean }, first: number): Promise<void> {
  for (let count = first; !load.isOver; count++) {
    const isBlank = count % 2 === 1
    const body = JSON.stringify({ seed: isBlank ? 'blank' : 'catalogue' })
    const headers = { 'Content-Type': 'application/json' }
    ledger.underWay++
    const made = await fetch(`${url}/universes`, { method: 'POST', headers, body })
      .then(async (response) => {
        if (response.status !== 201) ledger.faults.push(`a creation: ${response.status} ${await response.text()}`)
        return await bodyOf(response)
      })
      .catch(() => undefined)
    ledger.underWay--
    if (!made?.token) {
      ledger.unanswered++
      await sleep(5)
      continue
    }
    ledger.made.set(made.id, { token: made.token, planets: isBlank ? 0 : SHIPPED })
    if (isBlank) await end(url, made.id, made.token, ledger)
  }
}

async function end(url: string, id: string, token: string, { made, ended, unsure, faults }: Ledger): Promise<void> {
  made.delete(id)
  const init = { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } }
  const response = await fetch(`${url}/u/${id}/universe`, init).catch(() => undefined)
  if (response?.status === 204) ended.add(id)
  else unsure.add(id)
  if (response && response.status !== 204) faults.push(`an end: ${response.status} ${await response.text()}`)
}

/** How many objects contain a universe. */
function countObjects(folder: string): number {
  const objects = join(folder, 'v3', 'do', 'galaxy-Universe')
  const files = readdirSync(objects).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))
  return files.filter((name) => {
    const database = new DatabaseSync(join(objects, name), { timeout: 10_000 })
    const tables = database.prepare("select name from sqlite_master where name not glob '_cf_*'").all()
    database.close()
    return tables.length > 0
  }).length
}

async function verify({ url }: ScheduledGalaxy, { made, ended, unsure, faults }: Ledger): Promise<void> {
  await forEachOf([...made], MAKERS, async ([id, { token, planets }]) => {
    const list = await fetch(`${url}/u/${id}/planets?limit=1`)
    const total = list.status === 200 ? (await bodyOf(list)).meta.total : undefined
    if (total !== planets) faults.push(`universe ${id} has ${total} planets (${list.status})`)
    const me = await fetch(`${url}/u/${id}/me`, { headers: { Authorization: `Bearer ${token}` } })
    if (me.status !== 200) faults.push(`the owner of ${id}: ${me.status}`)
  })
  for (const id of ended) {
    const { status } = await fetch(`${url}/u/${id}/planets`)
    if (status !== 410) faults.push(`${id} has ended, and its planets are ${status}`)
  }
  for (const id of unsure) {
    const { status } = await fetch(`${url}/u/${id}/planets`)
    if (![200, 410].includes(status)) faults.push(`${id} has ended or not, and its planets are ${status}`)
  }
  const { total } = (await bodyOf(await fetch(`${url}/planets?limit=1`))).meta
  if (total !== SHIPPED) faults.push(`the common world has ${total} planets`)
}

it(
  `leaves whole universes only, and no others, through ${ROUNDS} crashes`,
  async () => {
    const { folder, remove } = await makePreparedState()
    const port = await freePort()
    const start = () =>
      startGalaxy(['--port', String(port), '--persist-to', folder, '--var', 'UNIVERSE_RATE_LIMIT:1000000'])
    const ledger: Ledger = {
      made: new Map(),
      ended: new Set(),
      unsure: new Set(),
      underWay: 0,
      unanswered: 0,
      faults: [],
    }
    try {
      for (let round = 1; round <= ROUNDS; round++) {
        const { url } = await start()
        const load = { isOver: false }
        const before = { made: ledger.made.size, ended: ledger.ended.size }
        const makers = Array.from({ length: MAKERS }, (_, index) => makeUniverses(url, ledger, load, index))
        await until(
          () => ledger.made.size > before.made && ledger.ended.size > before.ended,
          (hasBegun) => hasBegun,
        )
        await sleep(LOAD_MIN_MS + Math.random() * (LOAD_MAX_MS - LOAD_MIN_MS))
        await killAll(
          folder,
          () => untilMoment(() => ledger.underWay > 0),
          () => (load.isOver = true),
        )
        await Promise.all(makers)
      }
      const unfinished = queryState(folder, 'select id from universes where made_at is null').length
      // The clock of the service cannot be set, so the times in the database are moved into the past.
      queryState(
        folder,
        `update universes set due_at = due_at - ${PATIENCE_MS} where made_at is null or ended_at is not null`,
      )
      const galaxy = await start()
      // A sweep looks at a bounded number of universes.
      const countHalfMade = async () => {
        await sweep(galaxy)
        return queryState(folder, 'select id from universes where made_at is null').length
      }
      await until(countHalfMade, (halfMade) => halfMade === 0)
      await verify(galaxy, ledger)
      expect(ledger.faults).toEqual([])
      const alive = queryState(folder, 'select id from universes where ended_at is null').map(({ id }) => String(id))
      expect(alive).toEqual(expect.arrayContaining([...ledger.made.keys()]))
      expect(countObjects(folder)).toBe(alive.length)
      console.log(
        `${ledger.made.size} made, ${ledger.unanswered} unanswered, ${unfinished} half made, ${ledger.ended.size} ended, ${ledger.unsure.size} perhaps`,
      )
      expect(ledger.unanswered).toBeGreaterThan(0)
      await killAll(folder)
      expect(findDamage(folder)).toEqual([])
    } finally {
      await killAll(folder)
      await remove()
    }
  },
  CRASHES_TIMEOUT_MS,
)
