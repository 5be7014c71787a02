import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { until } from './callbacks-client.ts'
import { type LiveUniverse, makeLiveUniverse } from './live-universe.ts'
import { shareGalaxy } from './prepared-state.ts'

// Live events for clients of HTTP/1.0, which knows neither upgrades (RFC 9110, section 7.8) nor chunks.

const galaxy = shareGalaxy()

let universe: LiveUniverse
let closers: (() => void)[] = []

beforeAll(async () => {
  universe = await makeLiveUniverse(galaxy.url)
})

afterEach(() => {
  for (const close of closers) close()
  closers = []
})

afterAll(() => universe.end())

/** Sends a GET of HTTP/1.0, and collects what comes. */
function get(path: string, headers: readonly string[] = []) {
  const { hostname, port, host, pathname } = new URL(`${universe.url}${path}`)
  const socket = connect(Number(port), hostname)
  const answer = { text: '', hasEnded: false }
  socket.on('data', (data) => (answer.text += data))
  socket.on('error', () => {})
  socket.on('close', () => (answer.hasEnded = true))
  socket.write(`${[`GET ${pathname} HTTP/1.0`, `Host: ${host}`, ...headers].join('\r\n')}\r\n\r\n`)
  closers.push(() => socket.destroy())
  return answer
}

const UPGRADE = [
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
]

it('an upgrade opens no socket: the connection ends without a frame', async () => {
  const answer = get('/ws/v1/system/events', UPGRADE)
  const ended = await until(
    () => answer,
    ({ hasEnded }) => hasEnded,
  )
  const [head = '', body = ''] = ended.text.split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.[01] 101 /)
  expect(body).toBe('')
})

it('a stream is not chunked, and tells of each planet', async () => {
  const answer = get('/planets/events')
  await until(
    () => answer.text,
    (text) => text.endsWith('\r\n\r\n:\n'),
  )
  await universe.createPlanet('Old')
  const text = await until(
    () => answer.text,
    (received) => received.includes('"Old"'),
  )
  const [head = '', body = ''] = text.split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.[01] 200 /)
  expect(head).not.toMatch(/^transfer-encoding:/im)
  expect(body).toMatch(/^:\nretry: 2000\nid: .+\nevent: created\ndata: \{.+\}\n\n$/)
  expect(answer.hasEnded).toBe(false)
})
