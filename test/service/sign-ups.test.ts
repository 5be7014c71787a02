import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort, type Galaxy, startGalaxy } from './galaxy.ts'
import { makePreparedState } from './prepared-state.ts'

// Many passwords at the same moment, at the cost that they have when deployed.

let state: Awaited<ReturnType<typeof makePreparedState>>
let galaxy: Galaxy

beforeAll(async () => {
  state = await makePreparedState()
  const free = ['--var', 'SIGNUP_RATE_LIMIT:1000']
  galaxy = await startGalaxy(['--port', String(await freePort()), '--persist-to', state.folder, ...free])
})

afterAll(async () => {
  await galaxy.stop()
  await state.remove()
})

async function signUp(): Promise<Response> {
  const response = await fetch(`${galaxy.url}/user/signup`, {
    method: 'POST',
    body: JSON.stringify({ email: `${crypto.randomUUID()}@galaxy.test`, password: 'i-love-planets' }),
    headers: { 'Content-Type': 'application/json' },
  })
  await response.arrayBuffer()
  return response
}

it('other requests are answered while many sign up, and sign-ups beyond the queue are 503', {
  timeout: 120_000,
}, async () => {
  let isDone = false
  const all = Promise.all(Array.from({ length: 60 }, signUp)).finally(() => (isDone = true))
  let answered = 0
  while (!isDone) {
    const response = await fetch(`${galaxy.url}/planets/1`)
    expect(response.status).toBe(200)
    await response.arrayBuffer()
    answered++
  }
  const answers = await all
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 503]))
  const refused = answers.filter(({ status }) => status === 503)
  expect(refused.every(({ headers }) => headers.get('Retry-After') === '5')).toBe(true)
  // One after the other. If hashing held them up, the first would come with the last sign-up.
  expect(answered).toBeGreaterThan(5)
})
