import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/wrangler.ts'

/** Counts how often other events are handled while the SQL of the shipped planets is made. */
const COUNT_TURNS = `
require('./scripts/run.cjs')('prepare').then(async ({ readPlanets }) => {
  let turns = 0
  const count = () => { turns++; next = setImmediate(count) }
  let next = setImmediate(count)
  const { length } = (await readPlanets()).writeSql()
  clearImmediate(next)
  console.log(JSON.stringify({ turns, length }))
})`

it('a stop is handled while the planets are read, before the SQL is written', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', COUNT_TURNS], { cwd: ROOT })
  const { turns, length } = JSON.parse(stdout)
  // After the modules are loaded, and after the planets are read.
  expect(turns).toBeGreaterThanOrEqual(2)
  expect(length).toBeGreaterThan(1_000_000)
})
