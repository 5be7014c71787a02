import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { isDateTime } from '../../../src/lib/time.ts'
import { type Account, authorization, bodyOf, type Client, createAccount, createClient } from '../../support/app.ts'
import { dateTimes } from '../../support/date-times.ts'

// The expiry of a key must be a time that clocks can reach, the database can store and every response can show.

let client: Client
let account: Account

beforeEach(async () => {
  client = createClient()
  account = await createAccount(client)
})

const create = (expiresAt: string) => client.sendJson('POST', '/me/api-keys', { expiresAt }, account)
const list = () => client.get('/me/api-keys?limit=100', authorization(account))
const storedTypes = async () => {
  const query = env.DB.prepare('select typeof(expires_at) as type from api_keys where user_id = ?').bind(account.id)
  return (await query.all()).results.map(({ type }) => type)
}

describe('a key with an invalid expiry is rejected, and not stored', () => {
  it.each([
    '2030-12-31T23:59:60Z',
    '2030-12-31T23:59:60.5Z',
    '2031-01-01T05:29:60+05:30',
    '9999-12-31T23:59:59-23:59',
    '9999-12-31T23:59:59-00:01',
    '9999-12-31T23:59:59.999-00:01',
    '2030-02-30T00:00:00Z',
    '2030-01-01',
    '',
  ])('%s', async (expiresAt) => {
    const response = await create(expiresAt)
    expect(response.status).toBe(400)
    expect((await bodyOf(response)).errors).toEqual([
      { pointer: '/expiresAt', detail: expect.stringContaining('RFC 3339') },
    ])
    const listed = await list()
    expect(listed.status).toBe(200)
    expect((await bodyOf(listed)).meta.total).toBe(0)
  })

  it('in XML too', async () => {
    const response = await client.send('/me/api-keys', {
      method: 'POST',
      body: '<apiKey><expiresAt>2030-12-31T23:59:60Z</expiresAt></apiKey>',
      headers: { 'Content-Type': 'application/xml', ...authorization(account) },
    })
    expect(response.status).toBe(400)
  })
})

it.each([
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ['9999-12-31T23:59:59+23:59', '9999-12-31T00:00:59.000Z'],
  ['2030-01-01t00:00:00.1239z', '2030-01-01T00:00:00.123Z'],
])('a key can expire at %s', async (expiresAt, told) => {
  const response = await create(expiresAt)
  expect(response.status).toBe(201)
  expect((await bodyOf(response)).expiresAt).toBe(told)
  expect((await bodyOf(await list())).data).toMatchObject([{ expiresAt: told }])
})

const LONG_FRACTION = '2764-07-30t03:17:00.0332953445+00:30'

/** A date-time that `Date` parses correctly: with many digits it takes .0332953445 for .332. */
function toMilliseconds(dateTime: string): string {
  return dateTime.toUpperCase().replace(/(\.\d{3})\d+/, '$1')
}

it('after any accepted expiry, all keys can be listed, each with the date that was sent', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(dateTimes(), async (expiresAt) => {
      const response = await create(expiresAt)
      expect([201, 400]).toContain(response.status)
      const listed = await list()
      expect(listed.status).toBe(200)
      if (response.status === 400) return
      expect(isDateTime(expiresAt)).toBe(true)
      const { id, expiresAt: told } = await bodyOf(response)
      expect(new Date(told).getTime()).toBe(new Date(toMilliseconds(expiresAt)).getTime())
      expect(await storedTypes()).toEqual(['integer'])
      expect(
        (await client.send(`/me/api-keys/${id}`, { method: 'DELETE', headers: authorization(account) })).status,
      ).toBe(204)
    }),
    {
      numRuns: 50,
      examples: [['2030-12-31T23:59:60Z'], ['9999-12-31T23:59:59-23:59'], ['9999-12-31T23:59:59Z'], [LONG_FRACTION]],
    },
  )
})

it.each(['2016-12-31T23:59:60Z', '2017-01-01T05:29:60.25+05:30'])(
  'a leap second is kept: %s is returned as sent',
  async (discoveredAt) => {
    const response = await client.sendJson('POST', '/planets', { name: 'Leap', discoveredAt }, account)
    expect(response.status).toBe(201)
    const { id } = await bodyOf(response)
    expect((await bodyOf(await client.get(`/planets/${id}`))).discoveredAt).toBe(discoveredAt)
  },
)

it.each(['2016-12-31T23:58:60Z', '2017-01-01T23:59:60+05:30', '2016-12-31T23:59:61Z'])(
  'a second of 60 that cannot be a leap second is rejected: %s',
  async (discoveredAt) => {
    const response = await client.sendJson('POST', '/planets', { name: 'Leap', discoveredAt }, account)
    expect(response.status).toBe(400)
    expect((await bodyOf(response)).errors).toMatchObject([{ pointer: '/discoveredAt' }])
  },
)
