import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { usualStatusOf } from '../../../src/http/pipeline/route-facts.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  ORIGIN,
  ROUTES,
} from '../../support/app.ts'
import { makeGoodRequest, sendGood } from '../../support/good-requests.ts'
import { formsOfDate } from '../../support/http-dates.ts'
import { makePicture } from '../../support/pictures.ts'
import { EMPTY_VALUES } from '../../support/world.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let client: Client
let account: Account
let id: number
let etag: string
let modified: string

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

beforeEach(async () => {
  const response = await client.sendJson('POST', '/planets', { name: 'First', satellites: [{ name: 'Moon' }] }, account)
  id = (await bodyOf(response)).id
  etag = response.headers.get('ETag') ?? ''
  modified = response.headers.get('Last-Modified') ?? ''
})

const read = (headers: Record<string, string> = {}) => client.get(`/planets/${id}`, headers)
const shift = (date: string, ms: number) => new Date(Date.parse(date) + ms).toUTCString()

/** Every write to a planet. A new one joins as soon as it names the problem. */
const WRITES = ROUTES.filter(
  ({ method, path, problems }) =>
    method !== 'get' && path.startsWith('/planets/{planetId}') && problems?.includes('precondition-failed'),
).map((route) => ({
  name: `${route.method.toUpperCase()} ${route.path}`,
  success: usualStatusOf(route),
  isCopy: route.method === 'copy',
  async write(headers: Record<string, string>) {
    const request = await makeGoodRequest(client, route, account)
    return await sendGood(client, { ...request, path: route.path.replace('{planetId}', String(id)) }, headers)
  },
}))

describe('a planet', () => {
  it('keeps the validators of its creation until it changes', async () => {
    const { headers } = await read()
    expect(headers.get('ETag')).toBe(etag)
    expect(headers.get('Last-Modified')).toBe(modified)
    expect(etag).toMatch(/^"[^"]+"$/)
    await client.sendJson('PUT', `/planets/${id}`, { name: 'First' }, account)
    expect((await read()).headers.get('ETag')).not.toBe(etag)
    const withPicture = (await read()).headers.get('ETag')
    await client.upload(`/planets/${id}/image`, makePicture(), account)
    expect((await read()).headers.get('ETag')).not.toBe(withPicture)
  })

  it('is not sent again to a reader who has it, only its validators', async () => {
    for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const response = await read({ 'If-None-Match': tags })
      expect([response.status, await response.text()]).toEqual([304, ''])
      expect(response.headers.get('ETag')).toBe(etag)
      expect(response.headers.get('Content-Type')).toBeNull()
    }
    expect((await read({ 'If-Modified-Since': modified })).status).toBe(304)
  })

  it.each([
    ['another tag', () => ({ 'If-None-Match': '"other"' })],
    ['an invalid tag', () => ({ 'If-None-Match': 'other' })],
    ['an older date', () => ({ 'If-Modified-Since': shift(modified, -1000) })],
    ['an invalid date', () => ({ 'If-Modified-Since': 'yesterday' })],
    [
      'another tag, which counts, and its date, which then does not',
      () => ({ 'If-None-Match': '"other"', 'If-Modified-Since': modified }),
    ],
  ])('is sent to a reader who has %s', async (_, headers) => {
    expect((await read(headers())).status).toBe(200)
  })
})

describe.each(WRITES)('$name', ({ write, success, isCopy }) => {
  it.each([
    ['the tag that was read', () => ({ 'If-Match': etag })],
    ['one of several tags', () => ({ 'If-Match': `"x", ${etag}` })],
    ['any version', () => ({ 'If-Match': '*' })],
    ['the date that was read', () => ({ 'If-Unmodified-Since': modified })],
    ['a later date', () => ({ 'If-Unmodified-Since': shift(modified, DAY_MS) })],
    ['an invalid date', () => ({ 'If-Unmodified-Since': 'today' })],
    ['a year, which is not a date', () => ({ 'If-Unmodified-Since': '2000' })],
    ['If-None-Match with another tag', () => ({ 'If-None-Match': '"other"' })],
  ])('is done for %s', async (_, headers) => {
    expect((await write(headers())).status).toBe(success)
  })

  it.each<[string, () => Record<string, string>]>([
    ['another tag', () => ({ 'If-Match': '"999-json"' })],
    ['the tag marked as weak', () => ({ 'If-Match': `W/${etag}` })],
    ['an invalid tag', () => ({ 'If-Match': 'x' })],
    ...EMPTY_VALUES.map(
      (value) => ['nothing', () => ({ 'If-Match': value })] as [string, () => Record<string, string>],
    ),
    ['an older date', () => ({ 'If-Unmodified-Since': shift(modified, -DAY_MS) })],
    ['If-None-Match with *', () => ({ 'If-None-Match': '*' })],
    ['If-None-Match with the tag', () => ({ 'If-None-Match': `W/${etag}` })],
    ['a tag of no representation', () => ({ 'If-Match': etag.replace('json', 'nonsense') })],
    ['another tag, whatever the date', () => ({ 'If-Match': '"x"', 'If-Unmodified-Since': modified })],
  ])('is rejected with 412 for %s, and changes nothing', async (_, headers) => {
    const before = await bodyOf(await read())
    const response = await write(headers())
    expect(response.status).toBe(412)
    expect((await bodyOf(response)).type).toBe(`${ORIGIN}/problems/precondition-failed`)
    expect(await bodyOf(await read())).toEqual(before)
    expect((await read()).headers.get('ETag')).toBe(etag)
  })

  it('succeeds once if sent ten times at the same moment with the same tag, unless it leaves the planet as it is', async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => write({ 'If-Match': etag })))
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === success)).toHaveLength(isCopy ? 10 : 1)
    // If the planet is gone, later requests do not find it.
    const isGone = (await read()).status === 404
    expect(statuses.every((status) => [success, 412, ...(isGone ? [404] : [])].includes(status))).toBe(true)
  })
})

