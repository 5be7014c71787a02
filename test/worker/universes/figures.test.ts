import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openD1 } from '../../../src/db/port.ts'
import type { UniverseFigures, UniverseLimitName } from '../../../src/domain/universe.ts'
import { sweep } from '../../../src/sweep.ts'
import type { ExplainedUniverseLimit } from '../../../src/universes/reached-limit.ts'
import { type Account, bodyOf, createAccount, createPlanet } from '../../support/app.ts'
import { drain } from '../../support/callbacks.ts'
import { putDeliveries } from '../../support/outbox.ts'
import { makePicture } from '../../support/pictures.ts'
import { loadShippedPlanets, SHIPPED } from '../../support/shipped.ts'
import {
  countFigures,
  limitTo,
  startCounting,
  stopCounting,
  storedFigures,
  watchRefusals,
} from '../../support/universe-figures.ts'
import { countUsage, usageOf } from '../../support/usage.ts'
import {
  createInbox,
  createStage,
  DAY_MS,
  listLog,
  type Stage,
  subscribe,
  variantOf,
} from '../features/callbacks/support.ts'

// What a universe counts and refuses, on the database of the tests: its engine is that of a universe's.

const RECEIVER = 'https://receiver.example/planets'
const SMALL = { name: 'x' }
const TOLD = { ...SMALL, successCallbackUrl: RECEIVER }

let stage: Stage
let refusals: ExplainedUniverseLimit[]
let account: Account
let answer: Response

beforeEach(async () => {
  // The database alone refuses here. Nothing makes its error a problem, so the service logs it.
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const watched = watchRefusals(openD1(env.DB))
  refusals = watched.refusals
  answer = new Response('Thank you')
  stage = await createStage({
    database: watched.database,
    config: { signupsPerHour: 1000 },
    answer: () => answer.clone(),
  })
  account = stage.account
  await startCounting()
})

afterEach(async () => {
  vi.restoreAllMocks()
  await expectExact()
  await stopCounting()
})

const send = (method: string, path: string, body: unknown = {}, by = account) =>
  stage.client.sendJson(method, path, body, by)
const post = (path: string, body: unknown, by?: Account) => send('POST', path, body, by)
const upload = (id: number, size = 100, by = account) =>
  stage.client.upload(`/planets/${id}/image`, makePicture('image/png', size), by)
const planet = async (members: object = SMALL): Promise<number> =>
  (await createPlanet(stage.client, account, members)).id
const signUp = (email: string) => post('/user/signup', { email, password: 'correct horse' })
const listObjects = async () => (await stage.client.services.bucket.list()).objects

async function postInbox(): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', 'CF-Connecting-IP': crypto.randomUUID() }
  return await stage.client.send('/inboxes', { method: 'POST', headers, body: '{}' })
}

/** The figures are those of the rows. */
async function expectExact(): Promise<void> {
  const { usage, otherBodies } = await storedFigures()
  expect({ ...usage, otherBodies }).toEqual(await countFigures())
}

/** What some work changes in the figures. */
async function changesOf(work: () => Promise<unknown>): Promise<Partial<UniverseFigures>> {
  const { usage: before } = await storedFigures()
  await work()
  await expectExact()
  const { usage: after } = await storedFigures()
  const names = Object.keys(after) as UniverseLimitName[]
  return Object.fromEntries(
    names.filter((name) => after[name] !== before[name]).map((name) => [name, after[name] - before[name]]),
  )
}

/** Leaves room for so much, beyond what there is. */
async function leaveRoom(room: Partial<UniverseFigures>): Promise<void> {
  const { usage } = await storedFigures()
  const entries = Object.entries(room) as [UniverseLimitName, number][]
  await limitTo(Object.fromEntries(entries.map(([name, more]) => [name, usage[name] + more])))
}

