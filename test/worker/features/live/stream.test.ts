import { describe, expect, it } from 'vitest'
import { type Account, authorization, bodyOf, createAccount, createClient, createPlanet } from '../../../support/app.ts'
import { expectDocumentedItem } from '../../../support/live-conformance.ts'
import { openSocket } from '../../../support/sockets.ts'
import { readStream } from '../../../support/streams.ts'

const client = createClient()
const account: Account = await createAccount(client)
const UNKNOWN = '019bc210-3240-7000-a168-2f0000000001'
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

async function open(headers: Record<string, string> = {}, query = '') {
  return readStream(await client.sendRaw(`/planets/events${query}`, { headers }))
}

const create = (name: string) => createPlanet(client, account, { name })

/** The items of server-sent events. */
function itemsOf(text: string) {
  return [...text.matchAll(/^id: (.*)\nevent: (.*)\ndata: (.*)$/gm)].map(([, id, event, data = '']) => {
    const item = JSON.parse(data)
    expect(item).toMatchObject({ id, event })
    expectDocumentedItem(item)
    return item
  })
}

const namesOf = (text: string) => itemsOf(text).map(({ planet }) => planet.name)

describe('a stream of server-sent events', () => {
  it('begins with a comment, and tells of each planet', async () => {
    const stream = await open()
    expect(stream.response.headers.get('Content-Type')).toBe('text/event-stream')
    expect(stream.response.headers.get('Cache-Control')).toBe('no-store')
    expect(stream.response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(stream.response.headers.get('X-Request-ID')).toMatch(/^[0-9a-f-]{36}$/)
    expect(await stream.until('\n')).toBe(':\n')
    const { id } = await create('Arrakis')
    const [item] = itemsOf(await stream.until('Arrakis'))
    expect(item).toMatchObject({ event: 'created', planet: { id, name: 'Arrakis' } })
    await stream.cancel()
  })

  it('has the planets as they are in events, and a deleted one as it last was', async () => {
    const stream = await open()
    await stream.until('\n')
    const planet = await create('Alderaan')
    const { id } = planet
    const changed = await bodyOf(await client.sendJson('PUT', `/planets/${id}`, { name: 'Changed' }, account))
    await client.send(`/planets/${id}`, { method: 'DELETE', headers: authorization(account) })
    const { id: other } = await create('Other')
    await client.send(`/planets/${other}/explode`, { method: 'POST', headers: authorization(account) })
    const items = itemsOf(await stream.until('"exploded"'))
    expect(items.map(({ event }) => event)).toEqual(['created', 'updated', 'deleted', 'created', 'exploded'])
    expect(items.slice(0, 3).map((item) => item.planet)).toEqual([planet, changed, changed])
    const values = items.map(({ note }) => note.value)
    expect(values.slice(0, 3)).toEqual([
      `${planet.name} was created.`,
      `${changed.name} was changed.`,
      `${changed.name} was deleted.`,
    ])
    expect(values.slice(3)).toEqual(['Other was created.', 'Other exploded.'])
    expect(new Set(items.map(({ note }) => note.lang))).toEqual(new Set(['en']))
    await stream.cancel()
  })

  it('has the ids of the events on other transports', async () => {
    const { id } = await create('Same')
    const socket = await openSocket(client, `planets/${id}/events`)
    const stream = await open()
    await Promise.all([socket.until(1), stream.until('\n')])
    await client.sendJson('PUT', `/planets/${id}`, { name: 'Same again' }, account)
    const [item] = itemsOf(await stream.until('Same again'))
    const event = JSON.parse((await socket.until(2))[1] ?? '')
    expect([item.id, item.occurredAt]).toEqual([event.eventId, event.timestamp])
    socket.socket.close()
    await stream.cancel()
  })

  it('resumes after the last event, of which the header counts', async () => {
    const first = await open()
    await first.until('\n')
    await create('Seen')
    const [seen] = itemsOf(await first.until('Seen'))
    await first.cancel()
    await create('Missed')
    for (const [headers, query] of [
      [{ 'Last-Event-ID': seen.id }, '?lastEventId=ignored'],
      [{}, `?lastEventId=${seen.id}`],
    ] as const) {
      const second = await open(headers, query)
      expect(namesOf(await second.until('Missed'))).toEqual(['Missed'])
      await second.cancel()
    }
  })

  it('tells of a gap, then what the log has, if the log does not have the last event', async () => {
    await create('Still there')
    const stream = await open({ 'Last-Event-ID': UNKNOWN })
    const text = await stream.until('Still there')
    expect(text).toMatch(`:\nretry: 2000\nevent: gap\ndata: {"lastEventId":"${UNKNOWN}"}\n\nid: `)
    await stream.cancel()
  })

  it.each([
    ['header', { 'Last-Event-ID': 'evt_1' }, ''],
    ['query', {}, '?lastEventId=evt_1'],
    ['repeated query', {}, `?lastEventId=${UNKNOWN}&lastEventId=evt_1`],
  ])('tells of a gap, then what is new, if the %s is junk', async (_, headers, query) => {
    const stream = await open(headers, query)
    await create('After the junk')
    const text = await stream.until('After the junk')
    expect(text).toContain('event: gap\ndata: {"lastEventId":"evt_1"}\n\n')
    expect(namesOf(text)).toEqual(['After the junk'])
    await stream.cancel()
  })

  it('is not refused for wrong credentials', async () => {
    const stream = await open({ Authorization: 'Bearer nonsense' })
    expect(stream.response.status).toBe(200)
    await stream.cancel()
  })
})

describe('the media type of a stream', () => {
  it.each([
    [undefined, 'text/event-stream'],
    ['*/*', 'text/event-stream'],
    [BROWSER, 'text/event-stream'],
    ['text/*', 'text/event-stream'],
    ['application/json-seq, application/jsonl', 'application/jsonl'],
    ['application/*', 'application/jsonl'],
    ['application/x-ndjson', 'application/x-ndjson'],
    ['application/x-ndjson, application/jsonl', 'application/jsonl'],
    ['application/x-ndjson, */*', 'text/event-stream'],
    ['application/jsonl;q=0.5, application/json-seq', 'application/json-seq'],
    ['text/event-stream;q=0.5, application/json-seq;q=0.4', 'text/event-stream'],
  ])('for Accept: %s is %s', async (accept, expected) => {
    const response = await client.send('/planets/events', {
      method: 'HEAD',
      headers: accept === undefined ? {} : { Accept: accept },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe(expected)
    expect(response.headers.get('Vary')).toContain('Accept')
  })

  it.each(['application/json', 'application/xml', 'text/html', 'text/event-stream;q=0'])(
    'cannot be %s',
    async (accept) => {
      expect((await client.get('/planets/events', { Accept: accept })).status).toBe(406)
    },
  )
})

describe.each([
  ['application/jsonl', ''],
  ['application/x-ndjson', ''],
  ['application/json-seq', '\u001e'],
])('a stream of %s', (mediaType, begin) => {
  const whole = new RegExp(`^(${begin}{.*}\n)+$`)
  const item = new RegExp(`${begin}(.*)\n`, 'g')

  it('has one item in each record, and resumes', async () => {
    const stream = await open({ Accept: mediaType })
    // Nothing says that it has begun, so that it may miss what comes at the same moment.
    await create('First')
    await create('Second')
    const text = await stream.until('Second')
    expect(text).toMatch(whole)
    const items = [...text.matchAll(item)].map(([, json = '']) => JSON.parse(json))
    for (const one of items) expectDocumentedItem(one)
    expect(items.at(-1).planet.name).toBe('Second')
    await stream.cancel()
    const resumed = await open({ Accept: mediaType, 'Last-Event-ID': items.at(-2).id })
    expect([...(await resumed.until('\n')).matchAll(item)]).toHaveLength(1)
    await resumed.cancel()
  })

  it('is refused if the last event is junk', async () => {
    const headers = { Accept: mediaType, 'Last-Event-ID': 'evt_1' }
    expect((await client.get('/planets/events', headers)).status).toBe(400)
  })

  it('begins with what the log has if it does not have the last event', async () => {
    await create('In the log')
    const stream = await open({ Accept: mediaType, 'Last-Event-ID': UNKNOWN })
    expect(await stream.until('In the log')).toMatch(whole)
    await stream.cancel()
  })
})

describe('an item with line breaks of Unicode', () => {
  it.each([
    ['text/event-stream', 'data: {'],
    ['application/jsonl', '{'],
    ['application/json-seq', '\u001e{'],
  ])('is one line of %s for a reader that splits at them', async (mediaType, beginning) => {
    const stream = await open({ Accept: mediaType })
    const name = `${mediaType} next\u0085line\u2028and\u2029paragraph`
    await create(name)
    await create('The next planet')
    const lines = (await stream.until('The next planet')).split(/[\r\n\u0085\u2028\u2029]/)
    const items = lines
      .filter((line) => line.startsWith(beginning))
      .map((line) => JSON.parse(line.slice(line.indexOf('{'))))
    expect(items.map(({ planet }) => planet.name)).toContain(name)
    await stream.cancel()
  })
})

describe('the path of the stream', () => {
  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('does not support %s', async (method) => {
    const response = await client.send('/planets/events', { method, headers: authorization(account) })
    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toBe('GET, HEAD, OPTIONS')
  })

  it('says what it supports', async () => {
    const response = await client.send('/planets/events', { method: 'OPTIONS' })
    expect(response.headers.get('Allow')).toBe('GET, HEAD, OPTIONS')
  })
})

describe('a path that is written in another way', () => {
  // Equivalent by RFC 3986, section 6.2.2.2.
  it.each(['/planets/%65vents', '/%70lanets/even%74s', '/%70%6C%61%6e%65%74%73/%65%76%65%6E%74%73'])(
    '%s is the stream, too',
    async (path) => {
      const stream = readStream(await client.sendRaw(path))
      expect(stream.response.headers.get('Content-Type')).toBe('text/event-stream')
      const { id } = await create('Written in another way')
      expect(itemsOf(await stream.until(String(id)))).toContainEqual(
        expect.objectContaining({ event: 'created', planet: expect.objectContaining({ id }) }),
      )
      await stream.cancel()
    },
  )
})

describe('a stream that is not sent', () => {
  it('leaves no connection that counts', async () => {
    const limited = createClient({ config: { socketLimit: 1 } })
    const address = { 'CF-Connecting-IP': '203.0.113.78' }
    const lost = limited.sendRaw('/planets/events', { headers: { ...address, Prefer: 'drop=response' } })
    await lost.then((response) => response.text()).catch(() => {})
    const ask = async () => {
      const response = await limited.sendRaw('/planets/events', { headers: address })
      await response.body?.cancel()
      return response.status
    }
    await expect.poll(ask).toBe(200)
  })
})

describe('a reader that does not read', () => {
  it('holds the hub back, and gets everything in order when it reads', async () => {
    const satellites = Array.from({ length: 100 }, (_, number) => ({
      name: `Moon ${number}`,
      description: 'a'.repeat(900),
    }))
    const response = await client.sendRaw('/planets/events')
    const count = 30
    for (let number = 0; number < count; number++) {
      await createPlanet(client, account, { name: `Large ${number}`, satellites })
    }
    const stream = readStream(response)
    const text = await stream.until(`Large ${count - 1}"`)
    expect(namesOf(text)).toEqual(Array.from({ length: count }, (_, number) => `Large ${number}`))
    await stream.cancel()
  })
})
