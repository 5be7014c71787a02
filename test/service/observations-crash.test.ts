import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { batchOf, MIXED, writeMixed } from '../support/mixed.ts'
import { type Client, forEachOf, signUp, sweep, until } from './callbacks-client.ts'
import { CRASHES_TIMEOUT_MS, ROUNDS } from './crash.ts'
import { bodyOf, FOR_MANY_USERS, type ScheduledGalaxy, startGalaxy } from './galaxy.ts'
import { killAll, untilMoment } from './kill-all.ts'
import { findDamage, queryState } from './local-database.ts'
import { freePort } from './ports.ts'
import { makePreparedState } from './prepared-state.ts'

// A 202 promises that a batch of observations will be completed, whenever the service is killed. No image is stored,
// so none can be left behind.

const OBSERVERS = 4
/** Fewer than are kept for a user. */
const BATCHES_OF_USER = 90
const IMAGES = 3
const LOAD_MIN_MS = 300
const LOAD_MAX_MS = 1500
const COMPLETED_TIMEOUT_MS = 60_000
/** How long the sweep leaves a batch to its message or to its worker. */
const PATIENCE_MS = 10_000
const PATH = '/planets/1/observations'

interface Ledger {
  promised: number
  /** Requests that have been sent, and not been answered yet. */
  underWay: number
  unanswered: number
  /** Promised batches that were not completed when the service was killed. */
  owed: number
  faults: string[]
}

interface Observer {
  client: Client
  batchIds: string[]
}

/** Sends batches until the service is killed. */
async function observe({ client, batchIds }: Observer, ledger: Ledger, load: { isOver: boolean }): Promise<void> {
  const sender = client.by((url, init = {}) =>
    fetch(url, { ...init, body: writeMixed(batchOf(IMAGES)), headers: { ...Object(init.headers), ...MIXED } }),
  )
  while (!load.isOver && batchIds.length < BATCHES_OF_USER) {
    ledger.underWay++
    const response = await sender.post(PATH).catch(() => undefined)
    ledger.underWay--
    if (!response) {
      ledger.unanswered++
      await sleep(5)
      continue
    }
    const { status, headers } = response
    await response.body?.cancel().catch(() => {})
    if (status === 202) batchIds.push(headers.get('Location')?.split('/').at(-1) ?? '')
    // Too many are unfinished.
    else if (status === 429) await sleep(10)
    else ledger.faults.push(`a batch was answered with ${status}`)
  }
}

/** Waits until each promised batch is completed, which the sweep has to bring about. */
async function verify(galaxy: ScheduledGalaxy, observers: readonly Observer[], { faults }: Ledger): Promise<void> {
  await forEachOf(observers, OBSERVERS, async ({ client, batchIds }) => {
    const read = client.by(fetch)
    for (const batchId of batchIds) {
      const seen = await until(
        async () => {
          const response = await read.get(`${PATH}/${batchId}`)
          return { status: response.status, batch: await bodyOf(response) }
        },
        ({ status, batch }) => status !== 200 || batch.status === 'completed',
        COMPLETED_TIMEOUT_MS,
      ).catch(({ message }) => ({ status: message, batch: {} }))
      if (seen.status !== 200) faults.push(`batch ${batchId}: ${seen.status}`)
      else if (seen.batch.observations.length !== IMAGES)
        faults.push(`batch ${batchId} is torn: ${JSON.stringify(seen.batch)}`)
    }
  })
  await sweep(galaxy)
}

/** The objects that the bucket of the service contains. */
function countObjects(folder: string): number {
  const files = readdirSync(join(folder, 'v3'), { recursive: true, encoding: 'utf8' })
  return files.filter((name) => /^r2\/.*\/blobs\/[^/]+$/.test(name.replaceAll('\\', '/'))).length
}

it(
  `completes every batch that got a 202, through ${ROUNDS} crashes`,
  async () => {
    const { folder, remove } = await makePreparedState()
    const port = await freePort()
    const start = () => startGalaxy(['--port', String(port), '--persist-to', folder, ...FOR_MANY_USERS])
    const ledger: Ledger = { promised: 0, underWay: 0, unanswered: 0, owed: 0, faults: [] }
    try {
      let galaxy = await start()
      for (let round = 1; round <= ROUNDS; round++) {
        const observers: Observer[] = []
        for (let index = 0; index < OBSERVERS; index++)
          observers.push({ client: await signUp(galaxy, `observer-${round}-${index}@example.com`), batchIds: [] })
        const load = { isOver: false }
        const work = observers.map((observer) => observe(observer, ledger, load))
        await sleep(LOAD_MIN_MS + Math.random() * (LOAD_MAX_MS - LOAD_MIN_MS))
        await killAll(
          folder,
          () => untilMoment(() => ledger.underWay > 0),
          () => (load.isOver = true),
        )
        await Promise.all(work)
        const promised = observers.flatMap(({ batchIds }) => batchIds)
        const unfinished = queryState(folder, 'select id from observation_batches where completed_at is null')
        const owed = unfinished.filter(({ id }) => promised.includes(String(id))).length
        // The clock of the service cannot be set, so the times in the database are moved into the past.
        queryState(
          folder,
          `update observation_batches set created_at = created_at - ${PATIENCE_MS}, leased_until = leased_until - ${PATIENCE_MS}
           where completed_at is null`,
        )
        galaxy = await start()
        await sweep(galaxy)
        await verify(galaxy, observers, ledger)
        ledger.promised += promised.length
        ledger.owed += owed
        console.log(`round ${round}: ${promised.length} batches promised, ${owed} owed`)
      }
      expect(ledger.faults).toEqual([])
      expect(queryState(folder, 'select id from observation_batches where completed_at is null')).toEqual([])
      expect(countObjects(folder)).toBe(0)
      console.log(`${ledger.promised} promised, ${ledger.owed} owed, ${ledger.unanswered} unanswered`)
      // Otherwise the service was killed only when there was nothing to lose.
      expect(ledger.promised).toBeGreaterThan(0)
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
