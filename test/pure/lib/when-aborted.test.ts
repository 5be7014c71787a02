import { expect, it, vi } from 'vitest'
import { whenAborted } from '../../../src/lib/when-aborted.ts'

it('calls a function once if the signal is aborted later', () => {
  const controller = new AbortController()
  const react = vi.fn()
  whenAborted(controller.signal, react)
  expect(react).not.toHaveBeenCalled()
  controller.abort()
  controller.abort()
  expect(react).toHaveBeenCalledOnce()
})

it('calls it soon, but not at once, if the signal is aborted already', async () => {
  const react = vi.fn()
  whenAborted(AbortSignal.abort(), react)
  expect(react).not.toHaveBeenCalled()
  await Promise.resolve()
  expect(react).toHaveBeenCalledOnce()
})

it('does not call it if it was forgotten, whether the signal is aborted before or after', async () => {
  const controller = new AbortController()
  const react = vi.fn()
  for (const signal of [controller.signal, AbortSignal.abort()]) whenAborted(signal, react)()
  controller.abort()
  await Promise.resolve()
  expect(react).not.toHaveBeenCalled()
})