/** Checks that the database refuses a request because of a limit, and that nothing of it is stored. */
async function expectFull(limit: UniverseLimitName, request: () => Promise<Response>): Promise<ExplainedUniverseLimit> {
  const before = await countFigures()
  const seen = refusals.length
  const response = await request()
  expect(response.status).toBeGreaterThanOrEqual(400)
  expect(refusals.slice(seen).map((refusal) => refusal.limit)).toEqual([limit])
  expect(await countFigures()).toEqual(before)
  await expectExact()
  return refusals.at(-1) as ExplainedUniverseLimit
}

async function expectStatus(status: number, request: Promise<Response>): Promise<Response> {
  const response = await request
  expect(response.status).toBe(status)
  return response
}

describe('figures follow', () => {
  it('planets, whichever way they are made and go', async () => {
    const satellites = [{ name: 'One' }, { name: 'Two' }]
    expect(await changesOf(() => planet({ ...SMALL, satellites }))).toEqual({ planets: 1 })
    const dwarf = { ...SMALL, type: 'dwarf', diameter: 7 }
    expect(await changesOf(() => expectStatus(201, post('/celestial-bodies', dwarf)))).toEqual({ planets: 1 })
    const id = await planet({ ...SMALL, satellites })
    expect(await changesOf(() => expectStatus(200, send('PUT', `/planets/${id}`, { name: 'y' })))).toEqual({})
    expect(await changesOf(() => expectStatus(204, send('DELETE', `/planets/${id}`)))).toEqual({ planets: -1 })
    const told = await planet(TOLD)
    const exploded = await changesOf(() => expectStatus(200, post(`/planets/${told}/explode`, {})))
    expect(exploded).toEqual({ planets: -1, deliveries: 1 })
  })

  it('other celestial bodies, except satellites of another body', async () => {
    const id = await planet()
    const otherBodies = async () => (await storedFigures()).otherBodies
    const before = await otherBodies()
    await expectStatus(201, post('/celestial-bodies', { ...SMALL, type: 'star', satellites: [{ name: 'One' }] }))
    await expectStatus(201, post('/celestial-bodies', { ...SMALL, type: 'moon' }))
    await expectStatus(201, post('/celestial-bodies', { ...SMALL, type: 'moon', orbit: { planet: { id } } }))
    expect(await otherBodies()).toBe(before + 2)
  })

  it('images that planets show', async () => {
    const id = await planet()
    expect(await changesOf(() => expectStatus(200, upload(id, 100)))).toEqual({ images: 1, imageBytes: 100 })
    expect(await changesOf(() => expectStatus(200, upload(id, 150)))).toEqual({ imageBytes: 50 })
    const other = await planet()
    expect(await changesOf(() => upload(other, 70))).toEqual({ images: 1, imageBytes: 70 })
    expect(await changesOf(() => send('PUT', `/planets/${id}`, { ...SMALL, image: null }))).toEqual({
      images: -1,
      imageBytes: -150,
    })
    expect(await changesOf(() => send('DELETE', `/planets/${other}`))).toEqual({
      planets: -1,
      images: -1,
      imageBytes: -70,
    })
    stage.clock.ms += DAY_MS
    expect(await changesOf(() => sweep(stage.client.services))).toEqual({})
    expect(await rows('images')).toBe(0)
  })

  it('users, and what goes with a deleted account', async () => {
    const email = `${crypto.randomUUID()}@galaxy.test`
    expect(await changesOf(() => expectStatus(201, signUp(email)))).toEqual({ users: 1 })
    expect(await changesOf(() => expectStatus(409, signUp(email)))).toEqual({})
    const leaver = await createAccount(stage.client)
    const { id } = await createPlanet(stage.client, leaver, TOLD)
    await upload(id, 100, leaver)
    await subscribe(stage, {}, leaver)
    await post('/celestial-bodies', { ...SMALL, type: 'star' }, leaver)
    const left = await changesOf(() => expectStatus(204, send('DELETE', '/me', { password: leaver.password }, leaver)))
    expect(left).toEqual({ users: -1, planets: -1, images: -1, imageBytes: -100, deliveries: -1 })
    expect(await rows(`users where id = ${leaver.id}`)).toBe(0)
  })

  it('an account that was deleted does not count, even before its rows are removed', async () => {
    const leaver = await createAccount(stage.client)
    const { id } = await createPlanet(stage.client, leaver, SMALL)
    const end = () => env.DB.prepare('update users set deleted_at = 1 where id = ?').bind(leaver.id).run()
    expect(await changesOf(end)).toEqual({ users: -1 })
    expect(await changesOf(() => sweep(stage.client.services))).toEqual({ planets: -1 })
    expect(await rows(`planets where id = ${id}`)).toBe(0)
  })

  it('a row of users that is deleted at once, by the cascade of all that refers to it', async () => {
    const leaver = await createAccount(stage.client)
    const { id } = await createPlanet(stage.client, leaver, TOLD)
    await upload(id, 100, leaver)
    await subscribe(stage, {}, leaver)
    const removed = await changesOf(() => env.DB.prepare('delete from users where id = ?').bind(leaver.id).run())
    expect(removed).toEqual({ users: -1, planets: -1, images: -1, imageBytes: -100, deliveries: -1 })
  })

  it('inboxes', async () => {
    let inbox: { id: string }
    const create = async () => {
      inbox = await createInbox(stage)
    }
    expect(await changesOf(create)).toEqual({ inboxes: 1 })
    expect(
      await changesOf(() => expectStatus(204, stage.client.send(`/inboxes/${inbox.id}`, { method: 'DELETE' }))),
    ).toEqual({ inboxes: -1 })
    await createInbox(stage)
    stage.clock.ms += 2 * DAY_MS
    expect(await changesOf(() => sweep(stage.client.services))).toEqual({ inboxes: -1 })
  })

  it('deliveries of every kind, until the log is swept', async () => {
    const { id } = await subscribe(stage)
    await subscribe(stage, { url: 'https://other.example/hook' })
    expect(await changesOf(() => post(`/webhooks/${id}/ping`, {}))).toEqual({ deliveries: 1 })
    const refused = { name: '', failureCallbackUrl: RECEIVER }
    expect(await changesOf(() => expectStatus(400, post('/planets', refused)))).toEqual({ deliveries: 1 })
    const announced = async () => {
      await planet(TOLD)
      await drain(stage.client)
    }
    expect(await changesOf(announced)).toEqual({ planets: 1, deliveries: 3 })
    const [first] = await listLog(stage)
    expect(await changesOf(() => expectStatus(202, post(`/deliveries/${first.id}/redeliver`, {})))).toEqual({})
    await drain(stage.client)
    stage.clock.ms += 30 * DAY_MS
    expect(await changesOf(() => sweep(stage.client.services))).toEqual({ deliveries: -5 })
    expect(await rows('events')).toBe(0)
  })
})