it('a reader who requires another version gets 412', async () => {
  expect((await read({ 'If-Match': '"999-json"' })).status).toBe(412)
  expect((await read({ 'If-Match': etag })).status).toBe(200)
  expect((await read({ 'If-Unmodified-Since': shift(modified, -DAY_MS) })).status).toBe(412)
})

it.each([
  ['RFC 850', 'Friday, 01-Jan-99 00:00:00 GMT'],
  ['asctime', 'Fri Jan  1 00:00:00 1999'],
])('a date in the old format of %s is accepted', async (_, date) => {
  expect((await read({ 'If-Unmodified-Since': date })).status).toBe(412)
})

it('each form of the own date is equal to it, and a second earlier is not', async () => {
  for (const [index, same] of formsOfDate(modified).entries()) {
    const before = formsOfDate(shift(modified, -1000))[index] ?? ''
    const found = await Promise.all([
      read({ 'If-Modified-Since': same }),
      read({ 'If-Modified-Since': before }),
      read({ 'If-Unmodified-Since': same }),
      read({ 'If-Unmodified-Since': before }),
    ])
    expect([same, found.map(({ status }) => status)]).toEqual([same, [304, 200, 200, 412]])
  }
})

it('two digits of a year are one that is at most 50 years in the future', async () => {
  const year = new Date().getUTCFullYear()
  const digitsOf = (fullYear: number) => String(fullYear % 100).padStart(2, '0')
  const since = (digits: string) => read({ 'If-Unmodified-Since': `Monday, 01-Jan-${digits} 00:00:00 GMT` })
  // In 50 years at the latest, so the planet has not changed since then.
  expect((await since(digitsOf(year + 50))).status).toBe(200)
  // More than 50 years would be in the future, so it is 49 years ago.
  expect((await since(digitsOf(year + 51))).status).toBe(412)
})

it('the time of a planet does not go back if an earlier writer finishes later', async () => {
  const late = new Date(Date.now() + 60_000)
  await createClient({ now: () => late }).sendJson('PUT', `/planets/${id}`, { name: 'Later' }, account)
  expect((await bodyOf(await client.sendJson('PUT', `/planets/${id}`, { name: 'Earlier' }, account))).name).toBe(
    'Earlier',
  )
  expect(await bodyOf(await read())).toMatchObject({ name: 'Earlier', lastUpdated: late.toISOString() })
  await client.upload(`/planets/${id}/image`, makePicture(), account)
  expect(await bodyOf(await read())).toMatchObject({ lastUpdated: late.toISOString() })
})

it('a planet keeps its satellites complete if one of two writers with the same tag loses', async () => {
  const names = (list: string[]) => JSON.stringify({ name: 'Raced', satellites: list.map((name) => ({ name })) })
  const headers = { 'Content-Type': 'application/json', 'If-Match': etag, ...authorization(account) }
  const bodies = [names(['a', 'b', 'c']), names(['x', 'y'])]
  const responses = await Promise.all(
    bodies.map((body) => client.send(`/planets/${id}`, { method: 'PUT', body, headers })),
  )
  const winner = responses.findIndex(({ status }) => status === 200)
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 412])
  const { satellites } = await bodyOf(await read())
  expect(satellites.map(({ name }: { name: string }) => name)).toEqual(winner === 0 ? ['a', 'b', 'c'] : ['x', 'y'])
})
