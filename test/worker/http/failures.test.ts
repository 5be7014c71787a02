import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest'
import { bodyOf, createAccount, createClient, ORIGIN } from '../../support/app.ts'
import { failingDatabase } from '../../support/failing-database.ts'
import { makePicture } from '../../support/pictures.ts'

// What a caller sees if the service itself fails.

let log: MockInstance

beforeEach(() => {
  log = vi.spyOn(console, 'error').mockImplementation(() => {})
})

afterEach(() => {
  log.mockRestore()
})

it('an unexpected failure is 500 with the request id, and reveals no internals', async () => {
  const secret = 'near "selec": syntax error at /src/stores/planets.ts'
  const response = await createClient({ database: failingDatabase(secret) }).get('/planets/1')
  expect(response.status).toBe(500)
  const text = await response.clone().text()
  expect(text).not.toMatch(/selec|syntax|src\/|stack|at /)
  expect(await bodyOf(response)).toMatchObject({
    type: `${ORIGIN}/problems/internal-error`,
    instance: `urn:uuid:${response.headers.get('X-Request-ID')}`,
  })
  expect(log.mock.calls.flat().join()).toContain(response.headers.get('X-Request-ID'))
})

it.each([
  'D1_ERROR: D1 DB is overloaded. Too many requests queued.',
  'D1_ERROR: Network connection lost.',
  'D1_ERROR: Internal error in D1 DB storage caused object to be reset.',
])('an overloaded database is 503 with Retry-After: %s', async (message) => {
  const response = await createClient({ database: failingDatabase(message) }).get('/planets')
  expect(response.status).toBe(503)
  expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0)
})

it('the log of a failed sign-up contains neither the password nor its hash nor the e-mail address', async () => {
  const client = createClient({ database: failingDatabase('D1_ERROR: boom') })
  const response = await client.sendJson('POST', '/user/signup', { email: 'ada@galaxy.test', password: 'hunter2!' })
  expect(response.status).toBe(500)
  expect(log.mock.calls.flat().join()).not.toMatch(/hunter2|pbkdf2|ada@/)
})

it('an upload that fails to reach the database leaves the planet unchanged', async () => {
  const good = createClient()
  const account = await createAccount(good)
  const { id } = await bodyOf(await good.sendJson('POST', '/planets', { name: 'Untouched' }, account))
  const bucket = new Proxy(env.IMAGES, { get: () => () => Promise.reject(new Error('R2 is away')) })
  const response = await createClient({ bucket }).upload(`/planets/${id}/image`, makePicture(), account)
  expect(response.status).toBe(500)
  expect(await bodyOf(await good.get(`/planets/${id}`))).not.toHaveProperty('image')
})
