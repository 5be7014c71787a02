import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount, createClient } from '../../support/app.ts'
import { eachRow } from '../../support/each-row.ts'
import { BASE_PATH, BASE_URL, UNIVERSE_ID, WORLD } from '../../support/world.ts'

// What queries for planets are refused, and what surrounds the list: cursors, entity tags, the content of QUERY.

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client, 'Grace')
  for (const name of ['Caladan', 'Arrakis', 'Ix', 'Giedi Prime'])
    expect(
      (await client.sendJson('POST', '/planets', { name, type: 'terrestrial', tags: ['dune'] }, account)).status,
    ).toBe(201)
})

const search = (query: unknown) =>
  client.sendRaw(`/planets/search?${encodeURIComponent(typeof query === 'string' ? query : JSON.stringify(query))}`)

function query(
  body: BodyInit | null,
  type: string | undefined = JSON_TYPE,
  path = '/planets',
  headers: HeadersInit = {},
) {
  const sent = new Headers(headers)
  if (type !== undefined) sent.set('Content-Type', type)
  // A text would get a Content-Type of its own.
  const content = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return client.sendRaw(path, { method: 'QUERY', body: content, headers: sent })
}

async function faultsOf(response: Response) {
  const { type, errors = [] } = await bodyOf(response)
  const pointers = errors.map(({ pointer }: { pointer: string }) => pointer).toSorted()
  return { status: response.status, code: type.split('/').at(-1), pointers }
}

