import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { signUp, sweep, until } from './callbacks-client.ts'
import { bodyOf, startGalaxy } from './galaxy.ts'
import { killAll } from './kill-all.ts'
import { queryState } from './local-database.ts'
import { freePort } from './ports.ts'
import { makePreparedState } from './prepared-state.ts'
import { openReceiver, type Receiver } from './receiver.ts'

// A check of a receiver, with the real queue and network, while the service is killed.

/** The length of a lease. After it, a call that was under way when the service died is made again. */
const LEASE_MS = 30_000
/** At which call the service is killed. */
const KILLED_AT = 3
const CHECK_TIMEOUT_MS = 60_000

it('a check of a receiver goes on after the service was killed during a call', async () => {
  const { folder, remove } = await makePreparedState()
  const port = String(await freePort())
  const start = () => startGalaxy(['--port', port, '--persist-to', folder])
  let secret = ''
  const receiver: Receiver = await openReceiver((response, call) => {
    if (call === KILLED_AT) return
    const { headers, body } = receiver.arrivals[call] ?? { headers: {}, body: '' }
    response.writeHead(isRight(secret, headers, body.toString()) ? 200 : 401).end()
  })
  try {
    const first = await start()
    const client = await signUp(first, 'checker@example.com')
    const webhook = await bodyOf(await client.post('/webhooks', { url: receiver.url(), events: ['newPlanet'] }))
    secret = webhook.secret
    const begun = await client.post(`/webhooks/${webhook.id}/checks`, {})
    expect(begun.status).toBe(202)
    const { pathname } = new URL(begun.headers.get('Location') ?? '')
    await until(
      () => receiver.arrivals.length,
      (count) => count > KILLED_AT,
    )
    await killAll(folder)
    // The clock of the service cannot be set, so the lease in the database is moved into the past.
    const lease = 'leased_until = leased_until - ?, next_attempt_at = next_attempt_at - ?'.replaceAll(
      '?',
      `${LEASE_MS}`,
    )
    queryState(folder, `update deliveries set ${lease} where leased_until is not null`)
    const second = await start()
    await sweep(second)
    const done = await until(
      async () => await bodyOf(await client.get(pathname)),
      ({ state }) => state === 'done',
      CHECK_TIMEOUT_MS,
    )
    expect(done).toMatchObject({ passed: true, summary: { right: 16, wrong: 0, skipped: 0, notSent: 0 } })
    // 16 tests, of which two have two calls, and the call that was made again.
    expect(receiver.arrivals).toHaveLength(19)
    const ids = receiver.arrivals.map(({ headers }) => headers['webhook-id'])
    expect(ids[KILLED_AT]).toBe(ids[KILLED_AT + 1])
    await second.stop()
  } finally {
    await killAll(folder)
    await receiver.close()
    await remove()
  }
})

function isRight(secret: string, headers: Record<string, string>, body: string): boolean {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}
