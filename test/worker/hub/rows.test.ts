import { describe, expect, it } from 'vitest'
import type { SizedLogRow } from '../../../src/events/happening.ts'
import { type RowReader, Rows } from '../../../src/hub/rows.ts'
import { FakeLog } from '../../support/fake-hub.ts'

/** A log whose reads of rows find the rows that it has when they begin, and return them when the test says so. */
class SlowLog extends FakeLog {
  readonly #reads = Promise.withResolvers<void>()

  override async readRows(places: readonly number[]): Promise<SizedLogRow[]> {
    const rows = await super.readRows(places)
    await this.#reads.promise
    return rows
  }

  returnRows(): void {
    this.#reads.resolve()
  }
}

const reader = (holder = 'address 192.0.2.1', isWaiting = () => true): RowReader => ({ holder, isWaiting })

/** A clock that goes on only while somebody waits. */
const clockOf = (log: FakeLog) => ({
  now: () => log.time,
  async wait(milliseconds: number) {
    await scheduler.wait(0)
    log.time = new Date(log.time.getTime() + milliseconds)
  },
})

it('a row that is read while the log begins anew is not kept in place of the new row', async () => {
  const log = new SlowLog()
  const rows = new Rows(log, { now: () => log.time, wait: () => scheduler.wait(0) })
  const place = 2
  log.write(1, 1, { body: '"old"' })
  const read = rows.read([place], reader())
  await scheduler.wait(1)
  log.rows.length = 0
  log.write(1, 1, { body: '"new"' })
  rows.forget()
  log.returnRows()
  await read
  const [newRow] = await rows.read([place], reader())
  expect(newRow?.row.body).toBe('"new"')
})

it('new rows stay in memory while old ones are read', async () => {
  const log = new FakeLog()
  for (let row = 0; row < 40; row++) log.write(1, 1, { body: 'x'.repeat(2 ** 20) })
  log.write(1)
  const rows = new Rows(log, clockOf(log))
  const newest = log.rows.at(-1) as SizedLogRow
  rows.keep(newest)
  for (const { place } of log.rows.slice(0, -1)) await rows.read([place], reader())
  expect(rows.readKept([newest.place])?.map(({ row }) => row)).toEqual([newest])
  expect(rows.readKept([2, newest.place])).toBeUndefined()
})

describe('reads that wait', () => {
  const MIB = 2 ** 20

  /** Rows of 1 MiB, which are not kept in memory, and a clock that goes on only while a read waits. */
  function makeRows() {
    const log = new FakeLog()
    const started = log.time.getTime()
    for (let row = 0; row < 40; row++) log.write(1, 10, { bytes: MIB, body: 'x'.repeat(MIB) })
    const reads: (readonly number[])[] = []
    const readRows = log.readRows.bind(log)
    log.readRows = async (places) => {
      reads.push(places)
      return await readRows(places)
    }
    const rows = new Rows(log, clockOf(log))
    return { rows, reads, elapsed: () => log.time.getTime() - started }
  }

  it('are not done if their readers have left, and delay nobody', async () => {
    const { rows, reads, elapsed } = makeRows()
    let isHere = true
    const gone = Array.from({ length: 30 }, (_, index) =>
      rows.read(
        [2 * index + 2],
        reader(`user ${index % 12}`, () => isHere),
      ),
    )
    isHere = false
    const mine = await rows.read([80], reader('user 99'))
    expect(mine.map(({ row }) => row.place)).toEqual([80])
    expect(elapsed()).toBe(0)
    expect((await Promise.all(gone)).slice(1)).toEqual(Array.from({ length: 29 }, () => []))
    expect(reads).toEqual([[2], [80]])
  })

  it('of one holder do not delay those of another', async () => {
    const { rows, reads } = makeRows()
    const many = Array.from({ length: 20 }, (_, index) => rows.read([2 * index + 2], reader('user 1')))
    await rows.read([80], reader('user 2'))
    expect(reads.length).toBeLessThanOrEqual(3)
    await Promise.all(many)
  })

  it.each([
    ['one holder', 1, 4],
    ['many holders', 20, 4],
  ])('of %s get at most so many MiB per second', async (_, holders, perSecond) => {
    const { rows, elapsed } = makeRows()
    const all = Array.from({ length: 40 }, (_, index) => rows.read([2 * index + 2], reader(`user ${index % holders}`)))
    await Promise.all(all)
    const seconds = elapsed() / 1000
    expect(seconds).toBeGreaterThanOrEqual(36 / perSecond)
    expect(seconds).toBeLessThanOrEqual(41 / perSecond)
  })

  it('of several holders for the same rows are one read', async () => {
    const { rows, reads } = makeRows()
    const places = [2, 4, 6]
    const found = await Promise.all(
      Array.from({ length: 12 }, (_, index) => rows.read(places, reader(`user ${index}`))),
    )
    expect(reads).toEqual([places])
    for (const one of found) expect(one.map(({ row }) => row.place)).toEqual(places)
  })

  it('fail alone if the log cannot be read', async () => {
    const log = new FakeLog()
    log.write(1)
    const rows = new Rows(log, { now: () => log.time, wait: () => scheduler.wait(0) })
    log.failure = new Error('the database is busy')
    await expect(rows.read([2], reader())).rejects.toThrow('busy')
    log.failure = undefined
    expect(await rows.read([2], reader())).toHaveLength(1)
  })
})
