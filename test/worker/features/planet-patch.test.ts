import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
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
import { eachRow } from '../../support/each-row.ts'
import { makePicture } from '../../support/pictures.ts'
import { plainJsonPatch, plainMergePatch } from '../../support/plain-patches.ts'

const MERGE = 'application/merge-patch+json'
const JSON_PATCH = 'application/json-patch+json'
const OPERATIONS_MAX = 1000
const BODY_MAX_BYTES = 256 * 1024

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client, 'Grace')
})

const FULL = {
  name: 'Arrakis',
  description: 'Dune',
  type: 'terrestrial',
  habitabilityIndex: 0.4,
  physicalProperties: { mass: 0.9, gravity: 0.9, temperature: { min: 270, max: 340 }, albedo: 0.3 },
  atmosphere: [{ compound: 'N2', percentage: 75.4 }, { compound: 'O2' }],
  image: 'https://example.com/arrakis.jpg',
  satellites: [{ name: 'Krelln' }, { name: 'Arvon', orbit: { distance: 324_077 } }],
  tags: ['desert', 'spice'],
}

const create = async (planet: object = FULL): Promise<Shown> => await createPlanet(client, account, planet)
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
type Shown = any
const read = async (id: number): Promise<Shown> => await bodyOf(await client.get(`/planets/${id}`))

/** Sends a patch: a value, or a text that is sent unchanged. */
function send(
  id: number,
  mediaType: string,
  patch: unknown,
  headers: Readonly<Record<string, string>> = {},
  sender = account,
): Promise<Response> {
  return client.send(`/planets/${id}`, {
    method: 'PATCH',
    body: typeof patch === 'string' ? patch : JSON.stringify(patch),
    headers: { 'Content-Type': mediaType, ...authorization(sender), ...headers },
  })
}

const merge = (id: number, patch: unknown, headers?: Record<string, string>) => send(id, MERGE, patch, headers)
const operate = (id: number, patch: unknown, headers?: Record<string, string>) => send(id, JSON_PATCH, patch, headers)

/** Fails the test if a response is not this problem, or if the planet has changed. @returns The `errors` */
async function expectRefused(response: Response, before: Shown, status: number, code: string): Promise<unknown[]> {
  const problem = await bodyOf(response)
  expect([response.status, problem.type]).toEqual([status, `${ORIGIN}/problems/${code}`])
  expect(await read(before.id)).toEqual(before)
  return problem.errors
}

describe('a merge patch', () => {
  it('changes what it names, removes what is null, and keeps the rest', async () => {
    const before = await create()
    const patch = {
      description: 'A desert',
      habitabilityIndex: null,
      physicalProperties: { mass: null, temperature: { max: 350 }, density: 5 },
      tags: ['worms'],
    }
    const response = await merge(before.id, patch)
    expect(response.status).toBe(200)
    const { habitabilityIndex: _, ...kept } = before
    const after = await bodyOf(response)
    expect(after).toEqual({
      ...kept,
      description: 'A desert',
      physicalProperties: { gravity: 0.9, temperature: { min: 270, max: 350 }, albedo: 0.3, density: 5 },
      tags: ['worms'],
      lastUpdated: after.lastUpdated,
    })
    expect(await read(before.id)).toEqual(after)
  })

  it('without members changes nothing but the version', async () => {
    const before = await create()
    const { headers } = await client.get(`/planets/${before.id}`)
    const response = await merge(before.id, {})
    expect(response.status).toBe(200)
    expect(await bodyOf(response)).toEqual({ ...before, lastUpdated: expect.any(String) })
    expect((await client.get(`/planets/${before.id}`)).headers.get('ETag')).not.toBe(headers.get('ETag'))
  })

  it('removes what is not there without an error', async () => {
    const before = await create({ name: 'Bare' })
    expect((await merge(before.id, { description: null, tags: null, nothing: null })).status).toBe(200)
    expect(await read(before.id)).not.toHaveProperty('description')
  })

  it('makes the objects on the way', async () => {
    const { id } = await create({ name: 'Bare' })
    expect((await merge(id, { physicalProperties: { temperature: { min: 3 } } })).status).toBe(200)
    expect((await read(id)).physicalProperties).toEqual({ temperature: { min: 3 } })
  })

  it('that contains the whole planet as it was read changes nothing', async () => {
    const before = await create()
    expect((await merge(before.id, before)).status).toBe(200)
    expect(await read(before.id)).toEqual({ ...before, lastUpdated: expect.any(String) })
  })

  it.each([[null], [[]], ['"Arrakis"'], [1], [true]])('%j makes no planet: 422 at the whole result', async (patch) => {
    const before = await create()
    const errors = await expectRefused(await merge(before.id, patch), before, 422, 'unprocessable-content')
    expect(errors).toEqual([expect.objectContaining({ pointer: '' })])
  })
})

