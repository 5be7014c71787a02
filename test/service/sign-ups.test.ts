import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Galaxy, startGalaxy } from './galaxy.ts'
import { freePort } from './ports.ts'
import { makePreparedState } from './prepared-state.ts'

// Many passwords are hashed at the same time, with the cost of a real deployment.

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

it('other requests are answered while many sign up, and sign-ups beyond the queue are 503', async () => {
  let created = 0
  const signUps = Array.from({ length: 60 }, async () => {
    const response = await signUp()
    if (response.status === 201) created++
    return response
  })
  const read = await fetch(`${galaxy.url}/planets/1`)
  const createdBeforeRead = created
  expect(read.status).toBe(200)
  await read.arrayBuffer()
  const responses = await Promise.all(signUps)
  // If the read had to wait for hashing, its response would arrive with that of the last sign-up.
  expect(created).toBeGreaterThan(createdBeforeRead)
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201, 503]))
  const refused = responses.filter(({ status }) => status === 503)
  expect(refused.every(({ headers }) => headers.get('Retry-After') === '5')).toBe(true)
})
