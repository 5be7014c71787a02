import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { openD1 } from '../../../src/db/port.ts'
import { ENTITY_MAX_BYTES, HEADROOM_BYTES } from '../../../src/domain/limits.ts'
import { type Account, authorization, bodyOf, type Client, createAccount, createClient } from '../../support/app.ts'
import { makePicture } from '../../support/pictures.ts'
import { letRivalWriteFirst } from '../../support/rival-writers.ts'

// A stored planet can always be sent back as it was read, in either format, however it came to its current state.

const TYPES = ['application/json', 'application/xml'] as const

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

const post = (path: string, body: object) => client.sendJson('POST', path, body, account)

/** A planet as its text in a format. */
async function textOf(id: number, type: string): Promise<string> {
  return await (await client.get(`/planets/${id}`, { Accept: type })).text()
}

const bytesOf = (text: string) => new TextEncoder().encode(text).byteLength

/** Sends a planet back as it was read, in each format. */
async function expectSentBack(id: number): Promise<void> {
  for (const type of TYPES) {
    const text = await textOf(id, type)
    expect(bytesOf(text)).toBeLessThanOrEqual(ENTITY_MAX_BYTES)
    const headers = { ...authorization(account), 'Content-Type': type }
    const response = await client.send(`/planets/${id}`, { method: 'PUT', body: text, headers })
    expect([type, response.status]).toEqual([type, 200])
  }
}

const moons = (count: number, members: object) =>
  Array.from({ length: count }, (_, i) => ({ name: `M${i}`, ...members }))
const text = (character: string, length: number) => character.repeat(length)

/**
 * How much shorter the ids of 100 satellites, each with a reference to its planet, can be here than the longest ids.
 */
const IDS_BYTES = 3_000

/** Planets of a given size, by the part that is large. */
const SHAPES: Record<string, (size: number) => object> = {
  'descriptions of satellites': (size) => ({
    name: 'Moons',
    satellites: [...moons(25, { description: text('x', 10_000) }), { name: 'Last', description: text('x', size) }],
  }),
  'satellites with orbits around a planet with a long name': (size) => ({
    name: text('&', 200),
    description: text('x', size),
    satellites: moons(100, { description: text('x', 1_350), orbit: { distance: 1 } }),
  }),
  'names of measurements, which grow in XML': (size) => ({
    name: 'Wide',
    description: text('x', size),
    physicalProperties: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`m${i}${text(' ', 178)}`, 1])),
  }),
}

describe.each(Object.entries(SHAPES))('a planet with large %s', (_, shape) => {
  it.each(['POST', 'PUT'])(
    'is accepted by %s up to the size at which it can be sent back, and no further',
    async (method) => {
      const { id } = await bodyOf(await post('/planets', { name: 'Small' }))
      const send = async (size: number) =>
        method === 'POST'
          ? await post('/planets', shape(size))
          : await client.sendJson('PUT', `/planets/${id}`, shape(size), account)
      // Finds the greatest accepted size by bisection.
      let [taken, refused] = [0, 10_001]
      let largest = id
      while (refused - taken > 1) {
        const size = Math.floor((taken + refused) / 2)
        const response = await send(size)
        if (response.ok) largest = (await bodyOf(response)).id
        ;[taken, refused] = response.ok ? [size, refused] : [taken, size]
      }
      expect([taken > 0, refused <= 10_000]).toEqual([true, true])
      const response = await send(refused)
      expect(response.status).toBe(413)
      expect((await bodyOf(response)).detail).toMatch(/send it back/)
      expect((await send(taken)).ok).toBe(true)
      const sizes = await Promise.all(TYPES.map(async (type) => bytesOf(await textOf(largest, type))))
      // No more room than necessary is left free.
      expect(Math.max(...sizes)).toBeGreaterThan(ENTITY_MAX_BYTES - HEADROOM_BYTES - IDS_BYTES)
      await expectSentBack(largest)
      await client.upload(`/planets/${largest}/image`, makePicture(), account)
      const longest = text('&', 200)
      await env.DB.prepare('update users set name = ? where id = ?').bind(longest, account.id).run()
      await expectSentBack(largest)
      await env.DB.prepare("update users set name = 'Ada' where id = ?").bind(account.id).run()
    },
  )
})

describe('satellites that are created at the same moment', () => {
  const moonOf = (id: number, members: object = {}) => ({
    name: 'M',
    type: 'moon',
    orbit: { planet: { id } },
    ...members,
  })
  const LARGE = { description: text('&', 10_000) }
  /** Has room for a satellite that is large in XML, but not for two. */
  const NEARLY_FULL = { name: 'Nearly full', satellites: moons(4, LARGE) }

  it('twenty large ones never make a planet that cannot be sent back', async () => {
    const { id } = await bodyOf(await post('/planets', NEARLY_FULL))
    const responses = await Promise.all(Array.from({ length: 20 }, () => post('/celestial-bodies', moonOf(id, LARGE))))
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.every((status) => [201, 409, 413].includes(status))).toBe(true)
    expect((await bodyOf(await client.get(`/planets/${id}`))).satellites).toHaveLength(5)
    await expectSentBack(id)
  })

  it('one is 413 if another takes the room first', async () => {
    const { id } = await bodyOf(await post('/planets', NEARLY_FULL))
    const { database, attempts } = letRivalWriteFirst(openD1(env.DB), 'bodies', async () => {
      expect((await post('/celestial-bodies', moonOf(id, LARGE))).status).toBe(201)
    })
    const late = createClient({ database })
    expect((await late.sendJson('POST', '/celestial-bodies', moonOf(id, LARGE), account)).status).toBe(413)
    expect(attempts()).toBe(1)
    await expectSentBack(id)
  })

  it('one is 413 if its planet becomes larger in between', async () => {
    const { id } = await bodyOf(await post('/planets', { name: 'Still small' }))
    const { database } = letRivalWriteFirst(openD1(env.DB), 'bodies', async () => {
      const large = { name: 'Full', satellites: moons(5, LARGE) }
      expect((await client.sendJson('PUT', `/planets/${id}`, large, account)).status).toBe(200)
    })
    const late = createClient({ database })
    expect((await late.sendJson('POST', '/celestial-bodies', moonOf(id, LARGE), account)).status).toBe(413)
    await expectSentBack(id)
  })

  it('thirty small ones are all stored', async () => {
    const { id } = await bodyOf(await post('/planets', { name: 'Busy', description: text('x', 1_000) }))
    const responses = await Promise.all(Array.from({ length: 30 }, () => post('/celestial-bodies', moonOf(id))))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]))
    expect((await bodyOf(await client.get(`/planets/${id}`))).satellites).toHaveLength(30)
  })
})

describe('a satellite or a star', () => {
  it('can be sent again as it was read, at the largest accepted size', async () => {
    const star = (size: number) => ({
      name: 'Large',
      type: 'star',
      description: text('x', size),
      satellites: moons(100, { description: text('x', 2_400), orbit: {} }),
    })
    let [taken, refused] = [0, 10_001]
    while (refused - taken > 1) {
      const size = Math.floor((taken + refused) / 2)
      const { ok } = await post('/celestial-bodies', star(size))
      ;[taken, refused] = ok ? [size, refused] : [taken, size]
    }
    expect([taken > 0, refused <= 10_000]).toEqual([true, true])
    const response = await post('/celestial-bodies', star(taken))
    expect((await post('/celestial-bodies', await bodyOf(response))).status).toBe(201)
    expect((await post('/celestial-bodies', star(refused))).status).toBe(413)
  })
})