describe('a JSON Patch', () => {
  it('carries out each kind of operation, in their order', async () => {
    const before = await create()
    const patch = [
      { op: 'test', path: '/name', value: 'Arrakis' },
      { op: 'test', path: '/creator/name', value: 'Grace' },
      { op: 'replace', path: '/name', value: 'Rakis' },
      { op: 'move', from: '/tags/0', path: '/tags/1' },
      { op: 'add', path: '/tags/-', value: 'worms' },
      { op: 'copy', from: '/physicalProperties/temperature/min', path: '/physicalProperties/temperature/average' },
      { op: 'remove', path: '/atmosphere/1' },
      { op: 'remove', path: '/habitabilityIndex', because: 'unknown members are ignored' },
    ]
    const response = await operate(before.id, patch)
    expect(response.status).toBe(200)
    const after = await bodyOf(response)
    expect(after).toMatchObject({
      name: 'Rakis',
      description: 'Dune',
      tags: ['spice', 'desert', 'worms'],
      physicalProperties: { mass: 0.9, gravity: 0.9, temperature: { min: 270, max: 340, average: 270 }, albedo: 0.3 },
      atmosphere: [{ compound: 'N2', percentage: 75.4 }],
    })
    expect(after).not.toHaveProperty('habitabilityIndex')
    expect(after.satellites.map(({ id }: Shown) => id)).toEqual(before.satellites.map(({ id }: Shown) => id))
    expect(await read(before.id)).toEqual(after)
  })

  it('without operations changes nothing but the version', async () => {
    const before = await create()
    expect((await operate(before.id, [])).status).toBe(200)
    expect(await read(before.id)).toEqual({ ...before, lastUpdated: expect.any(String) })
  })

  it('can replace the whole planet', async () => {
    const { id } = await create()
    expect((await operate(id, [{ op: 'replace', path: '', value: { name: 'Bare' } }])).status).toBe(200)
    expect(Object.keys(await read(id)).sort()).toEqual(['creator', 'id', 'lastUpdated', 'name'])
  })

  it('can set null, which a merge patch cannot', async () => {
    const { id } = await create({ name: 'Bare' })
    expect((await operate(id, [{ op: 'add', path: '/description', value: null }])).status).toBe(200)
    expect(await read(id)).toHaveProperty('description', null)
    expect((await operate(id, [{ op: 'test', path: '/description', value: null }])).status).toBe(200)
    expect((await merge(id, { description: null })).status).toBe(200)
    expect(await read(id)).not.toHaveProperty('description')
  })

  it('ignores members that the kind of operation does not define, whatever they are', async () => {
    const { id } = await create({ name: 'Bare', habitabilityIndex: 0 })
    const patch = [
      ...[null, 'junk', 5, '/name'].map((from) => ({ op: 'replace', path: '/name', value: 'Full', from })),
      { op: 'test', path: '/name', value: 'Full', from: 'junk', other: 1 },
      { op: 'copy', from: '/name', path: '/description', value: 'ignored' },
      { op: 'remove', path: '/description', value: 1, from: {} },
    ]
    expect((await operate(id, patch)).status).toBe(200)
    expect((await read(id)).name).toBe('Full')
  })

  it('tests numbers by their value: -0 is 0, and 1e-400 is not', async () => {
    const { id } = await create({ name: 'Bare', habitabilityIndex: 0 })
    const statusOf = async (op: string, number: string) =>
      (await operate(id, [{ op, path: '/habitabilityIndex', value: JSON.rawJSON(number) }])).status
    for (const number of ['0', '-0', '-0.0', '0e5', '-0e-7']) expect(await statusOf('test', number), number).toBe(200)
    for (const number of ['1e-400', '-1e-400', '1e400', '0.1']) expect(await statusOf('test', number), number).toBe(409)
    expect(await statusOf('replace', '-0')).toBe(422)
  })

  it('tests null where nothing is: 409', async () => {
    const before = await create({ name: 'Bare' })
    const response = await operate(before.id, [{ op: 'test', path: '/description', value: null }])
    const errors = await expectRefused(response, before, 409, 'patch-conflict')
    expect(errors).toEqual([{ pointer: '/description', detail: 'does not exist' }])
  })

  it('with a failure in the middle is 409, and stores nothing', () =>
    eachRow<[string, object, string]>(
      [
        ['a failed test', { op: 'test', path: '/name', value: 'Caladan' }, '/name'],
        ['a missing member', { op: 'remove', path: '/discoveredAt' }, '/discoveredAt'],
        ['a missing item', { op: 'replace', path: '/tags/3', value: 'x' }, '/tags/3'],
        ['a place behind the end', { op: 'add', path: '/tags/9', value: 'x' }, '/tags/9'],
        ['a missing object on the way', { op: 'add', path: '/no/such/place', value: 1 }, '/no'],
        ['a missing source', { op: 'copy', from: '/nothing', path: '/description' }, '/nothing'],
        ['what only the prototype has', { op: 'copy', from: '/constructor', path: '/description' }, '/constructor'],
      ],
      async ([, operation, pointer]) => {
        const before = await create()
        const first = { op: 'replace', path: '/tags', value: ['first', 'second', 'third'] }
        const last = { op: 'replace', path: '/description', value: 'last' }
        const response = await operate(before.id, [first, operation, last])
        const { detail } = await bodyOf(response.clone())
        expect(detail).toBe('The operation at /1 of the patch does not fit the current state. Nothing was stored.')
        const errors = await expectRefused(response, before, 409, 'patch-conflict')
        expect(errors).toEqual([expect.objectContaining({ pointer })])
      },
    ))

  it('that is malformed is 400', () =>
    eachRow<[string, unknown, string]>(
      [
        ['no list', { op: 'remove', path: '/name' }, ''],
        ['an operation that is no object', ['remove'], '/0'],
        ['an unknown operation', [{ op: 'delete', path: '/name' }], '/0/op'],
        ['an operation in capitals', [{ op: 'REMOVE', path: '/name' }], '/0/op'],
        ['no operation', [{ path: '/name' }], '/0/op'],
        ['no path', [{ op: 'remove' }], '/0/path'],
        ['a path that is no text', [{ op: 'remove', path: ['name'] }], '/0/path'],
        ['a path without a slash', [{ op: 'remove', path: 'name' }], '/0/path'],
        ['a path as a fragment', [{ op: 'remove', path: '#/name' }], '/0/path'],
        ['a path with a broken escape', [{ op: 'remove', path: '/na~2me' }], '/0/path'],
        ['no value to add', [{ op: 'add', path: '/description' }], '/0/value'],
        ['no value to replace', [{ op: 'replace', path: '/description' }], '/0/value'],
        ['no value to test', [{ op: 'test', path: '/description' }], '/0/value'],
        ['nothing to move', [{ op: 'move', path: '/description' }], '/0/from'],
        ['nothing to copy', [{ op: 'copy', path: '/description' }], '/0/from'],
        ['a source of the wrong type', [{ op: 'move', from: 5, path: '/description' }], '/0/from'],
        ['a source that is no pointer', [{ op: 'copy', from: 'name', path: '/description' }], '/0/from'],
        ['a move into itself', [{ op: 'move', from: '/tags', path: '/tags/0' }], '/0/path'],
        [
          'a fault behind a failed test',
          [
            { op: 'test', path: '/name', value: 1 },
            { op: 'x', path: '' },
          ],
          '/1/op',
        ],
      ],
      async ([, patch, pointer]) => {
        const before = await create()
        const errors = await expectRefused(await operate(before.id, patch), before, 400, 'invalid-body')
        expect(errors).toEqual([expect.objectContaining({ pointer })])
      },
    ))

  it(`can have ${OPERATIONS_MAX} operations, and not one more`, async () => {
    const before = await create()
    const patch = Array.from({ length: OPERATIONS_MAX }, (_, i) => ({
      op: 'replace',
      path: '/description',
      value: `${i}`,
    }))
    expect((await operate(before.id, patch)).status).toBe(200)
    const after = await read(before.id)
    expect(after.description).toBe(String(OPERATIONS_MAX - 1))
    const errors = await expectRefused(await operate(before.id, [...patch, patch[0]]), after, 400, 'malformed-body')
    expect(errors).toEqual([{ pointer: '', detail: 'must have at most 1000 members' }])
  })

  it('that copies until the planet is too large is 413, and takes no memory for it', async () => {
    const before = await create()
    const nest = Array<object>(OPERATIONS_MAX - 1).fill({ op: 'copy', from: '/tags', path: '/tags/-' })
    const double = [{ op: 'add', path: '/tags', value: ['x'.repeat(1000)] }, ...nest]
    expect(await expectRefused(await operate(before.id, double), before, 413, 'content-too-large')).toBeUndefined()
    const value = 'x'.repeat(BODY_MAX_BYTES - 2000)
    const beside = [
      { op: 'add', path: '/big', value },
      { op: 'copy', from: '/big', path: '/bigger' },
      { op: 'remove', path: '/bigger' },
      { op: 'remove', path: '/big' },
    ]
    expect((await operate(before.id, beside.toSpliced(1, 2))).status).toBe(200)
    const after = await read(before.id)
    await expectRefused(await operate(before.id, beside), after, 413, 'content-too-large')
  })

  it('that copies and removes large values again and again is 413', async () => {
    const before = await create()
    // All values together may have 16 times the size of a body. A value of 100,000 bytes is added, copied and removed.
    const again = [
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'remove', path: '/b' },
    ]
    const around = (times: number) => [
      { op: 'add', path: '/a', value: 'x'.repeat(99_998) },
      ...Array<object[]>(times).fill(again).flat(),
      { op: 'remove', path: '/a' },
    ]
    // 2 + 2 * 19 values are less than 4 MiB, and 2 + 2 * 20 are more.
    expect((await operate(before.id, around(19))).status).toBe(200)
    const after = await read(before.id)
    await expectRefused(await operate(before.id, around(20)), after, 413, 'content-too-large')
  })

  it('that nests the planet too deeply is 422 where it does', async () => {
    const before = await create()
    const patch = Array.from({ length: 100 }, (_, i) => ({ op: 'add', path: '/a'.repeat(i + 1), value: {} }))
    const errors = await expectRefused(await operate(before.id, patch), before, 422, 'unprocessable-content')
    expect(errors).toEqual([{ pointer: '/a'.repeat(64), detail: 'would be nested more than 64 levels deep' }])
  })
})

