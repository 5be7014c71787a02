import { beforeAll, describe, expect, it } from 'vitest'
import { makeUniverseId } from '../../../../src/domain/universe-address.ts'
import { EVENT_TYPES } from '../../../../src/schemas/live/catalogue.ts'
import { type Account, bodyOf, type Client, createAccount, createClient } from '../../../support/app.ts'
import { storeKey } from '../../../support/credentials.ts'
import { FakeUniverse } from '../../../support/fake-universe.ts'
import { expectDocumentedEvent } from '../../../support/live-log.ts'
import { createOwner } from '../../../support/universe-owner.ts'

// Events on demand: POST /events.

const OWN = ['user.signed_up', 'user.authenticated', 'user.profile_updated', 'user.deleted', 'login.attempt']

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

const trigger = (body: unknown, by = account) => client.sendJson('POST', '/events', body, by)

describe('in the common world', () => {
  it.each(EVENT_TYPES)('%s', async (type) => {
    const response = await trigger({ type })
    expect(response.status).toBe(OWN.includes(type) ? 201 : 403)
  })

  it('an event is what its location returns, with the members of the service', async () => {
    const payload = {
      eventId: '019bc210-3240-7000-a168-2f0000000001',
      eventType: 'planet.created',
      timestamp: '2000-01-01T00:00:00Z',
      metadata: { source: 'rest-api', userId: 1 },
      attempt: { email: 'someone@else.example', success: false, reason: 'rate_limited' },
    }
    const response = await trigger({ type: 'login.attempt', payload })
    const event = await bodyOf(response)
    expectDocumentedEvent(event)
    expect(event).toMatchObject({
      eventType: 'login.attempt',
      attempt: { email: account.email, success: false, reason: 'rate_limited' },
      metadata: { source: 'trigger', userId: account.id },
    })
    expect(event.eventId).not.toBe(payload.eventId)
    expect(Date.parse(event.timestamp)).toBeGreaterThan(Date.now() - 60_000)
    const location = response.headers.get('Location') ?? ''
    expect(await bodyOf(await client.get(location, { Authorization: `Bearer ${account.token}` }))).toEqual(event)
    expect((await client.get(location)).status).toBe(404)
  })

  it('is always about its caller', async () => {
    const payload = { user: { id: 1, name: 'Galaxy' }, deletion: { reason: 'inactive' } }
    const event = await bodyOf(await trigger({ type: 'user.deleted', payload }))
    expect(event).toMatchObject({ user: { id: account.id, name: 'Ada' }, deletion: { reason: 'inactive' } })
  })

  it.each([
    [{}, ['/type']],
    [{ type: 'planet.born' }, ['/type']],
    [
      { type: 'login.attempt', payload: { attempt: { success: 'yes' } } },
      ['/payload/attempt/email', '/payload/attempt/success'],
    ],
    [{ type: 'login.attempt', payload: {} }, ['/payload/attempt']],
    [{ type: 'login.attempt', payload: [] }, ['/payload']],
    [{ type: 'login.attempt', more: 1 }, ['/more']],
    [{ type: 'login.attempt', payload: { more: 'x'.repeat(16 * 1024) } }, ['/payload']],
  ])('%j is rejected', async (body, pointers) => {
    const response = await trigger(body)
    expect(response.status).toBe(400)
    const { errors } = await bodyOf(response)
    expect(errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(pointers)
  })

  it('needs the scope', async () => {
    const { key } = await storeKey(client, account.id, ['read:events'])
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    const response = await client.send('/events', { method: 'POST', body: '{"type":"login.attempt"}', headers })
    expect((await bodyOf(response)).type).toContain('insufficient-scope')
  })
})

describe('in a universe', () => {
  const inUniverse = () => createClient({ world: 'universe', universe: new FakeUniverse(makeUniverseId(), new Date()) })

  it.each(EVENT_TYPES)('its owner makes %s, as documented', async (type) => {
    const universe = inUniverse()
    const response = await universe.sendJson('POST', '/events', { type }, await createOwner(universe))
    expect(response.status).toBe(201)
    expectDocumentedEvent(await bodyOf(response))
  })

  it('another user makes only events of this user', async () => {
    const universe = inUniverse()
    const user = await createAccount(universe)
    for (const type of EVENT_TYPES) {
      const response = await universe.sendJson('POST', '/events', { type }, user)
      expect(response.status, type).toBe(OWN.includes(type) ? 201 : 403)
    }
  })
})
