import { expect, it } from 'vitest'

// The timers of a test end with it, in each file: nearly always, this is not the first file of its runtime.

let leftOver: AbortSignal

it('the timeout of a signal passes while its test runs', async () => {
  leftOver = AbortSignal.timeout(1000)
  const signal = AbortSignal.timeout(1)
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
})

it('the timeout of a signal does not pass after its test', async () => {
  await scheduler.wait(1100)
  expect(leftOver.aborted).toBe(false)
})
