import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountLimits } from '../../../src/env.ts'
import {
  type Account,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  NO_LIMITS,
  ORIGIN,
} from '../../support/app.ts'
import { rowOf } from '../../support/callbacks.ts'
import { makePicture } from '../../support/pictures.ts'
import { countUsage, usageOf } from '../../support/usage.ts'

const RECEIVER = 'https://receiver.example/planets'
/** A planet of 12 bytes: {"name":"x"}. */
const SMALL = { name: 'x' }
const SMALL_BYTES = 12

let account: Account
let open: Client

beforeAll(() => {
  open = createClient()
})

beforeEach(async () => {
  account = await createAccount(open)
})

const limitedTo = (limits: Partial<AccountLimits>) =>
  createClient({ config: { accountLimits: { ...NO_LIMITS, ...limits } } })
const post = (client: Client, body: object, path = '/planets') => client.sendJson('POST', path, body, account)
const put = (client: Client, id: number, body: object) => client.sendJson('PUT', `/planets/${id}`, body, account)
const postBody = (client: Client, body: object) => post(client, body, '/celestial-bodies')

/** Checks a refusal because of a limit. @returns The limit that the response names */
async function expectFull(response: Response) {
  const problem = await bodyOf(response)
  expect(problem).toMatchObject({ status: 403, type: `${ORIGIN}/problems/account-limit-reached` })
  expect(response.status).toBe(403)
  return problem.limit
}

/** The usage that the service reports equals that of the rows. */
async function expectExact() {
  expect(await usageOf(account.id)).toEqual(await countUsage(account.id))
}

describe('planets and celestial bodies', () => {
  it('are stored up to the limit, and not one more', async () => {
    const client = limitedTo({ bodies: 3 })
    const satellites = [{ name: 'One' }, { name: 'Two' }, { name: 'Three' }]
    expect((await post(client, { ...SMALL, satellites })).status).toBe(201)
    expect((await postBody(client, { ...SMALL, type: 'star', satellites })).status).toBe(201)
    expect((await postBody(client, { ...SMALL, type: 'dwarf', diameter: 7 })).status).toBe(201)
    const before = await countUsage(account.id)
    const limit = { name: 'celestialBodies', used: 3, allowed: 3 }
    expect(await expectFull(await post(client, SMALL))).toEqual(limit)
    expect(await expectFull(await postBody(client, { ...SMALL, type: 'star' }))).toEqual(limit)
    expect(await expectFull(await postBody(client, { ...SMALL, type: 'moon' }))).toEqual(limit)
    expect(await expectFull(await postBody(client, SMALL))).toEqual(limit)
    expect(await countUsage(account.id)).toEqual(before)
    await expectExact()
  })

  it('a planet that is deleted or explodes makes room for another', async () => {
    const client = limitedTo({ bodies: 1 })
    const { id } = await createPlanet(client, account, SMALL)
    expect((await client.sendJson('DELETE', `/planets/${id}`, '', account)).status).toBe(204)
    const next = await createPlanet(client, account, SMALL)
    expect((await post(client, {}, `/planets/${next.id}/explode`)).status).toBe(200)
    await createPlanet(client, account, SMALL)
    await expectExact()
  })

  it('of many requests at the same moment none exceeds the limit', async () => {
    const client = limitedTo({ bodies: 5 })
    const responses = await Promise.all(Array.from({ length: 20 }, () => post(client, SMALL)))
    const statuses = responses.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([...Array(5).fill(201), ...Array(15).fill(403)])
    await expectExact()
  })

  it('what another account stores does not count', async () => {
    const client = limitedTo({ bodies: 1 })
    await createPlanet(client, await createAccount(open), SMALL)
    await createPlanet(client, account, SMALL)
  })
})