describe('a fault has its pointer in each dress', () => {
  it('whatever it is', () =>
    eachRow<[object, string, string[]]>(
      [
        [{ name: 'x'.repeat(201) }, `name=${'x'.repeat(201)}`, ['/name']],
        [{ type: ['terrestrial', 'moon'] }, 'type=terrestrial&type=moon', ['/type/1']],
        [{ type: [''] }, 'type=', ['/type/0']],
        [{ minHabitabilityIndex: 1.01 }, 'minHabitabilityIndex=1.01', ['/minHabitabilityIndex']],
        [{ minHabitabilityIndex: -0.01 }, 'minHabitabilityIndex=-0.01', ['/minHabitabilityIndex']],
        [{ minHabitabilityIndex: '' }, 'minHabitabilityIndex=', ['/minHabitabilityIndex']],
        [{ minHabitabilityIndex: '.5' }, 'minHabitabilityIndex=.5', ['/minHabitabilityIndex']],
        [{ minHabitabilityIndex: '0x1' }, 'minHabitabilityIndex=0x1', ['/minHabitabilityIndex']],
        [{ sort: 'id' }, 'sort=id', ['/sort']],
        [{ sort: '' }, 'sort=', ['/sort']],
        [{ fields: ['mass'] }, 'fields=mass', ['/fields/0']],
        [{ fields: ['name', 'mass'] }, 'fields=name,mass', ['/fields/1']],
        [{ fields: [''] }, 'fields=', ['/fields/0']],
        [{ limit: 0 }, 'limit=0', ['/limit']],
        [{ limit: 'ten' }, 'limit=ten', ['/limit']],
        [{ offset: -1 }, 'offset=-1', ['/offset']],
        [{ offset: 1.5 }, 'offset=1.5', ['/offset']],
        [{ cursor: '' }, 'cursor=', ['/cursor']],
        [{ cursor: 'x'.repeat(2049) }, `cursor=${'x'.repeat(2049)}`, ['/cursor']],
        [{ cursor: 'AAAA', offset: 1 }, 'cursor=AAAA&offset=1', ['/offset']],
        [{ cursor: 'AAAA' }, 'cursor=AAAA', ['/cursor']],
        [{ cursor: 'x', offset: 0, sort: 'x' }, 'cursor=x&offset=0&sort=x', ['/offset', '/sort']],
        [{ name: 'a\u0000' }, 'name=a%00', ['/name']],
        [{ name: '\uFFFE' }, 'name=%EF%BF%BE', ['/name']],
        [{ type: Array(1001).fill('dwarf') }, Array(1001).fill('type=dwarf').join('&'), ['/type']],
        [{ fields: Array(1001).fill('id') }, `fields=${Array(1001).fill('id')}`, ['/fields']],
        [{ sort: 'x', limit: 0, type: ['x'] }, 'sort=x&limit=0&type=x', ['/type/0', '/sort', '/limit']],
      ],
      async ([json, parameters, pointers]) => {
        const expected = { status: 400, pointers: pointers.toSorted() }
        expect(await faultsOf(await client.get(`/planets?${parameters}`))).toMatchObject({
          ...expected,
          code: 'invalid-query',
        })
        const inUrl = await search(json)
        // 1,001 items are too long for the query of a URL.
        if (inUrl.status === 414) expect(JSON.stringify(json).length).toBeGreaterThan(4000)
        else expect(await faultsOf(inUrl)).toMatchObject({ ...expected, code: 'invalid-query' })
        expect(await faultsOf(await query(JSON.stringify(json)))).toMatchObject(expected)
        expect(await faultsOf(await query(parameters, FORM_TYPE))).toMatchObject(expected)
      },
    ))

  it('-0 is 0 in every dress', () =>
    eachRow(['-0', '-0.0', '-0e5'], async (number) => {
      const wanted = (await bodyOf(await client.get('/planets?minHabitabilityIndex=0'))).meta.total
      const responses = [
        await client.get(`/planets?minHabitabilityIndex=${number}`),
        await search(`{"minHabitabilityIndex":${number}}`),
        await query(`{"minHabitabilityIndex":${number}}`),
        await query(`minHabitabilityIndex=${number}`, FORM_TYPE),
      ]
      for (const response of responses) {
        const { meta } = await bodyOf(response)
        expect([response.status, meta.total]).toEqual([200, wanted])
        expect(meta.next ?? '').not.toMatch(/-0/)
      }
    }))

  it('the offset -0 is 0 in every dress', async () => {
    const first = (await bodyOf(await client.get('/planets?offset=0'))).data
    const responses = [
      await client.get('/planets?offset=-0'),
      await search('{"offset":-0}'),
      await query('{"offset":-0}'),
      await query('offset=-0', FORM_TYPE),
      await client.get('/celestial-bodies?offset=-0'),
    ]
    for (const response of responses) {
      const { data, meta } = await bodyOf(response)
      expect([response.status, Object.is(meta.offset, 0), data.length]).toEqual([200, true, first.length])
      expect(response.headers.get('Link') ?? '').not.toContain('-0')
    }
  })

  it('what a double cannot represent is refused in every dress', () =>
    eachRow(['1e-400', '1e400', '-1e-400'], async (number) => {
      const responses = [
        await client.get(`/planets?minHabitabilityIndex=${number}`),
        await search(`{"minHabitabilityIndex":${number}}`),
        await query(`{"minHabitabilityIndex":${number}}`),
        await query(`minHabitabilityIndex=${number}`, FORM_TYPE),
      ]
      for (const response of responses)
        expect(await faultsOf(response)).toMatchObject({ status: 400, pointers: ['/minHabitabilityIndex'] })
    }))

  it('a name that is no percent-encoded text is refused in every dress', () =>
    eachRow(['%', '%FF', '%C3%28'], async (text) => {
      expect(await faultsOf(await client.get(`/planets?name=${text}`))).toMatchObject({
        status: 400,
        pointers: ['/name'],
      })
      expect((await client.sendRaw(`/planets/search?%7B%22name%22:%22${text}%22%7D`)).status).toBe(400)
      expect((await query(`name=${text}`, FORM_TYPE)).status).toBe(400)
      expect((await client.get(`/planets?unknown=${text}`)).status).toBe(200)
    }))

  it('a byte order mark before the JSON is no part of it', async () => {
    expect([(await search('\uFEFF{}')).status, (await query('\uFEFF{}')).status]).toEqual([200, 200])
  })

  it('1,000 types and fields are allowed', async () => {
    const form = `fields=${Array(1000).fill('id')}&${Array(1000).fill('type=dwarf').join('&')}`
    expect((await query(form, FORM_TYPE)).status).toBe(200)
  })

  it.each([
    ['50,000 names', Array.from({ length: 50_000 }, (_, index) => index.toString(36)).join('&')],
    ['one name 50,000 times', Array(50_000).fill('type').join('&')],
    ['125,000 fields', `fields=${'x,'.repeat(125_000)}`],
  ])('a form with %s is refused at once', async (_, form) => {
    const start = performance.now()
    expect((await query(form, FORM_TYPE)).status).toBe(400)
    // With one pass for each name, it took many seconds.
    expect(performance.now() - start).toBeLessThan(4000)
  })

  it('JSON has its types', () =>
    eachRow(
      [
        { limit: '10' },
        { offset: '0' },
        { minHabitabilityIndex: '0.5' },
        { type: 'terrestrial' },
        { fields: 'name' },
        { fields: [] },
        { name: null },
      ],
      async (json) => {
        const [pointer] = Object.keys(json)
        expect(await faultsOf(await search(json))).toMatchObject({ status: 400, pointers: [`/${pointer}`] })
        expect(await faultsOf(await query(JSON.stringify(json)))).toMatchObject({
          status: 400,
          pointers: [`/${pointer}`],
        })
      },
    ))

  it('a parameter that is unknown is ignored, and a member or a field is not', async () => {
    expect((await client.get('/planets?Name=x&unknown=1')).status).toBe(200)
    for (const response of [await search({ nam: 'x' }), await query('{"nam":"x"}'), await query('nam=x', FORM_TYPE)])
      expect(await faultsOf(response)).toMatchObject({ status: 400, pointers: ['/nam'] })
  })

  it('a parameter is refused if it is repeated', () =>
    eachRow(['name', 'minHabitabilityIndex', 'sort', 'fields', 'limit', 'offset', 'cursor'], async (name) => {
      expect(await faultsOf(await client.get(`/planets?${name}=1&${name}=1`))).toMatchObject({
        status: 400,
        pointers: [`/${name}`],
      })
      expect(await faultsOf(await query(`${name}=1&${name}=1`, FORM_TYPE))).toMatchObject({
        status: 400,
        pointers: [`/${name}`],
      })
    }))
})

