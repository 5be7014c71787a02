import { expect, it } from 'vitest'
import { CoalescedWork } from '../../../src/hub/coalesced.ts'

/** Lets everything that waits for a settled promise go one step further. */
const nextStep = () => Promise.resolve()

it('never has two runs in progress, even if a call comes while one run ends and the next has not begun', async () => {
  let inProgress = 0
  let mostInProgress = 0
  const work = new CoalescedWork(async () => {
    inProgress++
    mostInProgress = Math.max(mostInProgress, inProgress)
    for (let step = 0; step < 10; step++) await nextStep()
    inProgress--
  })
  const calls = [work.run(), work.run()]
  for (let step = 0; step < 50; step++) {
    calls.push(work.run())
    await nextStep()
  }
  await Promise.all(calls)
  expect(mostInProgress).toBe(1)
})

it('settles a call only when a run has ended that began after the call, even if the run before it fails', async () => {
  const runs: PromiseWithResolvers<void>[] = []
  const work = new CoalescedWork(() => {
    const run = Promise.withResolvers<void>()
    runs.push(run)
    return run.promise
  })
  const first = work.run()
  const second = work.run()
  const third = work.run()
  runs[0]?.reject(new Error('first'))
  await expect(first).rejects.toThrow('first')
  await expect.poll(() => runs.length).toBe(2)
  runs[1]?.resolve()
  await Promise.all([second, third])
  expect(runs.length).toBe(2)
})