describe('bytes of planets and celestial bodies', () => {
  it('are counted exactly', async () => {
    const client = limitedTo({ bodyBytes: 2 * SMALL_BYTES })
    const { id } = await createPlanet(client, account, SMALL)
    const limit = { name: 'celestialBodyBytes', used: SMALL_BYTES, allowed: 2 * SMALL_BYTES }
    expect(await expectFull(await post(client, { name: 'xy' }))).toEqual(limit)
    expect(await expectFull(await post(client, { name: 'é' }))).toEqual(limit)
    expect((await put(client, id, { name: 'x'.repeat(SMALL_BYTES + 1) })).status).toBe(200)
    expect((await usageOf(account.id))?.bodyBytes).toBe(2 * SMALL_BYTES)
    expect((await expectFull(await put(client, id, { name: 'x'.repeat(SMALL_BYTES + 2) }))).used).toBe(2 * SMALL_BYTES)
    expect((await put(client, id, SMALL)).status).toBe(200)
    await createPlanet(client, account, SMALL)
    await expectExact()
  })

  it('of satellites count with those of their planet or star', async () => {
    const satellites = [{ name: 'm' }]
    const limits = { bodyBytes: 2 * SMALL_BYTES }
    const { id } = await createPlanet(limitedTo(limits), account, { ...SMALL, satellites })
    await expectFull(await put(limitedTo(limits), id, { ...SMALL, satellites: [{ name: 'me' }] }))
    await expectFull(await postBody(limitedTo(limits), { name: 'n', type: 'moon', orbit: { planet: { id } } }))
    expect((await put(limitedTo(limits), id, { name: 'xy', satellites: [] })).status).toBe(200)
    await expectFull(await postBody(limitedTo(limits), { name: 'n', type: 'star', satellites }))
    await expectExact()
  })

  it('members of celestial bodies alone count too, also after a PUT of the planet', async () => {
    const { id } = await createPlanet(open, account, SMALL)
    const moon = {
      name: 'm',
      type: 'moon',
      orbit: { planet: { id } },
      tags: ['t'.repeat(50)],
      satellites: [{ name: 'n' }],
    }
    expect((await postBody(open, moon)).status).toBe(201)
    await expectExact()
    expect((await put(open, id, { ...SMALL, satellites: [{ name: 'm' }, { name: 'other' }] })).status).toBe(200)
    await expectExact()
    expect((await put(open, id, SMALL)).status).toBe(200)
    await expectExact()
    expect((await usageOf(account.id))?.bodyBytes).toBe(SMALL_BYTES)
  })

  it('an account over its limit can make a planet smaller, or keep its size', async () => {
    const { id } = await createPlanet(open, account, { name: 'larger' })
    const client = limitedTo({ bodies: 0, bodyBytes: 1 })
    expect((await put(client, id, { name: 'larges' })).status).toBe(200)
    expect((await put(client, id, { name: 'large' })).status).toBe(200)
    await expectFull(await put(client, id, { name: 'larger' }))
    await expectExact()
  })

  it('of many that grow at the same moment none exceeds the limit', async () => {
    const ids: number[] = []
    for (let index = 0; index < 6; index++) ids.push((await createPlanet(open, account, SMALL)).id)
    const client = limitedTo({ bodyBytes: 6 * SMALL_BYTES + 30 })
    const responses = await Promise.all(ids.map((id) => put(client, id, { name: 'x'.repeat(11) })))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(responses.filter(({ status }) => status === 403)).toHaveLength(3)
    await expectExact()
  })
})

describe('images', () => {
  const upload = (client: Client, id: number, size?: number) =>
    client.upload(`/planets/${id}/image`, makePicture('image/png', size), account)

  it('are shown up to the limit; a planet that has one can get another', async () => {
    const client = limitedTo({ images: 1 })
    const { id } = await createPlanet(client, account, SMALL)
    const other = await createPlanet(client, account, SMALL)
    expect((await upload(client, id)).status).toBe(200)
    expect((await upload(client, id)).status).toBe(200)
    expect(await expectFull(await upload(client, other.id))).toEqual({ name: 'images', used: 1, allowed: 1 })
    await expectExact()
    expect((await put(client, id, { ...SMALL, image: null })).status).toBe(200)
    await expectExact()
    expect((await upload(client, other.id)).status).toBe(200)
    expect((await client.sendJson('DELETE', `/planets/${other.id}`, '', account)).status).toBe(204)
    expect(await usageOf(account.id)).toMatchObject({ images: 0, imageBytes: 0 })
  })

  it('their bytes are counted exactly; a new image is charged for the difference', async () => {
    const client = limitedTo({ imageBytes: 200 })
    const { id } = await createPlanet(client, account, SMALL)
    expect((await upload(client, id, 100)).status).toBe(200)
    expect((await upload(client, id, 200)).status).toBe(200)
    expect(await expectFull(await upload(client, id, 201))).toEqual({ name: 'imageBytes', used: 200, allowed: 200 })
    expect((await upload(client, id, 150)).status).toBe(200)
    const other = await createPlanet(client, account, SMALL)
    await expectFull(await upload(client, other.id, 51))
    expect((await upload(client, other.id, 50)).status).toBe(200)
    await expectExact()
  })

  it('a rejected image leaves nothing in the bucket', async () => {
    const { id } = await createPlanet(open, account, SMALL)
    const count = async () => (await open.services.bucket.list()).objects.length
    const before = await count()
    await expectFull(await upload(limitedTo({ imageBytes: 99 }), id, 100))
    expect(await count()).toBe(before)
    expect((await bodyOf(await open.get(`/planets/${id}`))).image).toBeUndefined()
  })

  it('of many at the same moment none exceeds the limit', async () => {
    const ids: number[] = []
    for (let index = 0; index < 6; index++) ids.push((await createPlanet(open, account, SMALL)).id)
    const client = limitedTo({ images: 2 })
    const count = async () => (await open.services.bucket.list()).objects.length
    const before = await count()
    const responses = await Promise.all(ids.map((id) => upload(client, id)))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(await count()).toBe(before + 2)
    await expectExact()
  })
})

