import { beforeAll, describe, expect, it } from 'vitest'
import { parseContentType } from '../../../../src/http/body/content-type.ts'
import { type Account, authorization, bodyOf, type Client, createAccount, createClient } from '../../../support/app.ts'
import { echoOf } from '../../../support/echo.ts'

// A Content-Type is parsed as RFC 9110 defines it (sections 5.6.6 and 8.3.1), and leniently for careless clients.

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

const post = (type: string, body: BodyInit = '{"name":"Tërra"}') =>
  client.send('/planets', { method: 'POST', body, headers: { 'Content-Type': type, ...authorization(account) } })

describe('a body is UTF-8 JSON', () => {
  it.each([
    'application/json; profile="a;charset=latin1"',
    'application/json; profile="a\\";charset=latin1"',
    'application/json; profile="charset=latin1"; charset=utf-8',
    'application/json; x-charset=latin1',
    'application/json; charset=UTF-8; charset=latin1',
    'application/json; charset="utf-8"',
    'application/json; charset="utf\\-8"',
    'application/json ;charset = utf-8',
    'application/json;;charset=utf8;',
    'APPLICATION/JSON;CHARSET=UTF-8',
    'application/json; charset',
    'application/json; profile="not closed; charset=latin1',
  ])('as %s', async (type) => {
    const response = await post(type)
    expect(response.status).toBe(201)
    expect((await bodyOf(response)).name).toBe('Tërra')
  })
})

it.each([
  'application/json; charset=latin1',
  'application/json; profile="a;b"; charset=latin1',
  'application/json; profile="charset=utf-8"; charset="latin1"',
  'application/json; charset="utf-8;latin1"',
  'application/json; charset = latin1',
])('another charset is 400: %s', async (type) => {
  const response = await post(type)
  expect(response.status).toBe(400)
  expect((await bodyOf(response)).type).toMatch(/malformed-body$/)
})

describe('US-ASCII is a part of UTF-8', () => {
  it.each(['us-ascii', 'US-ASCII', '"ascii"', 'ANSI_X3.4-1968'])('and is read by its name %s', async (charset) => {
    const type = `application/json; charset=${charset}`
    expect((await post(type, '{"name":"Terra"}')).status).toBe(201)
    const escaped = await post(type, '{"name":"T\\u00ebrra"}')
    expect((await bodyOf(escaped)).name).toBe('Tërra')
    const beyond = await post(type)
    expect(beyond.status).toBe(400)
    expect((await bodyOf(beyond)).type).toMatch(/malformed-body$/)
  })

  it.each([
    ['application/merge-patch+json', '{"description":"a"}', '{"description":"ë"}'],
    ['application/json-patch+json', '[{"op":"add","path":"/tags","value":["a"]}]', '[{"op":"test","path":"/é"}]'],
  ])('in a patch: %s', async (type, patch, beyond) => {
    const { id } = await bodyOf(await post('application/json', '{"name":"Terra"}'))
    const send = (body: string) =>
      client.send(`/planets/${id}`, {
        method: 'PATCH',
        body,
        headers: { 'Content-Type': `${type}; charset=us-ascii`, ...authorization(account) },
      })
    expect((await send(patch)).status).toBe(200)
    expect((await send(beyond)).status).toBe(400)
  })

  it('in a QUERY', async () => {
    const send = (body: string) =>
      client.send('/planets', {
        method: 'QUERY',
        body,
        headers: { 'Content-Type': 'application/json; charset=us-ascii' },
      })
    expect((await send('{"name":"Terra"}')).status).toBe(200)
    expect((await send('{"name":"Tërra"}')).status).toBe(400)
  })
})

it.each([
  'text/plain; x=application/json',
  'text/plain; x=";application/json"',
  'application/json, text/plain',
  '"application/json"',
])('another type is 415: %s', async (type) => {
  expect((await post(type)).status).toBe(415)
})

it('a form is parsed by its boundary, even if the boundary is quoted', async () => {
  const boundary = 'a;boundary=b'
  const body = `--${boundary}\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n--${boundary}--\r\n`
  const headers = { 'Content-Type': `Multipart/Form-Data; x="boundary=c"; boundary="${boundary}"` }
  expect((await echoOf('/echo', { method: 'POST', headers, body })).body).toEqual({ x: '1' })
})

it.each([
  ['application/json; profile="a;charset=latin1"', '{"a":1.0}'],
  ['application/vnd.x+json; a="\\",;"', '{"a":1.0}'],
])('the echo reads a body of %s as JSON', async (type, body) => {
  const echo = await echoOf('/echo', { method: 'POST', headers: { 'Content-Type': type }, body })
  expect(echo.body).toEqual({ a: 1 })
})

it('an invalid Content-Type counts as missing, however long it is', () => {
  for (const text of ['', ';', '"', ';='.repeat(50_000), `a/b;c="${'\\'.repeat(99_999)}`, ' '.repeat(99_999)]) {
    expect(parseContentType(new Headers({ 'Content-Type': text })).charset).toBeUndefined()
  }
})
