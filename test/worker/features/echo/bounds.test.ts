import { describe, expect, it } from 'vitest'
import { echoOf } from '../../../support/echo.ts'
import { bytesOf } from '../../../support/pictures.ts'

const post = (type: string, body: string) =>
  echoOf('/echo', { method: 'POST', headers: { 'Content-Type': type }, body })

describe('a value that would take many times the memory of its text is returned as text', () => {
  it.each([
    [20_000, 'object'],
    [20_001, 'string'],
  ])('%i numbers that a double would change are returned as a JSON %s', async (count, type) => {
    const text = `[${Array(count).fill('1.0').join()}]`
    const { body } = await post('application/json', text)
    expect(typeof body).toBe(type)
    if (type === 'string') expect(body).toBe(text)
    else expect(body).toHaveLength(count)
  })

  it.each([
    [20_000, 'object'],
    [20_001, 'string'],
  ])('%i fields of a form are returned as a JSON %s', async (count, type) => {
    const text = Array(count).fill('a=1').join('&')
    const { body } = await post('application/x-www-form-urlencoded', text)
    expect(typeof body).toBe(type)
    if (type === 'string') expect(body).toBe(text)
    else expect(body.a).toHaveLength(count)
  })

  it.each([
    [20_000, 'object'],
    [20_001, 'string'],
  ])('%i parts of a form are returned as a JSON %s', async (count, type) => {
    const text = `${'--x\r\nContent-Disposition:form-data;name=a\r\n\r\n1\r\n'.repeat(count)}--x--`
    const { body } = await post('multipart/form-data; boundary=x', text)
    expect(typeof body).toBe(type)
    if (type === 'string') expect(body).toBe(text)
    else expect(body.a).toHaveLength(count)
  })
})

it('the cookie of the sign-in page is not shown to scripts, other cookies are', async () => {
  const Cookie = '__Host-galaxy-browser=s3cr3t; a=1; galaxy-browser=s3cr3t; not-galaxy-browser=2'
  const { headers, cookies } = await echoOf('/echo', { headers: { Cookie } })
  expect(cookies).toEqual({ a: '1', 'not-galaxy-browser': '2' })
  expect(headers.cookie.trim()).toBe('a=1; not-galaxy-browser=2')
  expect((await echoOf('/echo', { headers: { Cookie: 'galaxy-browser=s3cr3t' } })).headers).not.toHaveProperty('cookie')
})

const PART = 'Content-Disposition: form-data; name="f"'

it.each([
  ['a text with a type', `${PART}\r\nContent-Type: application/json`],
  ['a text in another charset', `${PART}\r\nContent-Type: text/plain; charset=iso-8859-1`],
  ['a file name that is not UTF-8', `${PART}; filename="\xFF"`],
  ['a type that is not UTF-8', `${PART}; filename=a\r\nContent-Type: a/\xFF`],
])('a multipart form with more than names and values is returned as a whole: %s', async (_, head) => {
  const bytes = bytesOf(`--B\r\n${head}\r\n\r\nx\r\n--B--\r\n`)
  const told = await echoOf('/echo', {
    method: 'POST',
    headers: { 'Content-Type': 'multipart/form-data; boundary=B' },
    body: bytes,
  })
  const decoded = told.encoding === 'base64' ? Uint8Array.fromBase64(told.body) : new TextEncoder().encode(told.body)
  expect(decoded).toEqual(bytes)
})

it.each(['text/plain', 'Text/Plain; charset=UTF-8', 'text/plain;charset="us-ascii"'])(
  'a text of the type %s, which every text has, is a field',
  async (type) => {
    const { body } = await post(
      'multipart/form-data; boundary=B',
      `--B\r\n${PART}\r\nContent-Type: ${type}\r\n\r\nx\r\n--B--`,
    )
    expect(body).toEqual({ f: 'x' })
  },
)

it('a file without a name is a file', async () => {
  const type = 'application/octet-stream'
  const text = `--B\r\n${PART}; filename=""\r\nContent-Type: ${type}\r\n\r\nx\r\n--B--\r\n`
  const { body } = await post('multipart/form-data; boundary=B', text)
  expect(body.f).toMatchObject({ name: '', type, size: 1 })
})
