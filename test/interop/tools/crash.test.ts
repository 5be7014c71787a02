import { expect, it } from 'vitest'
import { CRASHES_TIMEOUT_MS, crashRepeatedly, ROUNDS } from '../../service/crash.ts'
import { makePreparedState } from '../../service/prepared-state.ts'
import { LiveWitness } from './live-witness.ts'

// A 201 promises a planet, a callback, and events. No crash may break this promise, nor take an event from a reader
// that resumes with its last id.

it(
  `keeps, calls back for, and tells of every planet that got a 201, through ${ROUNDS} crashes`,
  async () => {
    const witness = new LiveWitness()
    try {
      const toll = await crashRepeatedly(await makePreparedState(), console.log, witness)
      const { promised, lost, duplicated } = toll
      console.log(`${promised} planets, lost ${lost.length}, duplicated ${duplicated}`)
      console.log(`${witness.heard} events, of which ${witness.doubles} came twice; missed: ${witness.missed}`)
      expect(toll).toMatchObject({ lost: [], faults: [] })
      // Otherwise the service was killed only when there was nothing to lose.
      expect(toll.unanswered).toBeGreaterThan(0)
      expect(toll.worthwhile).toBeGreaterThanOrEqual(ROUNDS / 2)
      for (const missed of witness.missed) expect(missed).toBeGreaterThan(0)
    } finally {
      witness.close()
    }
  },
  CRASHES_TIMEOUT_MS,
)