describe('limits hold on both sides', () => {
  it('what is at a limit is accepted', () =>
    eachRow(
      [
        [`name=${'x'.repeat(200)}`, 200],
        [`name=${encodeURIComponent('😀'.repeat(200))}`, 200],
        ['minHabitabilityIndex=0', 200],
        ['minHabitabilityIndex=1e-2', 200],
        ['minHabitabilityIndex=1', 200],
        ['name=', 200],
        ['limit=1', 200],
      ],
      async ([parameters, status]) => {
        expect((await client.get(`/planets?${parameters}`)).status).toBe(status)
      },
    ))

  it('a limit above 100 means 100, and the query of a URL can have 8,192 bytes', async () => {
    expect((await bodyOf(await query('{"limit":5000}'))).meta.limit).toBe(100)
    const fits = `{"name":"${'x'.repeat(100)}"}`
    const encoded = encodeURIComponent(fits)
    const room = (8192 - encoded.length) / 3
    const url = `/planets/search?${encoded}${'%20'.repeat(Math.floor(room))}`
    expect((await client.sendRaw(url)).status).toBe(200)
    const tooLong = await client.sendRaw(`${url}%20`)
    expect(await faultsOf(tooLong)).toMatchObject({ status: 414, code: 'uri-too-long' })
  })
})

