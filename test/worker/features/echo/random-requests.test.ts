import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { echoOf, sendToEcho, sha256Of } from '../../../support/echo.ts'

// Any body is returned exactly.

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'REPORT', 'QUERY']
const TYPES = ['text/plain', 'text/plain; charset=iso-8859-1', 'application/octet-stream', 'application/xml', 'a/b', '']

/** A random request, and the expected response. */
interface Sample {
  method: string
  body: BodyInit
  headers: Record<string, string>
  check(told: Told): Promise<void>
}

interface Told {
  /** The whole response. */
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
  echo: any
}

const method = fc.constantFrom(...METHODS)
const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => new Uint8Array(array))
/** Texts that UTF-8 can carry, with characters that are difficult for parsers. */
const text = (maxLength: number) =>
  fc.string({
    unit: fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.constantFrom(...'"\\&=%+<\r\n\0')),
    maxLength,
  })

/** For these, the decoded body has the hash of what was sent. */
const plain: fc.Arbitrary<Sample> = fc
  .tuple(method, fc.constantFrom(...TYPES), fc.oneof(bytes(3000), text(1000).map(encode)))
  .filter(([, type]) => type !== '')
  .map(([method, type, body]) => ({
    method,
    body,
    headers: { 'Content-Type': type },
    async check({ echo: { body: told = '', encoding } }) {
      const decoded = encoding === 'base64' ? Uint8Array.fromBase64(told) : encode(told)
      expect(await sha256Of(decoded)).toBe(await sha256Of(body))
    },
  }))

const digits = (maxLength: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength })
const number = fc
  .tuple(fc.boolean(), digits(25), fc.option(digits(25)), fc.option(fc.integer({ min: -400, max: 400 })))
  .map(([minus, whole, fraction, exponent]) => {
    const integer = whole.replace(/^0+(?=\d)/, '')
    return `${minus ? '-' : ''}${integer}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`
  })

/** JSON texts without white space, with names whose order an object keeps. */
const json: fc.Arbitrary<string> = fc.letrec<{ value: string; list: string; members: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    number,
    text(20).map((value) => JSON.stringify(value)),
    fc.constantFrom('true', 'false', 'null'),
    tie('list'),
    tie('members'),
  ),
  list: fc.array(tie('value'), { maxLength: 5 }).map((items) => `[${items}]`),
  members: fc
    .uniqueArray(fc.tuple(text(10), tie('value')), { maxLength: 5, selector: ([name]) => name })
    .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(`n${name}`)}:${value}`)}}`),
})).value

/** For these, the response contains the exact text. */
const document: fc.Arbitrary<Sample> = fc.tuple(method, json).map(([method, body]) => ({
  method,
  body,
  headers: { 'Content-Type': 'application/json' },
  check: async ({ text }) => expect(text.endsWith(`,"body":${body}}`), `${body}\n${text}`).toBe(true),
}))

const fields = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'ü', '__proto__', ' &='), text(50).filter(isReadable)), {
  minLength: 1,
  maxLength: 8,
})

const urlencoded: fc.Arbitrary<Sample> = fc.tuple(method, fields).map(([method, fields]) => ({
  method,
  body: new URLSearchParams(fields).toString(),
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  check: async ({ echo }) => expect(Object.entries(echo.body)).toEqual(grouped(fields)),
}))

const file = fc.tuple(
  fc.constantFrom('a.png', 'ü.txt', 'no type', "'.xml"),
  fc.constantFrom('image/png', 'a/b'),
  bytes(2000),
)
const part = fc.tuple(fc.constantFrom('a', 'b', 'ü'), fc.oneof(text(50).filter(isReadable), file))

const multipart: fc.Arbitrary<Sample> = fc
  .tuple(method, fc.array(part, { minLength: 1, maxLength: 6 }))
  .map(([method, parts]) => {
    const boundary = crypto.randomUUID()
    return {
      method,
      body: writeMultipart(parts, boundary),
      headers: { 'Content-Type': `multipart/form-data; boundary="${boundary}"` },
      async check({ echo }) {
        const fields = await Promise.all(parts.map(async ([name, value]) => [name, await tellPart(value)] as const))
        expect(Object.entries(echo.body)).toEqual(grouped(fields))
      },
    }
  })

type PartValue = string | [name: string, type: string, bytes: Uint8Array<ArrayBuffer>]

/** Written by hand, because FormData changes the line ends of texts. */
function writeMultipart(parts: readonly [string, PartValue][], boundary: string): Uint8Array<ArrayBuffer> {
  const chunks = parts.flatMap(([name, value]) => {
    const [file, type, content] = typeof value === 'string' ? ['', '', encode(value)] : value
    const filename = file && `; filename="${file}"`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename}\r\n`
    return [encode(`${head}${type && `Content-Type: ${type}\r\n`}\r\n`), content, encode('\r\n')]
  })
  const whole = [...chunks, encode(`--${boundary}--\r\n`)]
  return new Uint8Array(whole.flatMap((chunk) => [...chunk]))
}

async function tellPart(value: PartValue): Promise<unknown> {
  if (typeof value === 'string') return value
  const [name, type, content] = value
  return { name, type, size: content.length, sha256: await sha256Of(content) }
}

/** Values by name: a single value, or a list of several. */
function grouped(fields: Iterable<readonly [string, unknown]>): [string, unknown][] {
  const groups = Map.groupBy(fields, ([name]) => name)
  return [...groups].map(([name, group]) => [
    name,
    group.length === 1 ? group[0]?.[1] : group.map(([, value]) => value),
  ])
}

/** U+FFFD can replace lost bytes, so a form that contains it is returned as text. */
function isReadable(text: string): boolean {
  return !text.includes('\uFFFD')
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text))
}

describe('of 200 random requests are returned exactly', () => {
  it.each([
    ['every body of text or bytes, by its hash', plain],
    ['every JSON document, by its text', document],
    ['every urlencoded form, each field once and in order', urlencoded],
    ['every multipart form, its files by their hash', multipart],
  ])('%s', async (_, samples) => {
    await fc.assert(
      fc.asyncProperty(samples, async ({ method, body, headers, check }) => {
        const answer = await (await sendToEcho('/echo/a', { method, body, headers })).text()
        const echo = JSON.parse(answer)
        expect(echo).toMatchObject({ method, path: '/a' })
        await check({ text: answer, echo })
      }),
      { numRuns: 50 },
    )
  })

  it('every query, each value once and in order', async () => {
    await fc.assert(
      fc.asyncProperty(fields, async (fields) => {
        const { query } = await echoOf(`/echo?${new URLSearchParams(fields)}`)
        expect(Object.entries(query)).toEqual(grouped(fields))
      }),
      { numRuns: 50 },
    )
  })
})
