import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { TokenAuthority } from '../../../../src/auth/tokens.ts'
import { Vault } from '../../../../src/lib/vault.ts'
import type { Services } from '../../../../src/services.ts'
import { bodyOf, createClient } from '../../../support/app.ts'
import { failingDatabase } from '../../../support/failing-database.ts'
import { readLog } from '../../../support/log-lines.ts'
import { UNIVERSE_WORLD } from '../../../support/world.ts'

// Whether the service runs, and whether it can do its work.

const log = readLog()

/** A bucket of which every call ends like this. */
function bucketThat(behave: () => Promise<never>): R2Bucket {
  return new Proxy(env.IMAGES, { get: () => behave })
}

const fails = () => Promise.reject(new Error('R2 is away'))
const hangs = () => new Promise<never>(() => {})

/** A clock that only the test moves. */
function stoppedClock() {
  const clock = { ms: Date.now(), now: () => new Date(clock.ms) }
  return clock
}

describe('/healthz', () => {
  it('succeeds as long as the service runs, whatever else fails', async () => {
    const broken = createClient({ database: failingDatabase('boom'), bucket: bucketThat(fails) })
    for (const client of [createClient(), broken]) {
      const response = await client.get('/healthz')
      expect([response.status, response.headers.get('Cache-Control')]).toEqual([200, 'no-store'])
      expect(await bodyOf(response)).toEqual({ status: 'ok' })
    }
    const head = await broken.send('/healthz', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})

describe('/readyz', () => {
  it('succeeds if everything works, for GET and HEAD', async () => {
    const client = createClient()
    const response = await client.get('/readyz')
    expect([response.status, response.headers.get('Cache-Control')]).toEqual([200, 'no-store'])
    expect(await bodyOf(response)).toEqual({ status: 'ready' })
    const head = await client.send('/readyz', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  const signingKeys = createClient().services.config.signingKeys
  // The key has all members, but one is not a number in base64url.
  const brokenKeys = [{ ...signingKeys[0], n: '?' }] as const

  const FAULTS: readonly (readonly [parts: string, overrides: Partial<Services>])[] = [
    ['database', { database: failingDatabase('D1_ERROR: no such table: users: SQLITE_ERROR') }],
    ['images', { bucket: bucketThat(fails) }],
    ['queue', { callbackQueue: undefined as unknown as Services['callbackQueue'] }],
    ['secrets', { vault: new Vault([{ version: '1', bytes: new Uint8Array(3) }]) }],
    ['secrets', { tokens: new TokenAuthority([...brokenKeys]) }],
    ['database, images', { database: failingDatabase('secret text'), bucket: bucketThat(fails) }],
  ]

  it.each(FAULTS)('is 503 and names what does not work, without saying why: %s', async (parts, overrides) => {
    const response = await createClient(overrides).get('/readyz')
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '1'])
    const text = await response.text()
    expect(text).toContain(`These parts of the service do not work at the moment: ${parts}.`)
    expect(text).not.toMatch(/R2 is away|SQLITE|secret text/)
    expect(
      log
        .of('part-failed')
        .map(({ part }) => part)
        .sort(),
    ).toEqual(parts.split(', '))
  })

  it('is 503 if a part does not answer', { timeout: 10_000 }, async () => {
    const slow: string[] = []
    const wait = async (ms: number) => void slow.push(String(ms))
    const response = await createClient({ bucket: bucketThat(hangs), wait }).get('/readyz')
    expect(response.status).toBe(503)
    expect((await bodyOf(response)).detail).toContain('images')
  })

  it('is tried once in a second, however many ask', async () => {
    const clock = stoppedClock()
    let calls = 0
    const bucket = new Proxy(env.IMAGES, {
      get: () => async () => {
        calls++
        await scheduler.wait(30)
        return null
      },
    })
    const client = createClient({ bucket, now: clock.now })
    const ask = async () => (await client.get('/readyz')).status
    expect(await Promise.all(Array.from({ length: 20 }, ask))).toEqual(Array.from({ length: 20 }, () => 200))
    expect(calls).toBe(1)
    clock.ms += 999
    await ask()
    expect(calls).toBe(1)
    clock.ms += 1
    await ask()
    expect(calls).toBe(2)
  })

  it('is tried again after a client has gone during the trial', async () => {
    const clock = stoppedClock()
    const client = createClient({ now: clock.now })
    // The runtime cuts off the work of a request whose client has gone: it neither succeeds nor fails.
    void client.services.readiness.recall(() => new Promise(() => {}), client.services)
    clock.ms += 5000
    expect((await client.get('/readyz')).status).toBe(200)
  })

  it('is tried again after the clock was set back', async () => {
    const clock = stoppedClock()
    const client = createClient({ now: clock.now })
    expect((await client.get('/readyz')).status).toBe(200)
    clock.ms -= 3_600_000
    Object.assign(client.services, { bucket: bucketThat(fails) })
    if (!UNIVERSE_WORLD) expect((await client.get('/readyz')).status).toBe(503)
  })
})
