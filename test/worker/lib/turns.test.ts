import { describe, expect, it } from 'vitest'
import { Turns } from '../../../src/lib/turns.ts'

/** Lets everything run that waits for nothing. */
const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

/** A clock that goes on only if a test says so, and that shows who waits. */
function makeClock(random = 0.5) {
  let now = 0
  const waits: number[] = []
  const sleepers: { until: number; wake: () => void }[] = []
  return {
    waits,
    now: () => new Date(now),
    random: () => random,
    wait(milliseconds: number): Promise<void> {
      waits.push(milliseconds)
      return new Promise((wake) => sleepers.push({ until: now + milliseconds, wake }))
    },
    /** Goes on, one millisecond at a time, so that everybody wakes at the right time. */
    async advance(milliseconds: number): Promise<void> {
      for (const end = now + milliseconds; now < end; ) {
        now++
        for (const sleeper of sleepers.splice(0)) {
          if (sleeper.until <= now) sleeper.wake()
          else sleepers.push(sleeper)
        }
        await settle()
      }
    },
  }
}

/** Joins a line, and notes when its turn comes. */
function join(turns: Turns, name: string, clock: ReturnType<typeof makeClock>, limitMs = 5000) {
  const turn = turns.join(name, clock)
  const joined = { turn, isFirst: false }
  void turn.reachFront(limitMs).then(() => {
    joined.isFirst = true
  })
  return joined
}

describe('a line', () => {
  it('lets the first one go at once, and the others one after the other', async () => {
    const [turns, clock] = [new Turns(), makeClock()]
    const waiters = [1, 2, 3].map(() => join(turns, 'a', clock))
    await settle()
    expect(waiters.map(({ isFirst }) => isFirst)).toEqual([true, false, false])
    waiters[0]?.turn.leave()
    await clock.advance(50)
    expect(waiters.map(({ isFirst }) => isFirst)).toEqual([true, true, false])
    waiters[1]?.turn.leave()
    await clock.advance(50)
    expect(waiters.map(({ isFirst }) => isFirst)).toEqual([true, true, true])
  })

  it('does not wait for another line', async () => {
    const [turns, clock] = [new Turns(), makeClock()]
    const waiters = ['a', 'b'].map((name) => join(turns, name, clock))
    await settle()
    expect(waiters.map(({ isFirst }) => isFirst)).toEqual([true, true])
    expect(clock.waits).toEqual([])
  })

  it('goes on a second after the first one was aborted', async () => {
    const [turns, clock] = [new Turns(), makeClock()]
    join(turns, 'a', clock)
    const next = join(turns, 'a', clock)
    await clock.advance(999)
    expect(next.isFirst).toBe(false)
    await clock.advance(50)
    expect(next.isFirst).toBe(true)
  })

  it('is joined again, at its end, by one that comes back too late', async () => {
    const [turns, clock] = [new Turns(), makeClock()]
    const first = join(turns, 'a', clock)
    const next = join(turns, 'a', clock)
    await clock.advance(1050)
    expect(next.isFirst).toBe(true)
    let isFirstAgain = false
    void first.turn.reachFront(5000).then((isFirst) => {
      isFirstAgain = isFirst
    })
    await clock.advance(500)
    expect(isFirstAgain).toBe(false)
    next.turn.leave()
    await clock.advance(50)
    expect(isFirstAgain).toBe(true)
  })

  it('keeps the turn of the first one that uses its turn', async () => {
    const [turns, clock] = [new Turns(), makeClock()]
    const first = join(turns, 'a', clock)
    const next = join(turns, 'a', clock)
    for (let attempt = 0; attempt < 5; attempt++) {
      await clock.advance(900)
      await first.turn.reachFront(5000)
    }
    expect(next.isFirst).toBe(false)
  })

  it('is left at the limit, whoever is before', async () => {
    const [turns, clock] = [new Turns(), makeClock()]
    const first = join(turns, 'a', clock)
    const impatient = join(turns, 'a', clock, 300)
    await clock.advance(299)
    expect(impatient.isFirst).toBe(false)
    await clock.advance(1)
    expect(impatient.isFirst).toBe(true)
    expect(first.isFirst).toBe(true)
  })

  it('makes those at its end look less often, and nobody at the same time', async () => {
    const [turns, clock] = [new Turns(), makeClock(0.9)]
    for (let turn = 0; turn < 13; turn++) join(turns, 'a', clock)
    await settle()
    expect(clock.waits).toEqual([18, 36, 54, 72, 90, 108, 126, 144, 162, 180, 180, 180])
  })

  it('is kept among 10,000', async () => {
    const [turns, clock] = [new Turns(), makeClock()]
    join(turns, 'a', clock)
    for (let line = 0; line < 9_999; line++) turns.join(`line ${line}`, clock)
    const second = join(turns, 'a', clock)
    await settle()
    expect(second.isFirst).toBe(false)
  })

  it('is forgotten as the oldest if there are more than 10,000', async () => {
    const [turns, clock] = [new Turns(), makeClock()]
    // The first line is the oldest, so it is dropped: whoever joins it is the first again.
    join(turns, 'a', clock)
    for (let line = 0; line < 9_999; line++) turns.join(`line ${line}`, clock)
    const stays = join(turns, 'line 9998', clock)
    turns.join('one more', clock)
    const again = join(turns, 'a', clock)
    await settle()
    expect([stays.isFirst, again.isFirst]).toEqual([false, true])
  })
})
