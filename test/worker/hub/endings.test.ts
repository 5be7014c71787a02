import { describe, expect, it } from 'vitest'
import type { SocketCredential } from '../../../src/events/subscription.ts'
import { expectOutcome, FakeObject } from '../../support/fake-hub.ts'

const CREDENTIAL: SocketCredential = { userId: 1, keyId: 5, grantId: null, endsAt: null }
const USER = { userId: 1, holder: 'user 1' }

/** Writes that a credential has ended. */
function end(object: FakeObject, body: object, kind: 'credential_ended' | 'user_deleted' = 'credential_ended'): void {
  object.log.write(0, kind === 'user_deleted' ? 1 : 0, { kind, userId: 1, planetId: null, body: JSON.stringify(body) })
}

describe('a socket whose credential ends', () => {
  it.each([
    ['all of the user', { userId: 1 }, 4401],
    ['its key', { userId: 1, keyId: 5 }, 4401],
    ['another key', { userId: 1, keyId: 6 }, 'open'],
    ['a grant', { userId: 1, grantId: 'g' }, 'open'],
    ['all of another user', { userId: 2 }, 'open'],
  ])('by the end of %s', async (_, body, expected) => {
    const object = new FakeObject()
    const { closed } = await object.open({ ...USER, credential: CREDENTIAL })
    end(object, body)
    await object.hub.notify()
    await expectOutcome(closed, expected)
  })

  it('by the end of its grant', async () => {
    const object = new FakeObject()
    const { closed } = await object.open({ ...USER, credential: { ...CREDENTIAL, keyId: null, grantId: 'g' } })
    end(object, { userId: 1, grantId: 'g' })
    await object.hub.notify()
    await expectOutcome(closed, 4401)
  })

  it('by the deletion of the account hears of it first', async () => {
    const object = new FakeObject()
    object.log.eventsOf = () => [
      { eventId: 'x', eventType: 'user.deleted', timestamp: '', metadata: { source: 'rest-api' } },
    ]
    const { closed, frames } = await object.open({
      ...USER,
      channel: 'userEvents',
      hearsOwnEvents: true,
      credential: CREDENTIAL,
    })
    end(object, { id: 1 }, 'user_deleted')
    await object.hub.notify()
    await expectOutcome(closed, 4401)
    expect(frames.map((frame) => JSON.parse(frame).eventType)).toEqual([undefined, 'user.deleted'])
  })

  it('while it reads the past', async () => {
    const object = new FakeObject({ wait: () => new Promise(() => {}) })
    for (let count = 0; count < 40; count++) object.log.write(1)
    const { closed } = await object.open({ ...USER, credential: CREDENTIAL }, { includesHistory: true, checkedAt: 80 })
    end(object, { userId: 1 })
    await object.hub.notify()
    await expectOutcome(closed, 4401)
  })

  it('by its expiry', async () => {
    const object = new FakeObject()
    const endsAt = object.now.getTime() + 1000
    const { closed } = await object.open({ ...USER, credential: { ...CREDENTIAL, endsAt } })
    const other = await object.open()
    expect(object.wakeUps).toEqual([endsAt])
    expect(object.hub.nextEnd).toBe(endsAt)
    object.hub.endExpired()
    await expectOutcome(closed, 'open')
    object.now = new Date(endsAt)
    object.hub.endExpired()
    await expectOutcome(closed, 4401)
    await expectOutcome(other.closed, 'open')
    expect(object.hub.nextEnd).toBe(Infinity)
  })
})

describe('a credential that ended between its check and the opening of the socket', () => {
  it('is refused by a hub that has heard of the end', async () => {
    const object = new FakeObject()
    await object.open()
    const checkedAt = 0
    end(object, { userId: 1 })
    await object.hub.notify()
    expect(await object.connect({ ...USER, credential: CREDENTIAL }, { checkedAt })).toEqual({
      refusal: 'credential-ended',
    })
  })

  it('is refused by a hub that has just begun to listen', async () => {
    const object = new FakeObject()
    for (let count = 0; count < 10; count++) object.log.write(1)
    end(object, { userId: 1 })
    const connection = await object.connect({ ...USER, credential: CREDENTIAL }, { checkedAt: 20 })
    expect(connection).toEqual({ refusal: 'credential-ended' })
  })

  it('is not confused with one that began after that end', async () => {
    const object = new FakeObject()
    await object.open()
    end(object, { userId: 1 })
    await object.hub.notify()
    const { place = 0 } = object.log.rows.at(-1) ?? {}
    expect(await object.connect({ ...USER, credential: CREDENTIAL }, { checkedAt: place })).toHaveProperty('response')
  })
})

describe('a row that closes the last socket', () => {
  it('is the last that is read until somebody listens again', async () => {
    const object = new FakeObject()
    const { closed } = await object.open({ ...USER, credential: CREDENTIAL })
    end(object, { userId: 1 })
    for (let count = 0; count < 10; count++) object.log.write(1)
    await object.hub.notify()
    await expectOutcome(closed, 4401)
    const { until } = await object.open()
    const [expected] = object.log.write(1)
    await object.hub.notify()
    expect(JSON.parse((await until(2))[1] ?? '').eventId).toBe(expected)
  })
})
