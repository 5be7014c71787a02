import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { openD1 } from '../../../src/db/port.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  ORIGIN,
} from '../../support/app.ts'
import { makePicture } from '../../support/pictures.ts'
import { letRivalWriteFirst } from '../../support/rival-writers.ts'
import { countUsage, usageOf } from '../../support/usage.ts'

// What happens to a COPY if somebody else writes between its reads and its write, and if its write fails.

let client: Client
let account: Account
let other: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
  other = await createAccount(client)
})

type Headers = Readonly<Record<string, string>>

const make = (planet: object, by = account) => createPlanet(client, by, planet)
const copy = (of: Client, id: number, destination: string, headers: Headers = {}, by = account) =>
  of.send(`/planets/${id}`, {
    method: 'COPY',
    headers: { ...authorization(by), Destination: destination, ...headers },
  })
const read = async (id: number) => await bodyOf(await client.get(`/planets/${id}`))
const upload = async (id: number, size?: number) =>
  (await bodyOf(await client.upload(`/planets/${id}/image`, makePicture('image/png', size), account))).imageUrl
const listObjects = async () => (await env.IMAGES.list()).objects.map(({ key }) => key)

/** The first id that a new planet can have. */
async function nextId(): Promise<number> {
  const { id } = await make({ name: 'Any' })
  return (await bodyOf(await copy(client, id, '/planets/9000000'))).from
}

/** A client whose first write of a planet comes after the work of somebody else. */
function rivalled(work: () => Promise<unknown>) {
  const { database, attempts } = letRivalWriteFirst(openD1(env.DB), 'planets', async (attempt) => {
    if (attempt === 1) await work()
  })
  return { slow: createClient({ database }), attempts }
}