describe('GET /planets/search', () => {
  it('refuses what is no JSON with an example', () =>
    eachRow(
      ['name=Mars', 'api_key=x', '%', '%7B', '%FF', '[]', 'null', '"x"', '%22x%22', '{}x', '%7B%7D&limit=1'],
      async (text) => {
        const response = await client.sendRaw(`/planets/search?${text}`)
        expect(response.status).toBe(400)
        expect(await bodyOf(response)).toMatchObject({
          type: expect.stringMatching(/invalid-query$/),
          detail: expect.stringContaining('/planets/search?%7B%22name%22%3A%22Mars%22%7D'),
        })
      },
    ))

  it('takes a plus for a plus, and no query for all planets', async () => {
    const made = await client.sendJson('POST', '/planets', { name: 'A+B' }, account)
    expect(made.status).toBe(201)
    expect((await bodyOf(await client.sendRaw('/planets/search?%7B%22name%22:%22A+B%22%7D'))).meta.total).toBe(1)
    const all = await (await client.get('/planets')).text()
    for (const path of ['/planets/search', '/planets/search?']) {
      const found = await bodyOf(await client.sendRaw(path))
      expect(found.data).toEqual(JSON.parse(all).data)
    }
  })

  it('has links in its own dress, that lead on', async () => {
    const { data, meta } = await bodyOf(await search({ type: ['terrestrial'], limit: 2, fields: ['type'] }))
    expect(Object.keys(data[0]).sort()).toEqual(['id', 'lastUpdated', 'name', 'type'])
    expect(meta.next).toMatch(new RegExp(`^${BASE_PATH}/planets/search\\?%7B`))
    const next = await bodyOf(await client.sendRaw(meta.next.replace(BASE_PATH, '')))
    expect(next.meta).toMatchObject({ offset: 2, total: meta.total })
    expect(next.data.map(({ id }: { id: number }) => id)).not.toContain(data[0].id)
  })
})

