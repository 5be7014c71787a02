import { beforeAll, describe, expect, it } from 'vitest'
import { bodyOf } from './galaxy.ts'
import { chromium, useBrowser } from './in-browser.ts'
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

describe('rules of a universe, on connections', () => {
  let url: string
  let token: string
  const headers = () => ({ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' })

  beforeAll(async () => {
    ;({ url, token } = await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST' })))
  })

  async function setRules(rules: object[]): Promise<void> {
    const body = JSON.stringify({ rules })
    expect((await fetch(`${url}/universe/faults`, { method: 'PUT', headers: headers(), body })).status).toBe(200)
  }
  const attempts = async () => {
    const list = await bodyOf(await fetch(`${url}/universe/faults/attempts?limit=100`, { headers: headers() }))
    await fetch(`${url}/universe/faults/attempts`, { method: 'DELETE', headers: headers() })
    return list.data.map(({ action, applied, status }: Record<string, unknown>) => [action, applied, status])
  }

  it('drop, cut and slow', async () => {
    const whole = await readRaw(`${url}/planets/1`)
    await setRules([{ name: 'r', steps: [{ drop: 'request' }, { drop: 'response' }, { cut: 9 }, { slow: 1 }] }])
    for (const _ of ['request', 'response']) expect((await readRaw(`${url}/planets/1`)).text).toBe('')
    const cut = await readRaw(`${url}/planets/1`)
    expect([cut.status, cut.body]).toEqual([200, whole.body.slice(0, 9)])
    expect(cut.headers.get('content-length')).toBe(String(whole.body.length))
    expect(cut.headers.get('galaxy-fault')).toBe('rule="r", attempt=3, action="cut", applied')
    const slow = await readRaw(`${url}/planets/1`)
    expect(slow.body).toBe(whole.body)
    expect((slow.times.at(-1) ?? 0) - (slow.times[0] ?? 0)).toBeGreaterThanOrEqual(900)
    for (const name of ['x-request-id', 'sunset', 'access-control-allow-origin'])
      expect(slow.headers.has(name)).toBe(true)
    expect(await attempts()).toEqual([
      ['drop', true, null],
      ['drop', true, null],
      ['cut', true, 200],
      ['slow', true, 200],
    ])
  })

  it('a stream is cut, and knows drop and status', async () => {
    await setRules([{ name: 'r', steps: [{ cut: 1 }, { drop: 'response' }, { status: 503 }, { slow: 1 }] }])
    const stream = () => readRaw(`${url}/planets/events`, { Accept: 'text/event-stream' })
    const { status, body, headers: sent } = await stream()
    expect([status, body]).toEqual([200, '1\r\n:\r\n'])
    expect(sent.get('galaxy-fault')).toBe('rule="r", attempt=1, action="cut", applied')
    expect((await stream()).text).toBe('')
    expect((await stream()).status).toBe(503)
    expect(await attempts()).toMatchObject([
      ['cut', true, 200],
      ['drop', true, null],
      ['status', true, 503],
    ])
  })

  it('WebSockets know status, drop and delay', async () => {
    await setRules([
      {
        name: 'r',
        match: { path: '/ws/*' },
        steps: [{ status: 503 }, { drop: 'request' }, { drop: 'response' }, { delay: 0.3 }],
      },
    ])
    const open = () =>
      readRaw(`${url}/ws/v1/system/events`, {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      })
    expect((await open()).status).toBe(503)
    for (const _ of ['request', 'response']) expect((await open()).status).not.toBe(101)
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1/system/events`)
    const started = Date.now()
    await new Promise((resolve, reject) => {
      socket.onopen = resolve
      socket.onerror = reject
    })
    expect(Date.now() - started).toBeGreaterThanOrEqual(290)
    socket.close()
    expect(await attempts()).toEqual([
      ['status', true, 503],
      ['drop', true, null],
      ['drop', true, null],
      ['delay', true, 101],
    ])
  })
})

describe.skipIf(!chromium)('in a browser', () => {
  const here = useBrowser()

  it('a planet whose name is a script runs nothing under label: html', async () => {
    const { url, token } = await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST' }))
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const name = `<script>document.title = 'ran'</script><img src=x onerror="document.title = 'ran'">`
    const body = JSON.stringify({ name })
    const { id } = await bodyOf(await fetch(`${url}/planets`, { method: 'POST', headers, body }))
    const rules = JSON.stringify({ rules: [{ name: 'r', steps: [{ times: 9, label: 'html' }] }] })
    expect((await fetch(`${url}/universe/faults`, { method: 'PUT', headers, body: rules })).status).toBe(200)
    const context = await here.browser.newContext()
    const page = await context.newPage()
    // So that the test would notice.
    await page.setContent(name)
    await expect.poll(() => page.title()).toBe('ran')
    const response = await page.goto(`${url}/planets/${id}`)
    expect([response?.status(), response?.headers()['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    await page.waitForLoadState('networkidle')
    await expect.poll(() => page.textContent('body')).toContain('ran')
    const { title, children, text } = await page.evaluate<{ title: string; children: number; text: string }>(
      '({ title: document.title, children: document.querySelectorAll("script, img").length, text: document.body.textContent })',
    )
    expect([title, children, JSON.parse(text).name]).toEqual(['', 0, name])
    await context.close()
  })
})