describe('the result of a patch', () => {
  it('whose result is no planet is 422, by either kind of patch', () =>
    eachRow<[string, object, string]>(
      [
        ['no name', { name: null }, '/name'],
        ['an empty name', { name: '' }, '/name'],
        ['an unknown member', { diameter: 1 }, '/diameter'],
        ['an index out of range', { habitabilityIndex: 1.5 }, '/habitabilityIndex'],
        [
          'a text for a number',
          { physicalProperties: { temperature: { min: 'cold' } } },
          '/physicalProperties/temperature/min',
        ],
        ['null in a list', { tags: ['x', null] }, '/tags/1'],
        ['a callback URL that may not be called', { successCallbackUrl: 'http://127.0.0.1/' }, '/successCallbackUrl'],
        ['a satellite without a name', { satellites: [{ type: 'moon' }] }, '/satellites/0/name'],
        ['a name of every object', { physicalProperties: { constructor: 1 } }, '/physicalProperties/constructor'],
        ['a number that no double can hold', { habitabilityIndex: 'NUMBER' }, '/habitabilityIndex'],
      ],
      async ([, patch, pointer]) => {
        const before = await create()
        const text = JSON.stringify(patch).replace('"NUMBER"', '1e-400')
        const operations = Object.entries(JSON.parse(text.replace('1e-400', '1e400'))).map(([name, value]) =>
          value === null ? { op: 'remove', path: `/${name}` } : { op: 'add', path: `/${name}`, value },
        )
        const sent = JSON.stringify(operations).replace('"value":null', '"value":1e400')
        for (const response of [await merge(before.id, text), await operate(before.id, sent)]) {
          const errors = await expectRefused(response, before, 422, 'unprocessable-content')
          expect(errors).toEqual([expect.objectContaining({ pointer })])
        }
      },
    ))

  it('names every fault', async () => {
    const before = await create()
    const response = await merge(before.id, { name: null, tags: [''], nothing: 1 })
    const errors = await expectRefused(response, before, 422, 'unprocessable-content')
    expect(errors.map((fault) => Object(fault).pointer).sort()).toEqual(['/name', '/nothing', '/tags/0'])
  })

  it('whose result is no object is 422 at the whole result', () =>
    eachRow(
      [
        ['nothing', [{ op: 'remove', path: '' }]],
        ['null', [{ op: 'replace', path: '', value: null }]],
        ['a list', [{ op: 'move', from: '/tags', path: '' }]],
      ],
      async ([, patch]) => {
        const before = await create()
        const errors = await expectRefused(await operate(before.id, patch), before, 422, 'unprocessable-content')
        expect(errors).toEqual([expect.objectContaining({ pointer: '' })])
      },
    ))

  it('may only be invalid meanwhile', async () => {
    const { id } = await create()
    const patch = [
      { op: 'move', from: '/name', path: '/former' },
      { op: 'add', path: '/name', value: 'Rakis' },
      { op: 'remove', path: '/former' },
    ]
    expect((await operate(id, patch)).status).toBe(200)
    expect((await read(id)).name).toBe('Rakis')
  })

  it('cannot have a member __proto__', async () => {
    const before = await create()
    const operations = [{ op: 'add', path: '/physicalProperties/__proto__', value: 1 }]
    const errors = await expectRefused(await operate(before.id, operations), before, 422, 'unprocessable-content')
    expect(errors).toEqual([expect.objectContaining({ pointer: '/physicalProperties/__proto__' })])
    const text = '{"physicalProperties":{"__proto__":{"polluted":1}}}'
    await expectRefused(await merge(before.id, text), before, 400, 'malformed-body')
  })

  it('ignores what only the service sets, as PUT does', async () => {
    const before = await create()
    const patch = { id: 1, creator: null, lastUpdated: '2000-01-01T00:00:00Z', satellites: before.satellites }
    expect((await merge(before.id, patch)).status).toBe(200)
    const operations = [
      { op: 'remove', path: '/id' },
      { op: 'replace', path: '/creator', value: { name: 'Mallory' } },
      { op: 'replace', path: '/satellites/0/id', value: 1 },
      { op: 'remove', path: '/satellites/1/id' },
    ]
    expect((await operate(before.id, operations)).status).toBe(200)
    expect(await read(before.id)).toEqual({ ...before, lastUpdated: expect.any(String) })
  })

  it('keeps the id of a satellite whose name stays', async () => {
    const before = await create()
    const [krelln, arvon] = before.satellites
    const patch = [
      { op: 'add', path: '/satellites/0', value: { name: 'New' } },
      { op: 'replace', path: '/satellites/1/name', value: 'Renamed' },
    ]
    const { satellites } = await bodyOf(await operate(before.id, patch))
    expect(satellites.map(({ name }: Shown) => name)).toEqual(['New', 'Renamed', 'Arvon'])
    expect(satellites[2].id).toBe(arvon.id)
    expect(satellites.map(({ id }: Shown) => id)).not.toContain(krelln.id)
  })

  it('may have as many satellites as a planet can, and not one more', async () => {
    const { id } = await create({ name: 'Host', satellites: [] })
    const patch = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ op: 'add', path: '/satellites/-', value: { name: `M${i}` } }))
    expect((await operate(id, patch(100))).status).toBe(200)
    const full = await read(id)
    const errors = await expectRefused(await operate(id, patch(1)), full, 422, 'unprocessable-content')
    expect(errors).toEqual([{ pointer: '/satellites', detail: 'must have at most 100 items' }])
  })

  it('that is too large to be read and sent back is 413', async () => {
    const moons = (length: number) =>
      Array.from({ length: 26 }, (_, i) => ({ name: `M${i}`, description: 'x'.repeat(length) }))
    const { id } = await create({ name: 'Host', satellites: moons(9_000) })
    const full = await read(id)
    const patch = full.satellites.map((_: unknown, i: number) => ({
      op: 'replace',
      path: `/satellites/${i}/description`,
      value: 'x'.repeat(9_980),
    }))
    await expectRefused(await operate(id, patch), full, 413, 'content-too-large')
    expect((await operate(id, patch.slice(0, 5))).status).toBe(200)
  })
})

