import { describe, expect, it } from 'vitest'
import { createClient, ORIGIN } from '../../../support/app.ts'
import { eachRow } from '../../../support/each-row.ts'
import { echoOf, sendToEcho, sha256Of } from '../../../support/echo.ts'
import { linksOf } from '../../../support/pages.ts'
import { BASE_PATH } from '../../../support/world.ts'

// Every row of the echo's description.

const JSON_TYPE = { 'Content-Type': 'application/json' }
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** An unsigned token whose claims contain a number that a double cannot represent. */
const JWT = `${base64Url('{"alg":"none"}')}.${base64Url('{"sub":"12","iat":12345678901234567890}')}.`

function base64Url(text: string): string {
  return new TextEncoder().encode(text).toBase64({ alphabet: 'base64url', omitPadding: true })
}

function post(body: BodyInit, headers: Record<string, string> = {}): RequestInit {
  return { method: 'POST', body, headers }
}

describe('the echo returns', () => {
  it('method, path, headers, cookies, query and body', async () => {
    const init = post('{"name":"Arrakis"}', { ...JSON_TYPE, Cookie: 'a=1; b=two%20words', 'X-Own': 'yes' })
    expect(await echoOf('/echo/planets/4?limit=2', init)).toEqual({
      method: 'POST',
      path: '/planets/4',
      headers: { 'content-type': 'application/json', cookie: 'a=1; b=two%20words', 'x-own': 'yes' },
      cookies: { a: '1', b: 'two words' },
      query: { limit: '2' },
      body: { name: 'Arrakis' },
    })
  })

  it('all cookies', () =>
    eachRow(
      [
        ['a=1; a=2; b=3; a=', { a: ['1', '2', ''], b: '3' }],
        ['a={"k":[1,"x"]}; b=x"y; c="; d=""', { a: '{"k":[1,"x"]}', b: 'x"y', c: '"', d: '' }],
        ['a="two words"; b="a\\"b"', { a: 'two words', b: 'a\\"b' }],
        ['a=C:\\dir\\; b=\\', { a: 'C:\\dir\\', b: '\\' }],
        ['a=1=2==; b', { a: '1=2==', '': 'b' }],
        [' a = 1 ;;b=2;', { a: '1', b: '2' }],
        ['a=%C3%BC%20%22; b=%zz; c=%C3; d=100%', { a: 'ü "', b: '%zz', c: '%C3', d: '100%' }],
        [
          'a b=1; [x]=2; {y}="3"; __proto__=4; constructor=5',
          { 'a b': '1', '[x]': '2', '{y}': '3', ['__proto__']: '4', constructor: '5' },
        ],
        ["a=1,2; b=<x>&'", { a: '1,2', b: "<x>&'" }],
      ],
      async ([Cookie, cookies]) => {
        const told = await echoOf('/echo', { headers: { Cookie } })
        expect(Object.entries(told.cookies)).toEqual(Object.entries(cookies))
        expect(told.headers.cookie.trim()).toBe(Cookie.trim())
      },
    ))

  it('the path below that of the echo', () =>
    eachRow(
      [
        ['/echo', '/'],
        ['/echo/', '/'],
        ['/echo//a/', '//a/'],
        ['/echo/echo', '/echo'],
        ['/echo/a%20b/%C3%BC?x=1', '/a%20b/%C3%BC'],
      ],
      async ([path, told]) => {
        expect((await echoOf(path)).path).toBe(told)
      },
    ))

  it('nothing for what is not one of its paths', () =>
    eachRow(['/echoes', '/Echo', '/echo.json', '/a/echo'], async (path) => {
      expect((await createClient().get(path)).status).toBe(404)
    }))

  it('the method', () =>
    eachRow(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'REPORT', 'PURGE'], async (method) => {
      expect(await echoOf('/echo/a', { method })).toMatchObject({ method, path: '/a' })
    }))

  it('the headers of GET and no body for HEAD', async () => {
    const response = await sendToEcho('/echo', { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(await response.text()).toBe('')
  })

  it('the query, with a list in order for repeated parameters', () =>
    eachRow(
      [
        ['?a=1&b=2&a=3&a=1', { a: ['1', '3', '1'], b: '2' }],
        ['?a', { a: '' }],
        ['?=1', { '': '1' }],
        ['?a%5B%5D=1&a.b=2', { 'a[]': '1', 'a.b': '2' }],
        ['?%C3%BC=%F0%9F%AA%90&p=a+b%2Bc', { ü: '🪐', p: 'a b+c' }],
        ['', {}],
      ],
      async ([query, told]) => {
        expect((await echoOf(`/echo${query}`)).query).toEqual(told)
      },
    ))

  it('a parameter with the name __proto__', async () => {
    const text = await (await sendToEcho('/echo?__proto__=1&__proto__=2')).text()
    expect(text).toContain('"query":{"__proto__":["1","2"]}')
  })

  it('headers without those of the platform', async () => {
    const headers = { 'CF-Connecting-IP': '192.0.2.1', 'CF-Ray': 'a', 'X-Forwarded-For': '192.0.2.1', 'X-Real-IP': 'a' }
    expect((await echoOf('/echo', { headers: { ...headers, 'X-Galaxy': 'a' } })).headers).toEqual({ 'x-galaxy': 'a' })
  })

  it('each kind of credential decoded, and accepts any', () =>
    eachRow(
      [
        [
          `Basic ${btoa('ada:a:b')}`,
          {
            type: 'http.basic',
            scheme: 'basic',
            token: btoa('ada:a:b'),
            value: 'ada:a:b',
            username: 'ada',
            password: 'a:b',
          },
        ],
        ['basic junk!', { type: 'http.basic', scheme: 'basic', token: 'junk!' }],
        ['Bearer glx_secret', { type: 'http.bearer', scheme: 'bearer', token: 'glx_secret' }],
        ['Bearer a.b.c', { type: 'http.bearer', scheme: 'bearer', token: 'a.b.c' }],
        ['Bearer', { type: 'http.bearer', scheme: 'bearer', token: '' }],
        ['Digest username="ada"', undefined],
      ],
      async ([Authorization, told]) => {
        expect((await echoOf('/echo', { headers: { Authorization } })).authentication).toEqual(told)
      },
    ))

  it('the content of a JSON Web Token, to its last digit', async () => {
    const text = await (await sendToEcho('/echo', { headers: { Authorization: `Bearer ${JWT}` } })).text()
    expect(text).toContain('"jwt":{"header":{"alg":"none"},"payload":{"sub":"12","iat":12345678901234567890}}')
  })
})

describe('the body', () => {
  it('is returned as the same JSON', () =>
    eachRow(
      [
        '12345678901234567890',
        '0.1000000000000000055',
        '1.0',
        '-0',
        '1e999',
        '1E+2',
        '{"a":[1.50,{"b":-12345678901234567890}],"c":"1.50"}',
        '[[1.0,2],[3]]',
        '{"__proto__":{"a":1.0},"constructor":1}',
        'null',
        '""',
        '[]',
      ],
      async (body) => {
        const text = await (await sendToEcho('/echo', post(body, JSON_TYPE))).text()
        expect(text.endsWith(`,"body":${body}}`), text).toBe(true)
      },
    ))

  it('that is JSON by its type or its form is JSON', () =>
    eachRow(
      [
        ['{"a":1,"a":2.0}', JSON_TYPE, '{"a":2.0}'],
        ['\uFEFF{"a":1}', JSON_TYPE, '{"a":1}'],
        ['{"a":1}', { 'Content-Type': 'application/geo+json; charset=utf-8' }, '{"a":1}'],
        ['[1]', { 'Content-Type': '' }, '[1]'],
      ],
      async ([body, headers, told]) => {
        const bytes = new TextEncoder().encode(body)
        const text = await (await sendToEcho('/echo', post(bytes, headers))).text()
        expect(text.endsWith(`,"body":${told}}`), text).toBe(true)
      },
    ))

  it('that is not JSON is text, with every character', () =>
    eachRow(
      [
        ['{"a":', JSON_TYPE],
        ['01', JSON_TYPE],
        ['{1.0:2}', JSON_TYPE],
        ['-', JSON_TYPE],
        ['[1.0 2.0]', JSON_TYPE],
        ['1.0.0', JSON_TYPE],
        ['"a', JSON_TYPE],
        [`${'['.repeat(65)}${']'.repeat(65)}`, JSON_TYPE],
        [' \n', JSON_TYPE],
        ['{"a":1}', { 'Content-Type': 'text/plain' }],
        ['<planet><name>Arrakis</name></planet>', { 'Content-Type': 'application/xml' }],
        ['a\0b\r\n\u001b🪐\uFFFD', { 'Content-Type': 'text/plain' }],
        ['\uFEFFa', { 'Content-Type': 'text/plain' }],
        ['a=%ff', FORM_TYPE],
        ['--x\r\n', { 'Content-Type': 'multipart/form-data; boundary=x' }],
        ['a', { 'Content-Type': 'multipart/form-data' }],
      ],
      async ([body, headers]) => {
        const told = await echoOf('/echo', post(body, headers))
        expect(told.body).toBe(body)
        expect(told).not.toHaveProperty('encoding')
      },
    ))

  it('of 64 levels is still JSON', async () => {
    const body = `${'['.repeat(64)}${']'.repeat(64)}`
    const text = await (await sendToEcho('/echo', post(body, JSON_TYPE))).text()
    expect(text.endsWith(`,"body":${body}}`)).toBe(true)
  })

  it('that is not UTF-8 is base64 and marked as such', () =>
    eachRow(
      [
        [[0xff, 0x00, 0x80], {}],
        [[0x22, 0xff, 0x22], JSON_TYPE],
        [[0x61, 0x3d, 0xc3], FORM_TYPE],
        [[0xed, 0xa0, 0x80], { 'Content-Type': 'text/plain' }],
      ],
      async ([bytes, headers]) => {
        const told = await echoOf('/echo', post(new Uint8Array(bytes), headers))
        expect(told).toMatchObject({ body: new Uint8Array(bytes).toBase64(), encoding: 'base64' })
      },
    ))

  it('that is a form has each field once', () =>
    eachRow(
      [
        ['a=1&b=2&a=3', { a: ['1', '3'], b: '2' }],
        ['?a=1', { '?a': '1' }],
        ['a+b=c%2Bd&%C3%BC=%26', { 'a b': 'c+d', ü: '&' }],
      ],
      async ([body, told]) => {
        expect((await echoOf('/echo', post(body, FORM_TYPE))).body).toEqual(told)
      },
    ))

  it('of a multipart form has fields and files, several under one name', async () => {
    const bytes = new Uint8Array([0xff, 0, 13, 10, 0x2d, 0x2d])
    const form = new FormData()
    form.append('name', 'Arrakis\r\nDune')
    form.append('image', new File([bytes], 'ü.png', { type: 'image/png' }))
    form.append('image', new File([], 'empty.txt', { type: 'text/plain' }))
    form.append('image', 'none')
    const told = await echoOf('/echo', post(form))
    expect(told.body).toEqual({
      name: 'Arrakis\r\nDune',
      image: [
        { name: 'ü.png', type: 'image/png', size: 6, sha256: await sha256Of(bytes) },
        { name: 'empty.txt', type: 'text/plain', size: 0, sha256: await sha256Of(new Uint8Array()) },
        'none',
      ],
    })
  })

  it("of a form of .NET's HttpClient has its fields and files, and ignores filename*", async () => {
    const parts = [
      'Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=note\r\n\r\nhello',
      "Content-Disposition: form-data; name=image; filename=a.png; filename*=utf-8''a.png\r\n\r\nhi",
      "Content-Disposition: form-data; name=image; filename*=utf-8''b.png\r\n\r\nhi",
    ]
    const body = `--x\r\n${parts.join('\r\n--x\r\n')}\r\n--x--\r\n`
    const told = await echoOf('/echo', post(body, { 'Content-Type': 'multipart/form-data; boundary="x"' }))
    const file = { name: 'a.png', type: '', size: 2, sha256: await sha256Of(Uint8Array.of(0x68, 0x69)) }
    expect(told.body).toEqual({ note: 'hello', image: [file, 'hi'] })
  })

  it('of a form without parts has no fields', async () => {
    const form = { 'Content-Type': 'multipart/form-data; boundary=x' }
    expect((await echoOf('/echo', post('--x--\r\n', form))).body).toEqual({})
  })

  it('of a multipart form with a field that is not UTF-8 is base64, so that nothing is lost', async () => {
    const head = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n'
    const bytes = new Uint8Array([
      ...new TextEncoder().encode(head),
      0xff,
      ...new TextEncoder().encode('\r\n--x--\r\n'),
    ])
    const told = await echoOf('/echo', post(bytes, { 'Content-Type': 'multipart/form-data; boundary=x' }))
    expect(told).toMatchObject({ body: bytes.toBase64(), encoding: 'base64' })
  })

  it('is absent if the request has none', () =>
    eachRow(['GET', 'POST'], async (method) => {
      expect(await echoOf('/echo', { method, headers: JSON_TYPE })).not.toHaveProperty('body')
    }))

  it('of 1 MiB is returned, and one byte more is 413, whatever its Content-Length says', async () => {
    const whole = new Uint8Array(1024 * 1024).fill(0x61)
    expect((await echoOf('/echo', post(whole))).body).toHaveLength(whole.length)
    const drip = new ReadableStream({
      start(controller) {
        controller.enqueue(whole)
        controller.enqueue(new Uint8Array(1))
      },
    })
    for (const body of [new Uint8Array(whole.length + 1), drip]) {
      const response = await createClient().send('/echo', post(body))
      expect(response.status).toBe(413)
      expect(await response.json()).toMatchObject({ detail: 'The echo accepts a body of at most 1048576 bytes.' })
    }
  })
})

const CHROME = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

describe('the format', () => {
  it('is that of the path, or else of Accept', () =>
    eachRow(
      [
        ['/echo', undefined, 'application/json'],
        ['/echo', '*/*', 'application/json'],
        ['/echo', 'application/xml', 'application/xml'],
        ['/echo', 'text/xml', 'text/xml; charset=utf-8'],
        ['/echo/a.xml', 'text/xml', 'application/xml'],
        ['/echo', 'application/xml;q=0.5, application/json;q=0.4', 'application/xml'],
        ['/echo', CHROME, 'text/html; charset=utf-8'],
        ['/echo', 'text/html;q=0.5, application/json;q=0.9', 'application/json'],
        ['/echo', 'text/html;q=0.5, application/xml;q=0.9', 'application/xml'],
        ['/echo/a.json', 'text/html', 'application/json'],
        ['/echo/a.xml', 'application/json', 'application/xml'],
        ['/echo/a.html', 'application/json', 'text/html; charset=utf-8'],
        ['/echo/.xml', 'image/png', 'application/xml'],
        ['/echo/201.xml', undefined, 'application/xml'],
        ['/echo/a.xml/', undefined, 'application/json'],
      ],
      async ([path, accept, mediaType]) => {
        const response = await sendToEcho(path, accept === undefined ? {} : { headers: { Accept: accept } })
        expect(response.headers.get('Content-Type')).toBe(mediaType)
        expect(response.headers.get('Vary')).toBe('Accept, Accept-Encoding')
      },
    ))

  it('is 406 if none is acceptable', async () => {
    expect((await sendToEcho('/echo', { headers: { Accept: 'image/png' } })).status).toBe(406)
  })

  it('XML has one root, an element for each value, and every digit', async () => {
    const body = '{"n":12345678901234567890,"nil":null,"list":["<a>",[1.0,[]],{}],"a b":true,"":"\\u0000"}'
    const response = await sendToEcho('/echo/a.xml?x=1&x=2', post(body, { ...JSON_TYPE, 'X-A': ']]>' }))
    const text = await response.text()
    // HTTP adds the length.
    expect(text.replace(/<content-length>\d+<\/content-length>/, '')).toBe(
      `<?xml version="1.0" encoding="UTF-8"?>\n<echo xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` +
        '<method>POST</method><path>/a.xml</path>' +
        '<headers><content-type>application/json</content-type><x-a>]]&gt;</x-a></headers>' +
        '<cookies></cookies><query><x>1</x><x>2</x></query><body><n>12345678901234567890</n><nil xsi:nil="true"/>' +
        '<list>&lt;a&gt;</list><list><item>1.0</item><item></item></list><list></list>' +
        '<a_x0020_b>true</a_x0020_b><_>\uFFFD</_></body></echo>',
    )
  })

  it('of XML contains the body as text if that would grow without bound', async () => {
    const body = `{"${'a'.repeat(500_000)}":[${'1,'.repeat(200_000)}1]}`
    const text = await (await sendToEcho('/echo/a.xml', post(body, JSON_TYPE))).text()
    expect(text.length).toBeLessThan(body.length + 1000)
    expect(text).toContain(`<body>${body}</body>`)
  })
})

describe('a path that ends in a status', () => {
  it('gets a response of that status with what was sent', () =>
    eachRow([200, 201, 202, 206, 226, 299, 300, 399], async (status) => {
      const response = await sendToEcho(`/echo/a/b/${status}`, post('{"a":1.0}', JSON_TYPE))
      expect(response.status).toBe(status)
      expect(await response.text()).toContain('"body":{"a":1.0}')
    }))

  it('of a redirect redirects to the echo', () =>
    eachRow([301, 302, 303, 307, 308], async (status) => {
      const response = await sendToEcho(`/echo/${status}`, { redirect: 'manual' })
      expect([response.status, response.headers.get('Location')]).toEqual([status, `${ORIGIN}/echo`])
    }))

  it('of a response without a body has none', () =>
    eachRow([204, 205, 304], async (status) => {
      const response = await sendToEcho(`/echo/${status}`, post('a'))
      expect([response.status, await response.text()]).toEqual([status, ''])
      expect(response.headers.get('Location')).toBeNull()
    }))

  it('of an error is a problem document', () =>
    eachRow(
      [
        [400, 'Bad Request'],
        [404, 'Not Found'],
        [418, "I'm a teapot"],
        [499, 'Client Error'],
        [503, 'Service Unavailable'],
        [599, 'Server Error'],
      ],
      async ([status, title]) => {
        const response = await sendToEcho(`/echo/deep/er/${status}`, { method: 'DELETE' })
        expect(response.status).toBe(status)
        expect(response.headers.get('Content-Type')).toBe('application/problem+json')
        expect(await response.json()).toEqual({
          type: 'about:blank',
          title,
          status,
          detail: 'The path requested this status.',
          instance: `urn:uuid:${response.headers.get('X-Request-ID')}`,
        })
      },
    ))

  it('of an error is XML for who wants XML', () =>
    eachRow(
      [
        ['/echo/503', { Accept: 'application/xml' }],
        ['/echo/503.xml', {}],
      ],
      async ([path, headers]) => {
        const response = await sendToEcho(path, { headers })
        expect([response.status, response.headers.get('Content-Type')]).toEqual([503, 'application/problem+xml'])
      },
    ))

  it('has the header that HTTP requires with the status', () =>
    eachRow(
      [
        [401, 'WWW-Authenticate'],
        [405, 'Allow'],
        [407, 'Proxy-Authenticate'],
        [426, 'Upgrade'],
      ],
      async ([status, header]) => {
        expect((await sendToEcho(`/echo/${status}`)).headers.has(header)).toBe(true)
      },
    ))

  it('is 404 if it is no status', () =>
    eachRow(
      ['/echo/199', '/echo/600', '/echo/2000', '/echo/20', '/echo/503/', '/echo/503/a', '/echo/a503', '/echo?503'],
      async (path) => {
        expect((await sendToEcho(path)).status).toBe(200)
      },
    ))
})

describe('a delay', () => {
  it('is as long as was asked for, at most its limit, and is reported', () =>
    eachRow(
      [
        ['2', [2000]],
        ['0.25', [250]],
        ['10', [10_000]],
        ['10.5', [10_000]],
        ['99999', [10_000]],
        ['0', []],
        ['-1', []],
        ['soon', []],
        ['1e1', []],
        ['', []],
      ],
      async ([delay, expected]) => {
        const waited: number[] = []
        const wait = async (milliseconds: number) => void waited.push(milliseconds)
        expect((await echoOf(`/echo?delay=${delay}`, {}, { wait })).query).toEqual({ delay })
        expect(waited).toEqual(expected)
      },
    ))
})

describe('the page', () => {
  it('links to the service from below /echo', async () => {
    const links = linksOf(await (await sendToEcho('/echo/a.html')).text()).filter((link) => link !== '#main')
    expect(links).toEqual(expect.arrayContaining([`${BASE_PATH}/`, `${BASE_PATH}/docs`, `${BASE_PATH}/problems`]))
  })
})

describe('every response', () => {
  const asked = ['/echo', '/echo/a.xml', '/echo/a.html', '/echo/204', '/echo/302', '/echo/404', '/echo/stream?count=1']

  it('has the headers of the service, cannot be cached and sets no cookie', () =>
    eachRow(asked, async (path) => {
      const headers = {
        'X-Request-ID': '123e4567-e89b-42d3-a456-426614174000',
        Cookie: 'a=b',
        Origin: 'https://a.test',
      }
      const response = await sendToEcho(path, { headers, redirect: 'manual' })
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'x-request-id': headers['X-Request-ID'],
        'x-processing-time': expect.stringMatching(/^\d+$/),
        'api-version': '2.0.0',
        'access-control-allow-origin': '*',
        'cache-control': 'no-store',
        'x-cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
      expect(response.headers.has('Set-Cookie')).toBe(false)
    }))

  it('prevents scripts', () =>
    eachRow(['/echo', '/echo/a.xml', '/echo/a.html', '/echo/stream?count=1'], async (path) => {
      const policy = (await sendToEcho(path)).headers.get('Content-Security-Policy')
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toContain('script')
    }))

  it('to a preflight is the same as on every path', async () => {
    const headers = { 'Access-Control-Request-Method': 'PUT', Origin: 'https://a.test' }
    const response = await sendToEcho('/echo/a', { method: 'OPTIONS', headers })
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(response.headers.get('Access-Control-Allow-Methods')).toContain('PUT')
  })

  it('to a call that the service itself makes is an echo too', async () => {
    const headers = { 'X-Galaxy-Event': 'planetCreated' }
    expect((await echoOf('/echo', { method: 'POST', headers })).headers).toEqual({ 'x-galaxy-event': 'planetCreated' })
  })
})
