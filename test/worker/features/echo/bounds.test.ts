import { describe, expect, it } from 'vitest'
import { echoOf } from '../../../support/echo.ts'

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
  ['a name in another notation', `${PART}; filename*=UTF-8''a.txt\r\nContent-Type: image/png`],
  ['a text with a type', `${PART}\r\nContent-Type: application/json`],
  ['a file without a name', `${PART}; filename=""\r\nContent-Type: application/octet-stream`],
])('a multipart form with more than names and values is returned as a whole: %s', async (_, head) => {
  const text = `--B\r\n${head}\r\n\r\nx\r\n--B--\r\n`
  const { body } = await post('multipart/form-data; boundary=B', text)
  // If the runtime takes it for a file, all its members are returned.
  if (typeof body === 'string') expect(body).toBe(text)
  else expect(body.f).toMatchObject({ type: expect.any(String), size: 1 })
})
