import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bodyOf } from './galaxy.ts'
import { type LiveUniverse, makeLiveUniverse } from './live-universe.ts'
import { ownAddress } from './own-address.ts'
import { shareGalaxy } from './prepared-state.ts'
import { BINARY, CLOSE, openRaw, TEXT } from './raw-socket.ts'

// When the service closes a socket and the client has answered, the service ends the connection (RFC 6455, section
// 7.1.1). A client may wait for this.

const galaxy = shareGalaxy()

/** The runtime alone ends a connection when the object of the hub has been idle for ten seconds. */
const SOON_MS = 5000
/** An object hibernates after ten seconds without work. */
const HIBERNATION_MS = 12_000

let universe: LiveUniverse
let closers: (() => void)[] = []

beforeAll(async () => {
  universe = await makeUniverse()
})

afterEach(() => {
  for (const close of closers) close()
  closers = []
})

afterAll(() => universe.end())

async function makeUniverse(): Promise<LiveUniverse> {
  const made = await makeLiveUniverse(galaxy.url)
  // Each call is compared with the document of the universe, which a universe that has ended no longer has.
  await made.createPlanet('Arrakis')
  return made
}

/** Opens a channel, and waits until the service has the socket. */
async function open(base: string, channel: string, { token = '', answersClose = true } = {}) {
  const headers = token === '' ? {} : { Authorization: `Bearer ${token}` }
  const socket = openRaw(`${base}/ws/v1/${channel}`, { ...ownAddress(), ...headers }, answersClose)
  closers.push(socket.destroy)
  await socket.begun
  return socket
}

async function signUp(base: string): Promise<string> {
  const credentials = { email: `${crypto.randomUUID()}@example.com`, password: 'i-love-planets' }
  const post = (path: string) =>
    fetch(base + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...ownAddress() },
      body: JSON.stringify(credentials),
    })
  await post('/user/signup')
  return (await bodyOf(await post('/auth/token'))).token
}

const deleteAccount = (base: string, token: string) =>
  fetch(`${base}/me`, { method: 'DELETE', headers: { Authorization: `Bearer ${token}`, ...ownAddress() } })

describe.each([
  ['the common world', () => galaxy.url],
  ['a universe', () => universe.url],
])('in %s, the connection ends soon after', (_, baseOf) => {
  it('the end of the credential (4401), and other connections go on', async () => {
    const base = baseOf()
    const token = await signUp(base)
    const other = await open(base, 'system/events')
    const socket = await open(base, 'system/events', { token })
    expect((await deleteAccount(base, token)).status).toBe(204)
    expect(await socket.closed).toBe(4401)
    expect(await socket.ended).toBeLessThan(SOON_MS)
    const pong = other.next()
    other.send(TEXT, 'ping')
    expect(await pong).toBe('pong')
  })

  it.each([
    [1003, BINARY, 'binary'],
    [1009, TEXT, 'a'.repeat(70_000)],
  ])('a frame that the service refuses (%i)', async (code, opcode, payload) => {
    const socket = await open(baseOf(), 'system/events')
    socket.send(opcode, payload)
    expect(await socket.closed).toBe(code)
    expect(await socket.ended).toBeLessThan(SOON_MS)
  })

  it('a close of the client, which is answered (1000)', async () => {
    const socket = await open(baseOf(), 'system/events')
    socket.send(CLOSE, Uint8Array.of(0x03, 0xe8))
    expect(await socket.closed).toBe(1000)
    expect(await socket.ended).toBeLessThan(SOON_MS)
  })

  it('the time that a client has to answer, if it does not', async () => {
    const base = baseOf()
    const token = await signUp(base)
    const socket = await open(base, 'system/events', { token, answersClose: false })
    await deleteAccount(base, token)
    expect(await socket.closed).toBe(4401)
    const ended = await socket.ended
    expect(ended).toBeGreaterThan(9000)
    expect(ended).toBeLessThan(10_000 + SOON_MS)
  })
})

describe('the connections to a universe end soon after', () => {
  it('its reset (1012), also if nothing had happened for so long that it hibernated', { timeout: 60_000 }, async () => {
    const own = await makeUniverse()
    for (const wait of [0, HIBERNATION_MS]) {
      const sockets = [await open(own.url, 'system/events'), await open(own.url, 'celestial-bodies/events')]
      await sleep(wait)
      await own.call('POST', '/universe/reset')
      for (const socket of sockets) {
        expect(await socket.closed).toBe(1012)
        expect(await socket.ended).toBeLessThan(SOON_MS)
      }
    }
    await own.end()
  })

  it('its end (1012)', async () => {
    const own = await makeUniverse()
    const socket = await open(own.url, 'system/events')
    await own.end()
    expect(await socket.closed).toBe(1012)
    expect(await socket.ended).toBeLessThan(SOON_MS)
  })
})