describe('an uploaded image', () => {
  const withUpload = async (planet: object = { name: 'Pictured' }) => {
    const { id } = await create(planet)
    const { imageUrl } = await bodyOf(await client.upload(`/planets/${id}/image`, makePicture(), account))
    return { id, imageUrl }
  }
  const isGone = async (imageUrl: string) => (await client.get(imageUrl)).status === 404

  it('stays if the patch leaves it', async () => {
    const { id, imageUrl } = await withUpload()
    for (const response of [
      await merge(id, { description: 'x' }),
      await merge(id, { image: imageUrl }),
      await operate(id, [{ op: 'test', path: '/image', value: imageUrl }]),
      await operate(id, [
        { op: 'move', from: '/image', path: '/x' },
        { op: 'move', from: '/x', path: '/image' },
      ]),
    ]) {
      expect(response.status).toBe(200)
      expect((await bodyOf(response)).image).toBe(imageUrl)
    }
    expect(await isGone(imageUrl)).toBe(false)
  })

  it.each<[string, string, unknown, unknown]>([
    ['a merge patch removes it', MERGE, { image: null }, undefined],
    ['an operation removes it', JSON_PATCH, [{ op: 'remove', path: '/image' }], undefined],
    ['an operation sets null', JSON_PATCH, [{ op: 'replace', path: '/image', value: null }], null],
    ['the whole planet is replaced', JSON_PATCH, [{ op: 'replace', path: '', value: { name: 'Bare' } }], undefined],
    ['another URL takes its place', MERGE, { image: 'https://example.com/a.png' }, 'https://example.com/a.png'],
  ])('goes if %s', async (_, mediaType, patch, image) => {
    const { id, imageUrl } = await withUpload()
    expect((await send(id, mediaType, patch)).status).toBe(200)
    expect((await read(id)).image).toEqual(image)
    expect(await isGone(imageUrl)).toBe(true)
  })

  it('stays if the patch is refused', async () => {
    const { id, imageUrl } = await withUpload()
    expect((await merge(id, { image: null, name: null })).status).toBe(422)
    expect((await read(id)).image).toBe(imageUrl)
    expect(await isGone(imageUrl)).toBe(false)
  })
})