const rows = async (from: string) => await env.DB.prepare(`select count(*) as n from ${from}`).first<number>('n')

describe('planets', () => {
  it('are made up to the limit; a deleted one makes room', async () => {
    await leaveRoom({ planets: 2 })
    const id = await planet()
    await expectStatus(201, post('/celestial-bodies', { ...SMALL, type: 'dwarf', diameter: 7 }))
    const { planets } = (await storedFigures()).usage
    const reached = {
      limit: 'planets',
      used: planets,
      allowed: planets,
      detail: `A universe can have at most ${planets} planets. This one has ${planets}, and this request would exceed the limit.`,
    }
    expect(await expectFull('planets', () => post('/planets', TOLD))).toEqual(reached)
    expect(await expectFull('planets', () => post('/celestial-bodies', SMALL))).toEqual(reached)
    expect(await rows('events')).toBe(0)
    await expectStatus(200, send('PUT', `/planets/${id}`, { name: 'A much longer name', satellites: [SMALL] }))
    await expectStatus(400, post('/planets', { name: '' }))
    await expectStatus(204, send('DELETE', `/planets/${id}`))
    await planet()
  })

  it('concurrent requests for the last places do not exceed the limit', async () => {
    await leaveRoom({ planets: 3 })
    const responses = await Promise.all(Array.from({ length: 10 }, () => post('/planets', SMALL)))
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(refusals).toHaveLength(7)
  })

  it('leave room for other bodies, but have their whole limit themselves', async () => {
    await leaveRoom({ planets: 3 })
    const star = () => post('/celestial-bodies', { ...SMALL, type: 'star', satellites: [{ name: 'One' }] })
    const id = await planet()
    const { planets, room } = await storedFigures().then(({ usage, limits, otherBodies }) => ({
      planets: limits.planets,
      room: limits.planets - usage.planets - otherBodies,
    }))
    for (let made = 0; made < room; made++) await expectStatus(201, star())
    const full = await expectFull('planets', star)
    expect(full).toMatchObject({ used: planets, allowed: planets })
    expect(full.detail).toContain('other celestial bodies')
    await expectFull('planets', () => post('/celestial-bodies', { ...SMALL, type: 'moon' }))
    await expectStatus(201, post('/celestial-bodies', { ...SMALL, type: 'moon', orbit: { planet: { id } } }))
    await planet()
    await planet()
    await expectFull('planets', () => post('/planets', SMALL))
  })
})

