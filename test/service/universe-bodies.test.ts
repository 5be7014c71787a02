import { type RequestOptions, request } from 'node:http'
import { connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { READ_AFTER_RESPONSE_BYTES } from '../../scripts/lib/closed-entry.ts'
import { ENTITY_MAX_BYTES } from '../../src/domain/limits.ts'
import { bodyOf } from './galaxy.ts'
import { shareGalaxy } from './prepared-state.ts'

const galaxy = shareGalaxy()

const MIB = 1024 * 1024
/** A little less than the runtime reads after its response. If more is left, a slow client loses the response. */
const LEFT_BYTES = READ_AFTER_RESPONSE_BYTES - 1024

/** Sends a request with any method and a body, which `fetch` does not do. */
async function send(
  method: string,
  url: string,
  body: string | Buffer,
  options: RequestOptions = {},
): Promise<{ status?: number; text: string }> {
  return await new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'text/plain', 'Content-Length': Buffer.byteLength(body) }
    const sent = request(url, { ...options, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece) => (text += piece))
      response.on('end', () => resolve({ ...(response.statusCode && { status: response.statusCode }), text }))
    })
    sent.on('error', reject).end(body)
  })
}

describe('a read with a body', () => {
  it('is answered in a universe as it is in the common world', async () => {
    const { url } = await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST' }))
    for (const base of [galaxy.url, url]) {
      const told = await send('GET', `${base}/echo`, 'hello')
      expect(told.status).toBe(200)
      expect(JSON.parse(told.text)).toMatchObject({ method: 'GET', body: 'hello' })
      // The app reads nothing of these, and the body must not break the connection. A universe reads 1 MiB of it.
      const unread = base === url ? 300_000 : LEFT_BYTES
      expect((await send('GET', `${base}/planets/1`, Buffer.alloc(unread))).status).toBe(200)
      expect((await send('HEAD', `${base}/planets/1`, 'hello')).status).toBe(200)
      // The echo reads a body up to a byte beyond its limit, and the rest must not break the connection either.
      const whole = await send('GET', `${base}/echo`, Buffer.alloc(MIB, 'a'))
      expect(JSON.parse(whole.text).body).toHaveLength(MIB)
      expect((await send('HEAD', `${base}/echo`, Buffer.alloc(MIB))).status).toBe(200)
      for (const size of [MIB + 1, MIB + LEFT_BYTES]) {
        const refused = await send('GET', `${base}/echo`, Buffer.alloc(size))
        expect([refused.status, JSON.parse(refused.text).status]).toEqual([413, 413])
        expect(await send('HEAD', `${base}/echo`, Buffer.alloc(size))).toEqual({ status: 413, text: '' })
      }
    }
  })

  it.each([
    ['GET', '/planets/1', 300_000, 200],
    ['GET', '/echo', 4 * MIB, 413],
    ['HEAD', '/echo', 4 * MIB, 413],
  ])('%s %s, of which much is left, is answered or ends its connection', async (method, path, size, expected) => {
    const { url } = await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST' }))
    for (const base of [galaxy.url, url]) {
      // A connection of its own, because the next request could come to one that is about to end.
      const answer = send(method, `${base}${path}`, Buffer.alloc(size), { agent: false })
      const status = await answer.then(
        (answered) => answered.status,
        () => 'the end of the connection',
      )
      expect([expected, 'the end of the connection']).toContain(status)
      expect((await fetch(`${base}/planets/1`)).status).toBe(200)
    }
  })
})

/** When a client reads: while it sends, and then it stops when the response comes, or after it has sent everything. */
type Manner = 'reads while it sends' | 'sends everything first'
type Framing = 'Content-Length' | 'chunks'

const PIECE = Buffer.alloc(64 * 1024, ' ')
/** What the system buffers on the way at most, in both directions of a local connection. */
const BUFFERED_MAX_BYTES = 16 * MIB

/** @returns The status, or undefined if the connection ended without a response; and how much the client could send */
function sendLarge(base: string, token: string, size: number, framing: Framing, manner: Manner) {
  const { hostname, port, host, pathname } = new URL(`${base}/planets`)
  const length = framing === 'chunks' ? 'Transfer-Encoding: chunked' : `Content-Length: ${size}`
  const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n`
  return new Promise<{ status: number | undefined; sent: number }>((resolve) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    let sent = 0
    if (manner === 'sends everything first') socket.pause()
    const finish = () => {
      const [, status] = /^HTTP\/1\.1 (\d+)/.exec(text) ?? []
      resolve({ status: status === undefined ? undefined : Number(status), sent })
      socket.destroy()
    }
    socket.on('data', (piece) => {
      text += piece
      finish()
    })
    socket.on('error', finish)
    socket.on('close', finish)
    const sendNext = () => {
      if (socket.destroyed) return
      if (sent >= size) {
        if (framing === 'chunks') socket.write('0\r\n\r\n')
        socket.resume()
        return
      }
      sent += PIECE.byteLength
      const piece = framing === 'chunks' ? Buffer.concat([Buffer.from('10000\r\n'), PIECE, Buffer.from('\r\n')]) : PIECE
      // The next one follows when this one has gone, so that `sent` is what has left this process.
      socket.write(piece, () => setImmediate(sendNext))
    }
    socket.write(`${head}Content-Type: application/json\r\n${length}\r\n\r\n`, sendNext)
  })
}

describe('a body that is too large', () => {
  const worlds: { name: string; url: string; token: string }[] = []

  beforeAll(async () => {
    const universe = await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST' }))
    const credentials = JSON.stringify({ email: `large-${crypto.randomUUID()}@galaxy.test`, password: 'correct horse' })
    const headers = { 'Content-Type': 'application/json' }
    const post = (path: string) => fetch(`${galaxy.url}${path}`, { method: 'POST', headers, body: credentials })
    await post('/user/signup')
    worlds.push({ name: 'common', url: galaxy.url, token: (await bodyOf(await post('/auth/token'))).token })
    worlds.push({ name: 'universe', url: universe.url, token: universe.token })
  })

  const kinds = (['Content-Length', 'chunks'] as const).flatMap((framing) =>
    (['reads while it sends', 'sends everything first'] as const).map((manner) => ({ framing, manner })),
  )

  it.each(kinds)('is 413 or ends the connection, in every world ($framing, a client that $manner)', async (kind) => {
    const size = 64 * MIB
    for (const { name, url, token } of worlds) {
      const { status, sent } = await sendLarge(url, token, size, kind.framing, kind.manner)
      expect(status ?? 413, name).toBe(413)
      expect(sent, name).toBeLessThan(ENTITY_MAX_BYTES + MIB + BUFFERED_MAX_BYTES)
      expect((await fetch(`${url}/planets/1`)).status).toBe(200)
    }
  })

  it.each(kinds)('by less than 1 MiB is 413 in a universe ($framing, a client that $manner)', async (kind) => {
    const universe = worlds.find(({ name }) => name === 'universe')
    const size = ENTITY_MAX_BYTES + MIB - PIECE.byteLength
    const answer = await sendLarge(universe?.url ?? '', universe?.token ?? '', size, kind.framing, kind.manner)
    expect(answer.status).toBe(413)
  })
})
