import { beforeAll, describe, expect, it } from 'vitest'
import { bodyOf } from './galaxy.ts'
import { shareGalaxy } from './prepared-state.ts'
import { readRaw } from './raw-answer.ts'

// Faults on connections, as the built Worker makes them, in the common world and in a universe.

const galaxy = shareGalaxy()
const WORLDS = ['the common world', 'a universe'] as const
let urls: Record<(typeof WORLDS)[number], string>

beforeAll(async () => {
  const { url } = await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST' }))
  urls = { 'the common world': galaxy.url, 'a universe': url }
})

describe.each(WORLDS)('Prefer in %s', (world) => {
  const ask = (prefer: string, path = '/planets/1', headers: Record<string, string> = {}) =>
    readRaw(urls[world] + path, { Prefer: prefer, ...headers })

  it.each(['drop=request', 'drop=response'])('%s: not a byte comes', async (prefer) => {
    expect((await ask(prefer)).text).toBe('')
  })

  it('cut: the head has the whole length, and so many bytes come', async () => {
    const whole = await readRaw(`${urls[world]}/planets/1`)
    const { status, headers, body } = await ask('cut=20')
    expect([status, body]).toEqual([200, whole.body.slice(0, 20)])
    expect(Number(headers.get('content-length'))).toBe(whole.body.length)
    expect(headers.get('preference-applied')).toBe('cut=20')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('cut at the length or behind it: the true answer', async () => {
    const whole = await readRaw(`${urls[world]}/planets/1`)
    const { body, headers } = await ask(`cut=${whole.body.length}`)
    expect([body, headers.get('preference-applied')]).toEqual([whole.body, undefined])
    expect((await ask(`cut=${whole.body.length - 1}`)).body).toBe(whole.body.slice(0, -1))
    expect((await ask('cut=1')).body).toBe(whole.body.slice(0, 1))
    const nothing = await ask('cut=0')
    expect([nothing.status, nothing.body, nothing.headers.get('content-length')]).toEqual([
      200,
      '',
      String(whole.body.length),
    ])
  })

  it('a client that knows HTTP sees that a cut answer is not whole', async () => {
    const response = await fetch(`${urls[world]}/planets?limit=100`, { headers: { Prefer: 'cut=1000' } })
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
  })

  it('slow: ten parts over the time', async () => {
    const whole = await readRaw(`${urls[world]}/planets?limit=50`)
    const { body, times, headers } = await ask('slow=1.8', '/planets?limit=50')
    expect(body).toBe(whole.body)
    expect(Number(headers.get('content-length'))).toBe(whole.body.length)
    expect(times.length).toBeGreaterThanOrEqual(8)
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1600)
  })

  it.each([
    ['html', 'text/html; charset=utf-8', undefined],
    ['text', 'text/plain; charset=utf-8', undefined],
    ['bytes', 'application/octet-stream', undefined],
    ['none', undefined, undefined],
    ['utf-16', 'application/json; charset=utf-16', undefined],
    ['gzip', 'application/json', 'gzip'],
  ])('label=%s', async (name, type, coding) => {
    const whole = await readRaw(`${urls[world]}/planets/1`)
    // The runtime compresses some of these types for a client that accepts it.
    const accepted = { 'Accept-Encoding': name === 'gzip' ? 'gzip' : 'identity' }
    const { status, headers, body } = await ask(`label=${name}`, '/planets/1', accepted)
    expect([status, headers.get('content-type'), headers.get('content-encoding')]).toEqual([200, type, coding])
    expect(JSON.parse(body)).toEqual(JSON.parse(whole.body))
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('preference-applied')).toBe(`label=${name}`)
  })

  it('label=gzip: a client that does not accept it gets nothing, because the runtime cannot decode for it', async () => {
    expect((await ask('label=gzip', '/planets/1', { 'Accept-Encoding': 'identity' })).text).toBe('')
  })

  it('a stream is cut after so many bytes, and ends without its last chunk', async () => {
    const { status, headers, body } = await ask('cut=2', '/planets/events', { Accept: 'text/event-stream' })
    expect([status, headers.get('transfer-encoding')]).toEqual([200, 'chunked'])
    expect(body).toBe('2\r\n:\n\r\n')
    expect([...headers.keys()]).not.toContain('x-galaxy-cut')
    expect((await ask('cut=1', '/planets/events')).body).toBe('1\r\n:\r\n')
  })
})
