import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Account, authorization, bodyOf, type Client, createAccount, createClient } from '../../support/app.ts'
import { EMPTY_VALUES } from '../../support/world.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const XML = { Accept: 'application/xml' }

let client: Client
let account: Account
let etag: string
let modified: string

beforeEach(async () => {
  client = createClient()
  account = await createAccount(client)
  const { headers } = await me()
  etag = headers.get('ETag') ?? ''
  modified = headers.get('Last-Modified') ?? ''
})

describe('the caller', () => {
  it('has a strong tag and the date of the account', async () => {
    const { created } = (await env.DB.prepare('select created_at as created from users where id = ?')
      .bind(account.id)
      .first<{ created: number }>()) ?? { created: 0 }
    expect(etag).toMatch(/^"[^"]+"$/)
    expect(modified).toBe(new Date(created).toUTCString())
  })

  it('has the same tag on every request', async () => {
    expect((await me()).headers.get('ETag')).toBe(etag)
    expect((await me()).headers.get('Last-Modified')).toBe(modified)
  })

  it('has another tag in XML than in JSON, and the same date', async () => {
    const { headers } = await me(XML)
    expect(headers.get('ETag')).toMatch(/^"[^"]+"$/)
    expect(headers.get('ETag')).not.toBe(etag)
    expect(headers.get('Last-Modified')).toBe(modified)
  })

  it('has another tag than another user with the same name', async () => {
    const namesake = await createAccount(client)
    const { headers } = await client.get('/me', authorization(namesake))
    expect(headers.get('ETag')).not.toBe(etag)
  })

  it('has another tag under another name', async () => {
    await env.DB.prepare('update users set name = ? where id = ?').bind('Grace', account.id).run()
    const response = await me({ 'If-None-Match': etag })
    expect(response.status).toBe(200)
    expect(response.headers.get('ETag')).not.toBe(etag)
    expect((await bodyOf(response)).name).toBe('Grace')
  })

  it('must not be stored by caches', async () => {
    expect((await me()).headers.get('Cache-Control')).toBe('no-store')
    expect((await me({ 'If-None-Match': etag })).headers.get('Cache-Control')).toBe('no-store')
  })

  it('has the same headers in a response to HEAD', async () => {
    const response = await client.send('/me', { method: 'HEAD', headers: authorization(account) })
    expect(response.headers.get('ETag')).toBe(etag)
    expect(response.headers.get('Last-Modified')).toBe(modified)
    expect(await response.text()).toBe('')
  })
})

describe('a caller who has the current version gets 304', () => {
  it.each<[string, () => Record<string, string>]>([
    ['the tag', () => ({ 'If-None-Match': etag })],
    ['the tag, marked as weak', () => ({ 'If-None-Match': `W/${etag}` })],
    ['one of several tags', () => ({ 'If-None-Match': `"a", ${etag}, "b"` })],
    ['any tag', () => ({ 'If-None-Match': '*' })],
    ['the date', () => ({ 'If-Modified-Since': modified })],
    ['a later date', () => ({ 'If-Modified-Since': shift(modified, DAY_MS) })],
    [
      'the tag, which counts before a date',
      () => ({ 'If-None-Match': etag, 'If-Modified-Since': shift(modified, -DAY_MS) }),
    ],
    ['the tag, and If-Match with it', () => ({ 'If-None-Match': etag, 'If-Match': etag })],
  ])('%s', async (_, conditions) => {
    const response = await me(conditions())
    expect(response.status).toBe(304)
    expect(await response.text()).toBe('')
    expect(response.headers.get('ETag')).toBe(etag)
    expect(response.headers.get('Last-Modified')).toBe(modified)
    expect(response.headers.get('Content-Type')).toBeNull()
  })

  it('the tag of XML, in XML', async () => {
    const tag = (await me(XML)).headers.get('ETag') ?? ''
    const response = await me({ ...XML, 'If-None-Match': tag })
    expect(response.status).toBe(304)
    expect(response.headers.get('ETag')).toBe(tag)
  })

  it('which varies by Accept as the full response does (RFC 9110, section 15.4.5)', async () => {
    expect((await me()).headers.get('Vary')).toMatch(/\bAccept\b/)
    expect((await me({ 'If-None-Match': etag })).headers.get('Vary')).toMatch(/\bAccept\b/)
  })

  it('to HEAD too', async () => {
    const headers = { ...authorization(account), 'If-None-Match': etag }
    expect((await client.send('/me', { method: 'HEAD', headers })).status).toBe(304)
  })
})

describe('a caller who has another version gets 200', () => {
  it.each<[string, () => Record<string, string>]>([
    ['another tag', () => ({ 'If-None-Match': '"other"' })],
    ['the tag without its quotes', () => ({ 'If-None-Match': etag.slice(1, -1) })],
    ['an earlier date', () => ({ 'If-Modified-Since': shift(modified, -DAY_MS) })],
    ['an invalid date', () => ({ 'If-Modified-Since': 'yesterday' })],
    ['another tag, which counts before a date', () => ({ 'If-None-Match': '"other"', 'If-Modified-Since': modified })],
    ['If-Match with the tag', () => ({ 'If-Match': etag })],
    ['If-Match with *', () => ({ 'If-Match': '*' })],
    ['If-Unmodified-Since with the date', () => ({ 'If-Unmodified-Since': modified })],
  ])('%s', async (_, conditions) => {
    const response = await me(conditions())
    expect(response.status).toBe(200)
    expect(await bodyOf(response)).toEqual({ id: account.id, name: 'Ada' })
  })

  it('the tag of JSON, in XML', async () => {
    const response = await me({ ...XML, 'If-None-Match': etag })
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('application/xml')
  })
})

describe('a caller who requires another version gets 412', () => {
  it.each<[string, () => Record<string, string>]>([
    ['another tag', () => ({ 'If-Match': '"other"' })],
    ['the tag, marked as weak', () => ({ 'If-Match': `W/${etag}` })],
    ...EMPTY_VALUES.map((value): [string, () => Record<string, string>] => [
      'an empty tag',
      () => ({ 'If-Match': value }),
    ]),
    ['an earlier date', () => ({ 'If-Unmodified-Since': shift(modified, -DAY_MS) })],
    ['another tag, which counts before a date', () => ({ 'If-Match': '"other"', 'If-Unmodified-Since': modified })],
    ['another tag, with If-None-Match of the current one', () => ({ 'If-Match': '"other"', 'If-None-Match': etag })],
  ])('%s', async (_, conditions) => {
    const response = await me(conditions())
    expect(response.status).toBe(412)
    expect((await bodyOf(response)).type).toMatch(/\/problems\/precondition-failed$/)
  })
})

describe('conditions are evaluated after the credential', () => {
  it.each([{ 'If-None-Match': '*' }, { 'If-Match': '"other"' }])('%j', async (conditions) => {
    expect((await client.get('/me', { ...conditions })).status).toBe(401)
    const headers = { ...conditions, Authorization: 'Bearer forged' }
    expect((await client.get('/me', headers)).status).toBe(401)
  })

  it('a suspended account gets 403 instead of 304', async () => {
    await env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(account.id).run()
    expect((await me({ 'If-None-Match': etag })).status).toBe(403)
  })
})

function me(headers: Record<string, string> = {}): Promise<Response> {
  return client.get('/me', { ...authorization(account), ...headers })
}

function shift(date: string, milliseconds: number): string {
  return new Date(Date.parse(date) + milliseconds).toUTCString()
}