describe('the media type', () => {
  it('of any other type is 415, with those that are possible', () =>
    eachRow(
      [
        'application/json',
        'application/xml',
        'text/json',
        'text/plain',
        'application/problem+json',
        'application/merge-patch',
        'application/json-patch',
        'application/json-patch+xml',
        'application/xml-patch+xml',
        'application/x-www-form-urlencoded',
        'application/vnd.galaxy.merge-patch+json',
        '*/*',
      ],
      async (mediaType) => {
        const before = await create()
        const response = await send(before.id, mediaType, { name: 'X' })
        expect(response.headers.get('Accept-Patch')).toBe(`${MERGE}, ${JSON_PATCH}`)
        expect((await bodyOf(response.clone())).detail).toContain(JSON_PATCH)
        await expectRefused(response, before, 415, 'unsupported-media-type')
      },
    ))

  it('must be there', async () => {
    const before = await create()
    const body = new TextEncoder().encode('{}')
    for (const content of [body, null]) {
      const init = { method: 'PATCH', body: content, headers: authorization(account) }
      const response = await client.send(`/planets/${before.id}`, init)
      expect(response.headers.get('Accept-Patch')).toBe(`${MERGE}, ${JSON_PATCH}`)
      await expectRefused(response, before, 415, 'unsupported-media-type')
    }
  })

  it('is a merge patch however its type is written', () =>
    eachRow(
      [`${MERGE}; charset=utf-8`, 'Application/Merge-Patch+JSON', `${MERGE};charset="UTF-8"`],
      async (mediaType) => {
        const { id } = await create()
        expect((await send(id, mediaType, { name: 'X' })).status).toBe(200)
      },
    ))

  it('has another coding: 415', async () => {
    const before = await create()
    const response = await merge(before.id, {}, { 'Content-Encoding': 'br' })
    expect(response.headers.get('Accept-Encoding')).toBe('gzip, deflate')
    await expectRefused(response, before, 415, 'unsupported-media-type')
  })

  it('fits, but the body is no JSON: 400', () =>
    eachRow(
      [
        ['nothing', ''],
        ['white space', ' '],
        ['half a document', '{"name":'],
        ['XML', '<planet/>'],
        ['two documents', '{}{}'],
        ['too many levels', '['.repeat(65) + ']'.repeat(65)],
        ['a lone surrogate', '{"name":"\\ud800"}'],
      ],
      async ([, body]) => {
        const before = await create()
        for (const mediaType of [MERGE, JSON_PATCH])
          await expectRefused(await send(before.id, mediaType, body), before, 400, 'malformed-body')
      },
    ))

  it('has a charset other than UTF-8, or bytes that are none: 400', async () => {
    const before = await create()
    await expectRefused(await send(before.id, `${MERGE}; charset=latin1`, {}), before, 400, 'malformed-body')
    const body = new Uint8Array([0x22, 0xff, 0x22])
    const headers = { 'Content-Type': MERGE, ...authorization(account) }
    const response = await client.send(`/planets/${before.id}`, { method: 'PATCH', body, headers })
    await expectRefused(response, before, 400, 'malformed-body')
  })
})