describe('users', () => {
  it('sign up to the limit; an address that is taken is a conflict before that', async () => {
    await leaveRoom({ users: 1 })
    const email = `${crypto.randomUUID()}@galaxy.test`
    await expectStatus(201, signUp(email))
    expect((await expectFull('users', () => signUp(`other-${email}`))).detail).toContain('users')
    await expectStatus(409, signUp(email))
    await expectStatus(422, post('/user/signup', { email: `short-${email}`, password: 'x' }))
  })

  it('make room when they are deleted', async () => {
    const leaver = await createAccount(stage.client)
    await leaveRoom({ users: 0 })
    await expectFull('users', () => signUp(`${crypto.randomUUID()}@galaxy.test`))
    await expectStatus(204, send('DELETE', '/me', { password: leaver.password }, leaver))
    await expectStatus(201, signUp(`${crypto.randomUUID()}@galaxy.test`))
  })

  it('one of many concurrent sign-ups gets the last place', async () => {
    await leaveRoom({ users: 1 })
    const emails = Array.from({ length: 5 }, () => `${crypto.randomUUID()}@galaxy.test`)
    const responses = await Promise.all(emails.map(signUp))
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(refusals.map(({ limit }) => limit)).toEqual(Array(4).fill('users'))
  })
})

describe('images', () => {
  it('are shown up to the limit; a planet that has one can get another', async () => {
    await leaveRoom({ images: 1 })
    const [id, other] = [await planet(), await planet()]
    await expectStatus(200, upload(id))
    await expectStatus(200, upload(id))
    const objects = (await listObjects()).length
    const stored = await rows('images')
    await expectFull('images', () => upload(other))
    // Nothing was stored for it, not even for a moment.
    expect((await listObjects()).length).toBe(objects)
    expect(await rows('images')).toBe(stored)
    await expectStatus(200, send('PUT', `/planets/${id}`, { ...SMALL, image: null }))
    await expectStatus(200, upload(other))
  })

  it('have bytes up to the limit; a new image uses the room of the one that it replaces', async () => {
    await leaveRoom({ imageBytes: 200 })
    const [id, other] = [await planet(), await planet()]
    await expectStatus(200, upload(id, 150))
    await expectStatus(200, upload(id, 200))
    const { imageBytes } = (await storedFigures()).usage
    expect(await expectFull('imageBytes', () => upload(id, 201))).toMatchObject({
      used: imageBytes,
      allowed: imageBytes,
    })
    await expectFull('imageBytes', () => upload(other, 30))
    await expectStatus(200, upload(id, 170))
    await expectStatus(200, upload(other, 30))
  })

  it('are refused after an invalid file, and after the upload of somebody else', async () => {
    await leaveRoom({ images: 0 })
    const id = await planet()
    await expectStatus(400, stage.client.upload(`/planets/${id}/image`, new Uint8Array(100), account))
    await expectStatus(403, upload(id, 100, await createAccount(stage.client)))
    expect(refusals).toEqual([])
  })

  it('concurrent uploads for the last places do not exceed the limit, and the others leave nothing in the bucket', async () => {
    const ids: number[] = []
    for (let index = 0; index < 6; index++) ids.push(await planet())
    await leaveRoom({ images: 2 })
    const objects = (await listObjects()).length
    const responses = await Promise.all(ids.map((id) => upload(id)))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(refusals.map(({ limit }) => limit)).toEqual(Array(4).fill('images'))
    expect((await listObjects()).length).toBe(objects + 2)
  })

  it('one that lost the last place after it was stored is not shown, and its object is removed', async () => {
    const [id, rival] = [await planet(), await planet()]
    await leaveRoom({ images: 1 })
    const objects = (await listObjects()).length
    const { bucket, database } = stage.client.services
    const put = async (...stored: Parameters<R2Bucket['put']>) => {
      await expectStatus(200, upload(rival))
      return await bucket.put(...stored)
    }
    const slowBucket = { put, delete: (keys: string | string[]) => bucket.delete(keys) } as R2Bucket
    const slow = variantOf(stage, { bucket: slowBucket, database })
    const response = await slow.upload(`/planets/${id}/image`, makePicture(), account)
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(refusals.map(({ limit }) => limit)).toEqual(['images'])
    expect((await listObjects()).length).toBe(objects + 1)
  })
})