describe('QUERY /planets', () => {
  it('needs a Content-Type, also without content', async () => {
    for (const body of ['{}', null]) {
      const response = await query(body, '')
      expect([response.status, (await bodyOf(response)).detail]).toEqual([400, expect.stringContaining('Content-Type')])
    }
  })

  it('refuses other types with 415 and says what it takes', () =>
    eachRow(
      [
        'text/plain',
        'application/xml',
        'application/vnd.galaxy+json',
        'application/problem+json',
        'multipart/form-data',
      ],
      async (type) => {
        const response = await query('{}', type)
        expect([response.status, response.headers.get('Accept')]).toEqual([415, `${JSON_TYPE}, ${FORM_TYPE}`])
      },
    ))

  it('is refused if JSON is empty or not valid, and finds all planets if a form is empty', async () => {
    for (const body of ['', ' ', '{', '[]', 'null']) expect((await query(body)).status).toBe(400)
    const all = await bodyOf(await client.get('/planets'))
    expect((await bodyOf(await query('', FORM_TYPE))).data).toEqual(all.data)
    expect((await query('name=%FF', FORM_TYPE)).status).toBe(400)
    // The media type has no parameter charset, whatever a client adds to all texts.
    for (const charset of ['ISO-8859-1', 'utf-16', '']) {
      const type = `${FORM_TYPE}; charset=${charset}`
      expect((await bodyOf(await query('name=%C3%BC', type))).data).toEqual([])
      expect((await query('name=%FC', type)).status).toBe(400)
    }
    expect((await query('name=%', FORM_TYPE)).status).toBe(400)
    expect((await query(new Uint8Array([0x7b, 0xff, 0x7d]))).status).toBe(400)
  })

  it('refuses parameters in the URL, where they would be overlooked', () =>
    eachRow(['name', 'type', 'minHabitabilityIndex', 'sort', 'fields', 'limit', 'offset', 'cursor'], async (name) => {
      expect(await faultsOf(await query('{}', JSON_TYPE, `/planets?${name}=1`))).toMatchObject({
        status: 400,
        pointers: [`/${name}`],
      })
    }))

  it('ignores other parameters, and credentials that are wrong', async () => {
    expect((await query('{}', JSON_TYPE, '/planets?api_key=wrong&x=1', { Authorization: 'Bearer wrong' })).status).toBe(
      200,
    )
  })

  it('names the equivalent GET, which has the same bytes and entity tag until something changes', async () => {
    const answer = await query('{"name":"a","type":["terrestrial","dwarf","dwarf"],"sort":"-name","limit":2}')
    const location = answer.headers.get('Location') ?? ''
    expect(location).toBe(`${BASE_URL}/planets?name=a&type=dwarf&type=terrestrial&sort=-name&limit=2&offset=0`)
    const get = () => client.get(location.slice(BASE_URL.length))
    const same = await get()
    expect([await same.text(), same.headers.get('ETag')]).toEqual([await answer.text(), answer.headers.get('ETag')])
    expect(same.headers.get('Last-Modified')).toBeNull()
    const tag = answer.headers.get('ETag') ?? ''
    const unchanged = await query(
      '{"name":"a","type":["terrestrial","dwarf"],"sort":"-name","limit":2}',
      JSON_TYPE,
      '/planets',
      { 'If-None-Match': tag },
    )
    expect([unchanged.status, unchanged.headers.get('ETag')]).toEqual([304, tag])
    expect((await query('{}', JSON_TYPE, '/planets', { 'If-Match': tag })).status).toBe(412)
    // A page has no date to compare (RFC 9110, section 13.1.4).
    const since = { 'If-Unmodified-Since': 'Sat, 01 Jan 2000 00:00:00 GMT' }
    for (const method of ['GET', 'HEAD'])
      expect((await client.sendRaw('/planets', { method, headers: since })).status).toBe(200)
    expect((await query('{}', JSON_TYPE, '/planets', since)).status).toBe(200)
    expect((await client.sendJson('POST', '/planets', { name: 'zzza', type: 'dwarf' }, account)).status).toBe(201)
    expect((await get()).headers.get('ETag')).not.toBe(tag)
  })

  it('by cursor, names the GET by cursor', async () => {
    const { meta } = await bodyOf(await query('{"limit":1}'))
    const answer = await query(JSON.stringify({ limit: 1, cursor: meta.nextCursor }))
    expect(answer.headers.get('Location')).toBe(`${BASE_URL}/planets?limit=1&cursor=${meta.nextCursor}`)
    expect(answer.headers.get('Link')).not.toContain('rel="prev"')
    expect((await bodyOf(answer)).meta).toMatchObject({ offset: 1 })
  })

  it('is announced, and its answer can be XML', async () => {
    const accepted = `${JSON_TYPE}, ${FORM_TYPE}`
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      expect((await client.sendRaw('/planets', { method })).headers.get('Accept-Query'), method).toBe(accepted)
    expect((await query('{', JSON_TYPE)).headers.get('Accept-Query')).toBe(accepted)
    const preflight = { Origin: 'https://page.example', 'Access-Control-Request-Method': 'GET' }
    const { headers } = await client.sendRaw('/planets', { method: 'OPTIONS', headers: preflight })
    expect(headers.get('Accept-Query')).toBe(accepted)
    expect(headers.get('Access-Control-Allow-Methods')).toContain('QUERY')
    expect((await client.get('/planets/1')).headers.get('Accept-Query')).toBeNull()
    expect((await client.sendRaw('/planets', { method: 'OPTIONS' })).headers.get('Allow')?.split(', ')).toContain(
      'QUERY',
    )
    const xml = await query('{"limit":1000,"name":"no such planet"}', JSON_TYPE, '/planets', {
      Accept: 'application/xml',
    })
    expect(await xml.text()).toContain('<nextCursor xsi:nil="true"')
  })
})

/** What the digest of a cursor says about the world. A universe that was never reset has no tag of an era. */
const CURSOR_WORLD = [WORLD === 'common' ? null : UNIVERSE_ID, null]

