import { describe, expect, it } from 'vitest'
import { FramePace } from '../../../src/hub/frame-pace.ts'
import { Pace } from '../../../src/hub/pace.ts'

const DAY_MS = 86_400_000
const MIB = 2 ** 20

/** A clock that a test sets. */
function makeClock() {
  let time = Date.now()
  return { now: () => new Date(time), move: (milliseconds: number) => (time += milliseconds) }
}

describe('the pace of frames', () => {
  it('is a pause in proportion to what was sent, which passes', () => {
    const clock = makeClock()
    const pace = new FramePace(1000, clock.now)
    expect(pace.pauseMs).toBe(0)
    pace.noteSent(100)
    expect(pace.pauseMs).toBe(100)
    clock.move(60)
    expect(pace.pauseMs).toBe(40)
    clock.move(40)
    expect(pace.pauseMs).toBe(0)
  })

  it('is no longer if the clock is set back', () => {
    const clock = makeClock()
    const pace = new FramePace(1000, clock.now)
    clock.move(DAY_MS)
    pace.noteSent(100)
    clock.move(-DAY_MS)
    expect(pace.pauseMs).toBe(100)
    clock.move(100)
    expect(pace.pauseMs).toBe(0)
  })
})

describe('the pace of a client', () => {
  it('is a delay of what it has not read yet, which passes', () => {
    const clock = makeClock()
    const pace = new Pace(clock.now)
    pace.noteSent(4 * MIB)
    expect(pace.delayOf(0)).toBe(750)
    clock.move(750)
    expect(pace.delayOf(0)).toBe(0)
  })

  it('is no longer if the clock is set back', () => {
    const clock = makeClock()
    const pace = new Pace(clock.now)
    clock.move(DAY_MS)
    pace.noteSent(4 * MIB)
    clock.move(-DAY_MS)
    expect(pace.delayOf(0)).toBe(750)
    clock.move(750)
    expect(pace.delayOf(0)).toBe(0)
  })
})