describe('inboxes', () => {
  it('are made up to the limit, and none gives way for another', async () => {
    await leaveRoom({ inboxes: 2 })
    const { id } = await createInbox(stage)
    await createInbox(stage)
    expect((await expectFull('inboxes', postInbox)).used).toBe(2)
    await expectStatus(204, stage.client.send(`/inboxes/${id}`, { method: 'DELETE' }))
    await expectStatus(201, postInbox())
  })

  it('one of many concurrent requests gets the last place', async () => {
    await leaveRoom({ inboxes: 1 })
    const responses = await Promise.all(Array.from({ length: 5 }, postInbox))
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
  })

  it('that have expired give way, even if no sweep has removed them yet', async () => {
    await leaveRoom({ inboxes: 1 })
    await createInbox(stage)
    stage.clock.ms += 2 * DAY_MS
    await createInbox(stage)
  })
})

describe('deliveries', () => {
  const idsInLog = async () => (await listLog(stage)).map(({ id }) => id)
  const end = (id: number) =>
    env.DB.prepare("update deliveries set status = 'failed', ended_at = 9, next_attempt_at = null where id = ?")
      .bind(id)
      .run()

  it('the oldest that have ended give way, with their attempts and events', async () => {
    await leaveRoom({ deliveries: 3 })
    for (let index = 0; index < 3; index++) {
      await planet(TOLD)
      await drain(stage.client)
    }
    const before = await idsInLog()
    expect(await changesOf(() => planet(TOLD))).toEqual({ planets: 1 })
    expect((await idsInLog()).slice(0, 2)).toEqual(before.slice(1))
    expect(await rows('attempts')).toBe(2)
    expect(await rows('events')).toBe(3)
    expect(await usageOf(account.id)).toEqual(await countUsage(account.id))
  })

  it('one that is pending never gives way', async () => {
    await leaveRoom({ deliveries: 3 })
    const [first = 0, second = 0, third = 0] = await putDeliveries(account, 3)
    await end(second)
    await end(third)
    const id = await planet(TOLD)
    expect(await idsInLog()).toEqual([first, third, expect.any(Number)])
    await expectStatus(200, post(`/planets/${id}/explode`, {}))
    expect(await idsInLog()).toEqual([first, expect.any(Number), expect.any(Number)])
  })

  it('if all are pending, a request for another one is refused', async () => {
    const { id: webhookId } = await subscribe(stage)
    const id = await planet(TOLD)
    await leaveRoom({ deliveries: 0 })
    expect((await expectFull('deliveries', () => post('/planets', TOLD))).detail).toContain('none of them has ended')
    await expectFull('deliveries', () => post(`/planets/${id}/explode`, {}))
    await expectFull('deliveries', () => post(`/webhooks/${webhookId}/ping`, {}))
    await expectFull('deliveries', () => post(`/webhooks/${webhookId}/tests`, {}))
    const [pending] = await listLog(stage)
    await expectStatus(202, post(`/deliveries/${pending.id}/redeliver`, {}))
    await planet(SMALL)
    expect(await usageOf(account.id)).toEqual(await countUsage(account.id))
  })

  it('a check of a receiver has room for all of its calls, or makes none', async () => {
    const { id: webhookId } = await subscribe(stage)
    await leaveRoom({ deliveries: 15 })
    await expectFull('deliveries', () => post(`/webhooks/${webhookId}/checks`, {}))
    expect(await idsInLog()).toEqual([])
    await leaveRoom({ deliveries: 16 })
    await expectStatus(202, post(`/webhooks/${webhookId}/checks`, {}))
    expect(await idsInLog()).toHaveLength(16)
    expect(await usageOf(account.id)).toEqual(await countUsage(account.id))
  })

  it('an invalid planet is 400, with or without room for its callback', async () => {
    await leaveRoom({ deliveries: 1 })
    const refused = { name: '', failureCallbackUrl: RECEIVER }
    expect(await changesOf(() => expectStatus(400, post('/planets', refused)))).toEqual({ deliveries: 1 })
    expect(await changesOf(() => expectStatus(400, post('/planets', refused)))).toEqual({})
  })

  it('a subscription misses an event for which there is no room, and others get it', async () => {
    const other = await createAccount(stage.client)
    for (let index = 0; index < 3; index++) await subscribe(stage, { url: `https://subscriber.example/${index}` })
    await subscribe(stage, {}, other)
    await leaveRoom({ deliveries: 2 })
    answer = new Response('Not now', { status: 503 })
    const announce = async () => {
      const id = await planet()
      await drain(stage.client)
      return id
    }
    const id = await announce()
    expect((await listLog(stage)).map(({ planetId }) => planetId)).toEqual([id, id])
    expect(await listLog(stage, '', other)).toEqual([])
    expect(refusals).toEqual([])
    await announce()
    expect(await rows('events')).toBe(1)
    for (const each of [account, other]) expect(await usageOf(each.id)).toEqual(await countUsage(each.id))

    const [first] = await idsInLog()
    await end(first)
    const later = await announce()
    expect((await listLog(stage)).map(({ planetId }) => planetId)).toEqual([id, later])
  })

  it('of subscriptions push out those that have ended', async () => {
    for (let index = 0; index < 3; index++) await subscribe(stage, { url: `https://subscriber.example/${index}` })
    await leaveRoom({ deliveries: 4 })
    const ids: number[] = []
    for (let index = 0; index < 3; index++) {
      ids.push(await planet())
      await drain(stage.client)
    }
    expect((await listLog(stage)).map(({ planetId }) => planetId)).toEqual([ids[1], ids[2], ids[2], ids[2]])
    expect(stage.network.calls).toHaveLength(9)
    expect(await usageOf(account.id)).toEqual(await countUsage(account.id))
  })

  it('concurrent requests for the last places do not exceed the limit', async () => {
    await leaveRoom({ deliveries: 3 })
    const responses = await Promise.all(Array.from({ length: 10 }, () => post('/planets', TOLD)))
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(refusals.map(({ limit }) => limit)).toEqual(Array(7).fill('deliveries'))
  })
})