/** A cursor of a list without filter, made by somebody who has read the code. */
async function forge(sort: string | undefined, content: string): Promise<string> {
  const list = JSON.stringify([...CURSOR_WORLD, '', [], null, sort ?? null])
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(list + content))
  const bytes = [...new Uint8Array(digest).subarray(0, 12), ...new TextEncoder().encode(content)]
  return new Uint8Array(bytes).toBase64({ alphabet: 'base64url', omitPadding: true })
}

describe('a cursor', () => {
  const firstCursor = async (parameters: string) =>
    (await bodyOf(await client.get(`/planets?limit=1&${parameters}`))).meta.nextCursor

  it('goes on with another limit and other fields, and with no other filter or order', async () => {
    const cursor = await firstCursor('name=a&sort=name')
    expect((await client.get(`/planets?name=A&sort=name&limit=3&fields=type&cursor=${cursor}`)).status).toBe(200)
    for (const other of ['name=b&sort=name', 'name=a', 'name=a&sort=-name', 'name=a&sort=name&type=dwarf', 'sort=name'])
      expect((await client.get(`/planets?${other}&cursor=${cursor}`)).status, other).toBe(400)
  })

  it('is refused if one letter of it has changed', async () => {
    const cursor: string = await firstCursor('sort=name')
    for (let index = 0; index < cursor.length; index++) {
      const changed = cursor.slice(0, index) + (cursor[index] === 'A' ? 'B' : 'A') + cursor.slice(index + 1)
      expect((await client.get(`/planets?sort=name&cursor=${changed}`)).status, changed).toBe(400)
    }
    expect((await client.get(`/planets?sort=name&cursor=${cursor}=`)).status).toBe(400)
  })

  it('can be made by anyone, because only its position is in it', () =>
    eachRow(
      [
        ['', '[null,1]'],
        ['sort=name', '["a",1]'],
        ['sort=-habitabilityIndex', '[-1,1]'],
      ],
      async ([parameters, content]) => {
        const sort = new URLSearchParams(parameters).get('sort') ?? undefined
        const cursor = await forge(sort, content)
        expect((await client.get(`/planets?${parameters}&cursor=${cursor}`)).status).toBe(200)
      },
    ))

  it('is refused if it says nothing, whoever computed its digest', () =>
    eachRow(
      [
        ['', 'x'],
        ['', '{}'],
        ['', 'null'],
        ['', '[]'],
        ['', '[1]'],
        ['', '[null,{"a":1}]'],
        ['', '[null,[1,2]]'],
        ['', '[null,null]'],
        ['', '[true,1]'],
        ['', '["a",1]'],
        ['', '[null,1.5]'],
        ['', '[null,9007199254740992]'],
        ['', '[null,1,2]'],
        ['sort=name', '[null,1]'],
        ['sort=-name', '[1,1]'],
        ['sort=habitabilityIndex', '["a",1]'],
        ['sort=-habitabilityIndex', '[1e400,1]'],
      ],
      async ([parameters, content]) => {
        const sort = new URLSearchParams(parameters).get('sort') ?? undefined
        const cursor = await forge(sort, content)
        expect(await faultsOf(await client.get(`/planets?${parameters}&cursor=${cursor}`))).toEqual({
          status: 400,
          code: 'invalid-query',
          pointers: ['/cursor'],
        })
      },
    ))

  it('of a planet with the longest name is not too long', async () => {
    const name = '\u{10FFFF}'.repeat(200)
    for (let count = 0; count < 2; count++)
      expect((await client.sendJson('POST', '/planets', { name }, account)).status).toBe(201)
    const cursor = await firstCursor(`sort=name&name=${encodeURIComponent('\u{10FFFF}')}`)
    expect(cursor.length).toBeLessThanOrEqual(2048)
    expect(
      (await client.get(`/planets?sort=name&name=${encodeURIComponent('\u{10FFFF}')}&cursor=${cursor}`)).status,
    ).toBe(200)
  })
})
