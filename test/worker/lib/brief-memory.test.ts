import { expect, it } from 'vitest'
import { BriefMemory } from '../../../src/lib/brief-memory.ts'

const KEPT_MS = 1000
const WORK_MAX_MS = 5000

/** A memory with a clock that only its waits move. */
function createMemory() {
  let time = 0
  const clock = {
    now: () => new Date(time),
    wait: async (milliseconds: number) => {
      time += milliseconds
      await scheduler.wait(0)
    },
  }
  return { memory: new BriefMemory<string>(KEPT_MS, WORK_MAX_MS), clock, pass: (ms: number) => (time += ms) }
}

it('one caller does the work for all who ask meanwhile', async () => {
  const { memory, clock } = createMemory()
  let count = 0
  const work = async () => {
    await scheduler.wait(5)
    return `result ${++count}`
  }
  const results = await Promise.all([1, 2, 3].map(() => memory.recall(work, clock)))
  expect(results).toEqual(['result 1', 'result 1', 'result 1'])
})

it('a result is kept for its time, and a failure is not kept', async () => {
  const { memory, clock, pass } = createMemory()
  const fail = () => Promise.reject(new Error('the disk is full'))
  await expect(memory.recall(fail, clock)).rejects.toThrow('full')
  expect(await memory.recall(async () => 'first', clock)).toBe('first')
  pass(KEPT_MS - 1)
  expect(await memory.recall(async () => 'second', clock)).toBe('first')
  pass(1)
  expect(await memory.recall(async () => 'second', clock)).toBe('second')
})

it('work that takes too long is begun anew, and its end changes nothing for the newer work', async () => {
  const { memory, clock } = createMemory()
  const [old, newer] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const first = memory.recall(() => old.promise, clock)
  let hasBegun = false
  const second = memory.recall(() => {
    hasBegun = true
    return newer.promise
  }, clock)
  while (!hasBegun) await scheduler.wait(0)
  old.resolve('old')
  expect(await first).toBe('old')
  const third = memory.recall(async () => 'begun beside the newer work', clock)
  newer.resolve('newer')
  expect([await second, await third]).toEqual(['newer', 'newer'])
})