describe('who may patch', () => {
  const BAD = [
    [MERGE, '{'],
    [MERGE, '{"name":null}'],
    [JSON_PATCH, '{}'],
    [JSON_PATCH, '[{"op":"test","path":"/name","value":1}]'],
  ] as const

  it('only the creator: 403, whatever is wrong with the patch', () =>
    eachRow(BAD, async ([mediaType, patch]) => {
      const before = await create()
      const stranger = await createAccount(client)
      await expectRefused(await send(before.id, mediaType, patch, {}, stranger), before, 403, 'forbidden')
    }))

  it('only who has the version: 412, whatever is wrong with the patch', () =>
    eachRow(BAD, async ([mediaType, patch]) => {
      const before = await create()
      const headers = { 'If-Match': '"1-other"' }
      await expectRefused(await send(before.id, mediaType, patch, headers), before, 412, 'precondition-failed')
    }))

  it('nobody without a credential, and only planets that exist', async () => {
    const { id } = await create()
    const init = { method: 'PATCH', body: '{}', headers: { 'Content-Type': MERGE } }
    expect((await client.send(`/planets/${id}`, init)).status).toBe(401)
    expect((await merge(Number.MAX_SAFE_INTEGER, {})).status).toBe(404)
  })

  it('with the tag of JSON or of XML', async () => {
    const { id } = await create()
    for (const Accept of ['application/json', 'application/xml']) {
      const { headers } = await client.get(`/planets/${id}`, { Accept })
      const response = await merge(id, { description: Accept }, { 'If-Match': headers.get('ETag') ?? '' })
      expect(response.status).toBe(200)
    }
  })
})