it('any sequence of requests leaves the figures exact', async () => {
  await subscribe(stage)
  const known: number[] = []
  const pick = (index: number) => known[index % Math.max(known.length, 1)] ?? 0
  const make = async (path: string, body: object) => {
    const response = await post(path, body)
    if (response.status === 201) known.push((await bodyOf(response)).id)
  }
  const operations: Record<string, (index: number) => Promise<unknown>> = {
    make: () => make('/planets', SMALL),
    makeTold: () => make('/planets', TOLD),
    makeBody: () => make('/celestial-bodies', { ...SMALL, type: 'dwarf', diameter: 7 }),
    star: () => post('/celestial-bodies', { ...SMALL, type: 'star' }),
    upload: (index) => upload(pick(index), 50 + (index % 60)),
    replace: (index) => send('PUT', `/planets/${pick(index)}`, { ...SMALL, ...(index % 2 && { image: null }) }),
    delete: (index) => send('DELETE', `/planets/${pick(index)}`),
    explode: (index) => post(`/planets/${pick(index)}/explode`, {}),
    inbox: postInbox,
    call: () => drain(stage.client),
    leave: async () => {
      const leaver = await createAccount(stage.client).catch(() => undefined)
      if (!leaver) return
      await post('/planets', TOLD, leaver)
      await send('DELETE', '/me', { password: leaver.password }, leaver)
    },
  }
  const operation = fc.tuple(fc.constantFrom(...Object.keys(operations)), fc.nat({ max: 200 }))
  const room = fc.record({
    planets: fc.nat({ max: 6 }),
    users: fc.nat({ max: 1 }),
    images: fc.nat({ max: 3 }),
    imageBytes: fc.nat({ max: 300 }),
    deliveries: fc.nat({ max: 6 }),
    inboxes: fc.nat({ max: 2 }),
  })
  await fc.assert(
    fc.asyncProperty(room, fc.array(operation, { minLength: 1, maxLength: 25 }), async (more, steps) => {
      await leaveRoom(more)
      for (const [name, index] of steps) {
        await operations[name]?.(index)
        await expectExact()
      }
      const { usage, limits } = await storedFigures()
      for (const name of Object.keys(usage) as UniverseLimitName[]) {
        expect(usage[name]).toBeLessThanOrEqual(limits[name])
      }
    }),
    { numRuns: 25 },
  )
}, 120_000)

