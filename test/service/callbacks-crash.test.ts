import { expect, it } from 'vitest'
import { crashRepeatedly, ROUNDS } from './crash.ts'
import { makePreparedState } from './prepared-state.ts'

// A 201 promises a callback. No crash may break this promise.

it(`keeps every planet that got a 201, whole, and calls back for each, through ${ROUNDS} crashes`, async () => {
  const start = performance.now()
  const toll = await crashRepeatedly(await makePreparedState(), console.log)
  const { promised, lost, duplicated } = toll
  console.log(`${promised} planets, lost ${lost.length}, duplicated ${duplicated}, ${seconds(start)} s`)
  expect(toll).toMatchObject({ lost: [], faults: [] })
  // Otherwise the service was killed only when there was nothing to lose.
  expect(toll.unanswered).toBeGreaterThan(0)
  expect(toll.owed).toBeGreaterThan(0)
}, 480_000)

const seconds = (start: number) => Math.round((performance.now() - start) / 1000)
