import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { openD1, openSession, write } from '../../../src/db/port.ts'
import {
  countAttempt,
  forgiveAttempt,
  isKeyRemembered,
  judgeAttempt,
  rememberKey,
  removeEndedWindows,
} from '../../../src/stores/rate-limits.ts'

const session = openSession({ database: openD1(env.DB), hub: undefined }, 'first-primary')
const START = Date.parse('2026-01-01T00:00:00Z')
const at = (seconds: number) => new Date(START + seconds * 1000)

const limitOf = (key: string) => ({ name: 'test', key, attemptsMax: 2, windowSeconds: 10 })

async function attempt(key: string, seconds: number) {
  const limit = limitOf(key)
  const [[counted]] = await write(session, [countAttempt(limit, at(seconds))])
  return judgeAttempt(limit, counted, at(seconds))
}

it('a window begins with its first attempt, ends after its length, and reports what is left of it', async () => {
  expect(await attempt('a', 0)).toMatchObject({ limit: 2, remaining: 1, resetSeconds: 10, isExceeded: false })
  expect(await attempt('a', 3)).toMatchObject({ limit: 2, remaining: 0, resetSeconds: 7, isExceeded: false })
  expect(await attempt('a', 9.5)).toMatchObject({ limit: 2, remaining: 0, resetSeconds: 1, isExceeded: true })
  expect(await attempt('a', 10)).toMatchObject({ limit: 2, remaining: 1, resetSeconds: 10, isExceeded: false })
})

it('keys are counted separately', async () => {
  await attempt('b', 0)
  expect(await attempt('c', 0)).toMatchObject({ remaining: 1 })
})

it('an attempt that is taken back no longer counts, and the count never drops below zero', async () => {
  const state = await attempt('d', 0)
  await write(session, [forgiveAttempt(state)])
  await write(session, [forgiveAttempt(state)])
  expect(await attempt('d', 1)).toMatchObject({ remaining: 1 })
})

it('attempts beyond the limit do not pile up: one that is taken back makes room for one', async () => {
  for (let second = 0; second < 8; second++) await attempt('e', 0)
  const state = await attempt('e', 0)
  await write(session, [forgiveAttempt(state)])
  await write(session, [forgiveAttempt(state)])
  expect(await attempt('e', 1)).toMatchObject({ remaining: 0, isExceeded: false })
})

it('an attempt of an ended window is not taken back from the next one', async () => {
  const late = await attempt('h', 0)
  await attempt('h', 10)
  await write(session, [forgiveAttempt(late)])
  expect(await attempt('h', 11)).toMatchObject({ remaining: 0, isExceeded: false })
})

it('a remembered key expires', async () => {
  await write(session, [rememberKey('i', at(5))])
  expect(await isKeyRemembered(session.db, 'i', at(4))).toBe(true)
  expect(await isKeyRemembered(session.db, 'i', at(5))).toBe(false)
  await write(session, [rememberKey('i', at(9))])
  expect(await isKeyRemembered(session.db, 'i', at(8))).toBe(true)
})

it('ended windows are removed, others are not', async () => {
  await attempt('f', 0)
  await attempt('g', 5)
  await removeEndedWindows(session, at(12))
  const { results } = await env.DB.prepare("select key from rate_limits where key in ('f', 'g')").all()
  expect(results).toEqual([{ key: 'g' }])
})

it('an attempt that the database did not count is an error, not a free one', () => {
  expect(() => judgeAttempt({ name: 'test', key: 'h', attemptsMax: 1, windowSeconds: 1 }, undefined, at(0))).toThrow(
    'did not count',
  )
})
