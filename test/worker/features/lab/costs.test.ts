import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { openD1 } from '../../../../src/db/port.ts'
import { FaultBook } from '../../../../src/features/faults/book.ts'
import { readLaboratory } from '../../../../src/features/lab/case-files.ts'
import { type Meter, meterDatabase } from '../../../support/metered-database.ts'
import { beginRun, createLab, type LabStage, type Run } from './support.ts'

// What requests to the laboratory cost the database.

let stage: LabStage
let meter: Meter
let run: Run

beforeEach(async () => {
  const metered = meterDatabase(openD1(env.DB))
  meter = metered.meter
  stage = createLab({ database: metered.database })
  run = await beginRun(stage)
})

/** What a request costs. */
async function costOf(send: () => Promise<unknown>): Promise<Meter> {
  Object.assign(meter, { roundTrips: 0, rowsRead: 0, rowsWritten: 0, statements: [], writes: [] } satisfies Meter)
  await send()
  return { ...meter }
}

const bodyFor = (method: string) => (method === 'GET' ? {} : { body: '{}' })

const REQUESTS: [path: string, method: string][] = [
  ['query/form-string?color=blue', 'GET'],
  ['body/object', 'POST'],
  ['response/object', 'GET'],
  ['response/object', 'PUT'],
  ['redirect/303-post', 'POST'],
  ['redirect/303-post/target', 'GET'],
]
const RETRIES: [path: string, method: string][] = [
  ['retry/after-seconds', 'GET'],
  ['retry/post-once', 'GET'],
  ['retry/same-key', 'POST'],
]

describe('a request to a case', () => {
  it.each(REQUESTS)('%s by %s costs nothing where nothing is kept', async (path, method) => {
    const { roundTrips } = await costOf(() => stage.client.send(`/lab/try/${path}`, { method, ...bodyFor(method) }))
    expect(roundTrips).toBe(0)
  })

  it.each([...REQUESTS, ...RETRIES])('%s by %s costs one round trip and few rows in a run', async (path, method) => {
    for (const times of ['first', 'second', 'third']) {
      const { roundTrips, rowsRead, rowsWritten } = await costOf(() => run.call(path, { method, ...bodyFor(method) }))
      expect([times, roundTrips]).toEqual([times, 1])
      // The run twice, the result, and the entries of their indexes.
      expect(rowsRead).toBeLessThanOrEqual(8)
      // The run with two indexes, and the result with its key.
      expect(rowsWritten).toBeLessThanOrEqual(5)
    }
  })

  it.each([
    ['query/form-string', 'DELETE'],
    ['query/no-such', 'GET'],
    ['query/form-string', 'HEAD'],
    ['query/form-string', 'OPTIONS'],
  ])('%s by %s, which is not recorded, costs nothing', async (path, method) => {
    expect((await costOf(() => run.call(path, { method }))).roundTrips).toBe(0)
  })
})

describe('a run', () => {
  it('begins in two round trips', async () => {
    expect((await costOf(() => beginRun(stage))).roundTrips).toBe(2)
  })

  it('is read and changed in one, and reads only its own results', async () => {
    await beginRun(stage)
    for (const path of ['query/form-string?color=blue', 'query/utf8', 'path/date/x']) {
      await run.call(path)
      await (await beginRun(stage)).call(path)
    }
    for (const path of ['', '/gate', '/junit.xml', '/badge.svg', '/badge.json', '/report']) {
      const { roundTrips, rowsRead } = await costOf(() => stage.client.get(run.path + path))
      expect([path, roundTrips]).toEqual([path, 1])
      expect(rowsRead).toBeLessThanOrEqual(8)
    }
    expect((await costOf(() => run.change({ skip: {} }))).roundTrips).toBe(1)
    expect((await costOf(() => run.remove())).roundTrips).toBe(1)
  })

  it('holds 512 KiB at most, whatever is sent to all cases', async () => {
    const { cases } = await readLaboratory(env.ASSETS)
    const noise = Uint8Array.from({ length: 4096 }, (_, index) => (index % 2 === 0 ? 255 : 34))
    const hostile = encodeURIComponent('"\u00e9\\"'.repeat(200))
    for (const { id, path, method, redirect, script } of cases) {
      const init = {
        method,
        headers: {
          'X-Color': 'x'.repeat(4000),
          'Idempotency-Key': '\\"'.repeat(500),
          'Content-Type': `x/${'y'.repeat(4000)}`,
        },
        ...(method !== 'GET' && { body: noise }),
      }
      const target = redirect ? `${id}/${hostile}` : `${path.slice(1).split('{')[0]}/${hostile}`
      const requests = script ? 9 : 1
      for (let count = 0; count < requests; count++) {
        await run.call(`${script ? id : target}?${hostile}`, init).catch(() => undefined)
      }
    }
    const size = await env.DB.prepare(
      `select count(*) as cases, sum(length(cast(run_id || case_id || request_id || steps as blob)) + coalesce(length(received), 0)) as bytes,
        max(length(cast(run_id || case_id || request_id || steps as blob)) + coalesce(length(received), 0)) as largest
      from lab_results where run_id = ?`,
    )
      .bind(run.id)
      .first<{ cases: number; bytes: number; largest: number }>()
    expect(size?.cases).toBe(cases.length)
    expect(size?.largest).toBeGreaterThan(2048)
    expect(size?.largest).toBeLessThan(3200)
    expect(size?.bytes).toBeLessThan(512 * 1024)
  })
})

it('whether a universe has rules is read once', () => {
  const statements: string[] = []
  const store = {
    memory: {},
    run: (statement: string) => {
      statements.push(statement)
      return []
    },
  }
  for (let request = 0; request < 5; request++) expect(new FaultBook(store).hasRules).toBe(false)
  expect(statements).toHaveLength(1)
})