describe('a COPY to a new id', () => {
  it('is one of ten at the same moment: one creates the planet, the others replace it', async () => {
    const { id } = await make({ name: 'Source' })
    const destination = `/planets/${await nextId()}`
    const responses = await Promise.all(Array.from({ length: 10 }, () => copy(client, id, destination)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([...Array(9).fill(200), 201])
    expect(await usageOf(account.id)).toEqual(await countUsage(account.id))
  })

  it.each([
    ['replaces the planet that the same user has created meanwhile', {}, 'account', 200],
    ['is 412 with Overwrite: F if there is a planet meanwhile', { Overwrite: 'F' }, 'account', 412],
    ['is 403 if another user has created the planet meanwhile', {}, 'other', 403],
  ] as const)('%s', async (_, headers, who, status) => {
    const rival = who === 'account' ? account : other
    const source = await make({ name: 'Source' })
    const rivals = await make({ name: 'Rival' })
    const id = await nextId()
    const { slow } = rivalled(() => copy(client, rivals.id, `/planets/${id}`, {}, rival))
    expect((await copy(slow, source.id, `/planets/${id}`, headers)).status).toBe(status)
    expect(await read(id)).toMatchObject({ name: status === 200 ? 'Source' : 'Rival', creator: { id: rival.id } })
  })

  it('is 409 with the new range if a higher id was given meanwhile', async () => {
    const source = await make({ name: 'Source' })
    const id = await nextId()
    const { slow, attempts } = rivalled(() => copy(client, source.id, `/planets/${id + 5}`))
    const response = await copy(slow, source.id, `/planets/${id}`)
    const { type, from } = await bodyOf(response)
    expect([response.status, type]).toEqual([409, `${ORIGIN}/problems/destination-unavailable`])
    expect(from).toBeGreaterThan(id + 5)
    expect(attempts()).toBe(1)
    expect((await client.get(`/planets/${id}`)).status).toBe(404)
  })
})

describe('a COPY that passes over ids', () => {
  it('is 409 with the new range if the user has passed over all of the day meanwhile', async () => {
    const source = await make({ name: 'Source' })
    const id = await nextId()
    const { slow, attempts } = rivalled(() =>
      env.DB.prepare('insert or replace into rate_limits values (?, 10000, ?)')
        .bind(`lost-ids/user/${account.id}`, Date.now() + 60_000)
        .run(),
    )
    const response = await copy(slow, source.id, `/planets/${id + 5}`)
    await env.DB.prepare("delete from rate_limits where key like 'lost-ids/%'").run()
    expect([response.status, attempts()]).toEqual([409, 1])
    expect(await bodyOf(response)).toMatchObject({ from: id, to: id })
    expect((await client.get(`/planets/${id + 5}`)).status).toBe(404)
  })
})

describe.each([
  { name: 'a new planet', status: 201, destination: async () => '/planets' },
  { name: 'a chosen id', status: 201, destination: async () => `/planets/${await nextId()}` },
  { name: 'an own planet', status: 200, destination: async () => `/planets/${(await make({ name: 'Own' })).id}` },
])('a COPY to $name whose source', ({ status, destination }) => {
  it('changes meanwhile copies the new state', async () => {
    const { id } = await make({ name: 'Old' })
    const to = await destination()
    const { slow, attempts } = rivalled(() => client.sendJson('PUT', `/planets/${id}`, { name: 'New' }, account))
    const response = await copy(slow, id, to)
    expect([response.status, attempts(), (await bodyOf(response)).name]).toEqual([status, 2, 'New'])
  })

  it('changes meanwhile is 412 if the condition was about the old state', async () => {
    const { id } = await make({ name: 'Old' })
    const to = await destination()
    const tag = (await client.get(`/planets/${id}`)).headers.get('ETag') ?? ''
    const { slow, attempts } = rivalled(() => client.sendJson('PUT', `/planets/${id}`, { name: 'New' }, account))
    expect((await copy(slow, id, to, { 'If-Match': tag })).status).toBe(412)
    expect(attempts()).toBe(1)
  })

  it('is deleted meanwhile is 404', async () => {
    const { id } = await make({ name: 'Gone' })
    const to = await destination()
    const remove = () => client.send(`/planets/${id}`, { method: 'DELETE', headers: authorization(account) })
    expect((await copy(rivalled(remove).slow, id, to)).status).toBe(404)
  })

  it('gets another upload meanwhile has a copy of the new one, and nothing else is left', async () => {
    const { id } = await make({ name: 'Pictured' })
    await upload(id, 100)
    const to = await destination()
    const before = await listObjects()
    const response = await copy(rivalled(() => upload(id, 200)).slow, id, to)
    expect(response.status).toBe(status)
    const image = await client.get((await bodyOf(response)).image)
    expect((await image.arrayBuffer()).byteLength).toBe(200)
    // The upload of the source has replaced its own.
    expect(await listObjects()).toHaveLength(before.length + 1)
    expect(await usageOf(account.id)).toEqual(await countUsage(account.id))
  })
})

describe('a COPY onto an own planet', () => {
  it('that changes meanwhile replaces the new state, also if there is a condition about the source', async () => {
    const source = await make({ name: 'Source' })
    const tag = (await client.get(`/planets/${source.id}`)).headers.get('ETag') ?? ''
    const own = await make({ name: 'Own' })
    const change = () =>
      client.sendJson('PUT', `/planets/${own.id}`, { name: 'Changed', satellites: [{ name: 'Moon' }] }, account)
    const { slow, attempts } = rivalled(change)
    expect((await copy(slow, source.id, `/planets/${own.id}`, { 'If-Match': tag })).status).toBe(200)
    expect(attempts()).toBe(2)
    expect(await read(own.id)).toMatchObject({ name: 'Source' })
    expect(await read(own.id)).not.toHaveProperty('satellites')
  })

  it('that gets an upload meanwhile removes it', async () => {
    const source = await make({ name: 'Source' })
    const own = await make({ name: 'Own' })
    let url = ''
    const { slow } = rivalled(async () => {
      url = await upload(own.id)
    })
    expect((await copy(slow, source.id, `/planets/${own.id}`)).status).toBe(200)
    expect((await client.get(url)).status).toBe(404)
    expect(await read(own.id)).not.toHaveProperty('image')
  })

  it('that is deleted meanwhile is 409, because its id is never given again', async () => {
    const source = await make({ name: 'Source' })
    const own = await make({ name: 'Own' })
    const remove = () => client.send(`/planets/${own.id}`, { method: 'DELETE', headers: authorization(account) })
    expect((await copy(rivalled(remove).slow, source.id, `/planets/${own.id}`)).status).toBe(409)
  })
})

describe('a COPY of an upload', () => {
  const pictured = async () => {
    const { id } = await make({ name: 'Pictured' })
    await upload(id)
    return id
  }

  it('stores it once, although the planet is written twice', async () => {
    const id = await pictured()
    const before = await listObjects()
    const { database, attempts } = letRivalWriteFirst(
      openD1(env.DB),
      /^insert into "(?:images|planets)"/i,
      async (attempt) => {
        if (attempt === 2) await client.sendJson('PUT', `/planets/${id}`, { name: 'New' }, account)
      },
    )
    const response = await copy(createClient({ database }), id, '/planets')
    expect([response.status, (await bodyOf(response)).name]).toEqual([201, 'New'])
    // A write of the image, and two of the planet.
    expect(attempts()).toBe(3)
    expect(await listObjects()).toHaveLength(before.length + 1)
  })

  it('by a user who is suspended before the planet is written leaves no object', async () => {
    const id = await pictured()
    const suspended = await createAccount(client)
    const before = await listObjects()
    let during: string[] = []
    const { slow } = rivalled(async () => {
      during = await listObjects()
      await env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(suspended.id).run()
    })
    expect((await copy(slow, id, '/planets', {}, suspended)).status).toBe(403)
    expect(during).toHaveLength(before.length + 1)
    expect(await listObjects()).toEqual(before)
  })

  it('keeps its object if the connection is lost while the planet is written, because the planet may show it', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const id = await pictured()
    const before = await listObjects()
    const lose = () => Promise.reject(new Error('D1_ERROR: Network connection lost.'))
    const { status } = await copy(rivalled(lose).slow, id, '/planets')
    log.mockRestore()
    expect(status).toBe(503)
    expect(await listObjects()).toHaveLength(before.length + 1)
  })

  it('whose object is lost copies the planet without it', async () => {
    const id = await pictured()
    const { imageKey } = Object(
      await env.DB.prepare('select image_key as imageKey from planets where id = ?').bind(id).first(),
    )
    const found = (await listObjects()).find((key) => key.endsWith(imageKey)) ?? ''
    await env.IMAGES.delete(found)
    const response = await copy(client, id, '/planets')
    expect(response.status).toBe(201)
    expect(await bodyOf(response)).not.toHaveProperty('image')
  })
})