describe('deliveries', () => {
  const told = { ...SMALL, successCallbackUrl: RECEIVER }

  it('a planet is not stored if there is no room for its callback', async () => {
    const client = limitedTo({ deliveries: 1 })
    await createPlanet(client, account, told)
    expect(await expectFull(await post(client, told))).toEqual({ name: 'deliveries', used: 1, allowed: 1 })
    expect((await usageOf(account.id))?.bodies).toBe(1)
    await createPlanet(client, account, SMALL)
    await expectExact()
  })

  it('a planet does not explode if there is no room for its callback', async () => {
    const { id } = await createPlanet(open, account, told)
    const explode = (client: Client) => post(client, {}, `/planets/${id}/explode`)
    await expectFull(await explode(limitedTo({ deliveries: 1 })))
    expect((await open.get(`/planets/${id}`)).status).toBe(200)
    expect((await explode(limitedTo({ deliveries: 2 }))).status).toBe(200)
    await expectExact()
    expect((await usageOf(account.id))?.deliveries).toBe(2)
  })

  it('an invalid planet is 400, with or without room for its callback', async () => {
    const refused = { name: '', failureCallbackUrl: RECEIVER }
    expect((await post(limitedTo({ deliveries: 1 }), refused)).status).toBe(400)
    expect((await usageOf(account.id))?.deliveries).toBe(1)
    expect((await post(limitedTo({ deliveries: 1 }), refused)).status).toBe(400)
    await expectExact()
    expect((await usageOf(account.id))?.deliveries).toBe(1)
  })

  it('a ping is rejected', async () => {
    const { id } = await bodyOf(await post(open, { url: RECEIVER, events: ['newPlanet'] }, '/webhooks'))
    const ping = (client: Client) => post(client, {}, `/webhooks/${id}/ping`)
    expect((await ping(limitedTo({ deliveries: 1 }))).status).toBe(202)
    await expectFull(await ping(limitedTo({ deliveries: 1 })))
    await expectExact()
  })

  it('of many at the same moment none exceeds the limit', async () => {
    const client = limitedTo({ deliveries: 4 })
    const responses = await Promise.all(Array.from({ length: 12 }, () => post(client, told)))
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(4)
    await expectExact()
  })
})

it('usage is counted even without limits', async () => {
  const { id } = await createPlanet(open, account, { ...SMALL, successCallbackUrl: RECEIVER })
  await createPlanet(open, account, {
    name: '"\u2028\\ 🪐 é',
    satellites: [{ name: '\t"é🪐' }],
    habitabilityIndex: 1e-7,
  })
  await open.upload(`/planets/${id}/image`, makePicture(), account)
  await postBody(open, { name: '"', type: 'star', satellites: [{ name: 'é', orbit: { distance: 1e21 } }] })
  await expectExact()
  expect(
    await rowOf(
      'select min(bodies_used, body_bytes_used, images_used, image_bytes_used, deliveries_used) > 0 as used from users where id = ?',
      account.id,
    ),
  ).toEqual({ used: 1 })
})

it('the problem is the same in XML', async () => {
  const response = await limitedTo({ bodies: 0 }).send('/planets', {
    method: 'POST',
    body: '<planet><name>x</name></planet>',
    headers: { 'Content-Type': 'application/xml', Accept: 'application/xml', Authorization: `Bearer ${account.token}` },
  })
  expect(response.status).toBe(403)
  expect(await response.text()).toContain(
    '<limit><name>celestialBodies</name><used>0</used><allowed>0</allowed></limit>',
  )
})
