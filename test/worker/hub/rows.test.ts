import { expect, it } from 'vitest'
import type { LogRow } from '../../../src/events/happening.ts'
import { Rows } from '../../../src/hub/rows.ts'
import { FakeLog } from '../../support/fake-hub.ts'

/** A log whose reads of rows find the rows that it has when they begin, and return them when the test says so. */
class SlowLog extends FakeLog {
  readonly #reads = Promise.withResolvers<void>()

  override async readRows(places: readonly number[]): Promise<LogRow[]> {
    const rows = await super.readRows(places)
    await this.#reads.promise
    return rows
  }

  returnRows(): void {
    this.#reads.resolve()
  }
}

it('a row that is read while the log begins anew is not kept in place of the new row', async () => {
  const log = new SlowLog()
  const rows = new Rows(log, { now: () => log.time, wait: () => scheduler.wait(0) })
  const place = 2
  log.write(1, 1, { body: '"old"' })
  const read = rows.read([place])
  await scheduler.wait(1)
  log.rows.length = 0
  log.write(1, 1, { body: '"new"' })
  rows.forget()
  log.returnRows()
  await read
  const [newRow] = await rows.read([place])
  expect(newRow?.row.body).toBe('"new"')
})