it('the response can be XML, although the patch cannot', async () => {
  const { id } = await create()
  const response = await merge(id, { name: 'Rakis' }, { Accept: 'application/xml' })
  expect(response.headers.get('Content-Type')).toBe('application/xml')
  expect(await response.text()).toContain('<name>Rakis</name>')
})

it('a planet keeps what only /celestial-bodies shows', async () => {
  const body = { name: 'Host', type: 'terrestrial', diameter: 4, orbit: { distance: 5 } }
  const { id } = await bodyOf(await client.sendJson('POST', '/celestial-bodies', body, account))
  const row = () => env.DB.prepare('select extras from planets where id = ?').bind(id).first()
  const before = await row()
  expect((await merge(id, { description: 'x' })).status).toBe(200)
  expect(await row()).toEqual(before)
})

/** Names and values that are valid in a planet, or are not. */
const MEMBER = fc.constantFrom('name', 'description', 'habitabilityIndex', 'physicalProperties', 'tags', 'nothing')
const VALUE = fc.constantFrom<unknown>('x', '', 0.5, 2, null, ['a', 'b'], [], {}, { mass: 3 }, { mass: null, x: 1 })
const PLANET = fc.record(
  {
    name: fc.constantFrom('A', 'B'),
    description: fc.constantFrom('d', null),
    habitabilityIndex: fc.constantFrom(0, 0.5),
    tags: fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }),
    physicalProperties: fc.constantFrom({}, { mass: 1 }, { temperature: { min: 1 } }),
  },
  { requiredKeys: ['name'] },
)
const PATH = fc.constantFrom(
  '',
  '/name',
  '/description',
  '/tags',
  '/tags/0',
  '/tags/-',
  '/physicalProperties/mass',
  '/nothing',
)
const PATCH = fc.oneof(
  fc.dictionary(MEMBER, VALUE, { maxKeys: 3 }).map((patch) => ({ mediaType: MERGE, patch })),
  fc
    .array(
      fc
        .record({
          op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
          path: PATH,
          from: PATH,
          value: VALUE,
        })
        .filter(({ op, path, from }) => op !== 'move' || path === from || !`${path}/`.startsWith(`${from}/`)),
      { maxLength: 4 },
    )
    .map((patch) => ({ mediaType: JSON_PATCH, patch })),
)

it('random patches of random planets do what a PUT of the result of a plain implementation does', async () => {
  const rest = ({ id: _id, lastUpdated: _time, creator: _creator, ...own }: Shown) => own
  await fc.assert(
    fc.asyncProperty(PLANET, PATCH, async (planet, { mediaType, patch }) => {
      const [patched, put] = [await create(planet), await create(planet)]
      const response = await send(patched.id, mediaType, patch)
      const plain = Array.isArray(patch)
        ? plainJsonPatch(patched, patch, () => undefined)
        : { result: plainMergePatch(patched, patch) }
      if (!plain) {
        expect(response.status).toBe(409)
        expect(await read(patched.id)).toEqual(patched)
        return
      }
      const replaced = await client.sendJson('PUT', `/planets/${put.id}`, plain.result ?? null, account)
      expect(response.status).toBe(replaced.status === 400 ? 422 : replaced.status)
      expect(rest(await read(patched.id))).toEqual(rest(await read(put.id)))
    }),
    { numRuns: 100 },
  )
})