describe('the figures of a new universe', () => {
  it('without planets are those of its owner alone', async () => {
    await stopCounting()
    await env.DB.batch(
      ['planets', 'bodies', 'images', 'deliveries', 'inboxes'].map((table) => env.DB.prepare(`delete from ${table}`)),
    )
    await env.DB.prepare('delete from users where id <> ?').bind(account.id).run()
    await startCounting()
    expect(await storedFigures()).toEqual({
      limits: {
        planets: 20_000,
        users: 1000,
        images: 500,
        imageBytes: 100_000_000,
        deliveries: 10_000,
        inboxes: 50,
        labRuns: 50,
      },
      usage: { planets: 0, users: 1, images: 0, imageBytes: 0, deliveries: 0, inboxes: 0, labRuns: 0 },
      otherBodies: 0,
    })
  })

  it('with the shipped planets leave room for as many own planets', async () => {
    await stopCounting()
    await env.DB.prepare('delete from users').run()
    await loadShippedPlanets()
    await startCounting()
    const { limits, usage, otherBodies } = await storedFigures()
    expect({ planets: limits.planets, users: limits.users }).toEqual({ planets: SHIPPED + 20_000, users: 1000 })
    expect(usage).toEqual({ planets: 5402, users: 1, images: 0, imageBytes: 0, deliveries: 0, inboxes: 0, labRuns: 0 })
    expect(otherBodies).toBe(0)
    account = await createAccount(stage.client)
    await planet()
  })
})
