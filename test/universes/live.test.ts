import { describe, expect, it } from 'vitest'
import { SOCKETS_MAX } from '../../src/domain/universe.ts'
import { EVENT_TYPES, eventTypesOf, LIVE_EVENTS } from '../../src/schemas/live/catalogue.ts'
import { openSocket } from '../support/sockets.ts'
import { readStream } from '../support/streams.ts'
import {
  bearer,
  bodyOf,
  COMMON,
  configure,
  makeUniverse,
  type OwnWorld,
  sendTo,
  uploadTo,
  useWorlds,
} from '../support/worlds.ts'

useWorlds()

const RESTART = 1012

/** Opens a socket in a world. */
async function open(world: { url: string }, path: string, headers = {}) {
  const sendRaw = (path: string, init?: RequestInit) => sendTo(world.url + path, init)
  const opened = await openSocket({ sendRaw }, `/ws/v1/${path}`, headers)
  await opened.until(1)
  return opened
}

async function stream(world: OwnWorld) {
  const opened = readStream(await world.send('/planets/events'))
  await opened.until('\n')
  return opened
}

describe('a universe that is reset', () => {
  it('closes its sockets with 1012 and ends its streams, and both can be opened again', async () => {
    const world = await makeUniverse()
    const [socket, items] = [await open(world, 'celestial-bodies/events'), await stream(world)]
    await world.own('POST', '/planets', { name: 'Before' })
    const [, before = ''] = await socket.until(2)
    await world.own('POST', '/universe/reset')
    expect((await socket.closed)[0]).toBe(RESTART)
    await items.ended
    const again = await open(world, `celestial-bodies/events?lastEventId=${JSON.parse(before).eventId}`)
    expect(JSON.parse(again.frames[0] ?? '')).toMatchObject({ gap: true })
    await world.own('POST', '/planets', { name: 'After' })
    expect(JSON.parse((await again.until(2)).at(-1) ?? '').celestialBody.planet.name).toBe('After')
    again.socket.close()
  })
})

describe('a universe that ends', () => {
  it('closes its sockets with 1012, ends its streams, and then answers 410', async () => {
    const world = await makeUniverse()
    const [socket, items] = [await open(world, 'system/events'), await stream(world)]
    await world.own('DELETE', '/universe')
    expect((await socket.closed)[0]).toBe(RESTART)
    await items.ended
    const upgrade = { headers: { Upgrade: 'websocket' } }
    expect((await sendTo(`${world.url}/ws/v1/system/events`, upgrade)).status).toBe(410)
    expect((await world.send('/planets/events')).status).toBe(410)
  })
})

describe('a universe with very many sockets', () => {
  const AT_ONCE = 50

  it(`takes ${SOCKETS_MAX} of them, and another one when one is closed`, { timeout: 120_000 }, async () => {
    configure({ socketLimit: SOCKETS_MAX * 2 })
    const world = await makeUniverse()
    const ask = () => sendTo(`${world.url}/ws/v1/system/events`, { headers: { Upgrade: 'websocket' } })
    const sockets: WebSocket[] = []
    while (sockets.length < SOCKETS_MAX) {
      for (const { webSocket } of await Promise.all(Array.from({ length: AT_ONCE }, ask))) {
        if (!webSocket) throw new Error(`no socket after ${sockets.length}`)
        webSocket.accept()
        sockets.push(webSocket)
      }
    }
    const refused = await ask()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('Retry-After')).toMatch(/^\d+$/)
    expect((await refused.json<{ detail: string }>()).detail).toContain('the maximum number of open connections')
    expect((await world.send('/planets/events')).status).toBe(429)
    const [first, ...others] = sockets
    first?.close()
    await expect.poll(async () => (await ask()).status).toBe(101)
    await world.own('DELETE', '/universe')
    for (const socket of others) socket.close()
  })
})

describe('worlds', () => {
  it('do not hear of one another', async () => {
    const [one, two] = [await makeUniverse(), await makeUniverse()]
    const sockets = await Promise.all([COMMON, one, two].map((world) => open(world, 'planets/1/events')))
    await one.own('POST', '/planets', { name: 'Only here' })
    expect(await sockets[1]?.until(2)).toHaveLength(2)
    await two.own('POST', '/planets', { name: 'There' })
    const [, there = ''] = (await sockets[2]?.until(2)) ?? []
    expect(JSON.parse(there).planet.name).toBe('There')
    expect(sockets.map(({ frames }) => frames.length)).toEqual([1, 2, 2])
    for (const { socket } of sockets) socket.close()
  })
})

describe('the owner of a universe', () => {
  it('hears of the end of a credential in the object', async () => {
    const world = await makeUniverse()
    const { key, id } = await (await world.own('POST', '/me/api-keys', { name: 'Key', scopes: ['read:events'] })).json<{
      key: string
      id: number
    }>()
    const { closed } = await open(world, 'system/events', { 'X-API-Key': key })
    await world.send(`/me/api-keys/${id}`, { method: 'DELETE', headers: bearer(world.token) })
    await world.own('POST', '/planets', { name: 'Any' })
    expect((await closed)[0]).toBe(4401)
  })
})

it('every type of event reaches the channel that the document lists it for, and is as documented', async () => {
  const world = await makeUniverse()
  const { id } = await bodyOf(await world.send('/me', { headers: bearer(world.token) }))
  const socketOf = {
    planetEvents: await open(world, `planets/${EXAMPLE_PLANET}/events`),
    userEvents: await open(world, `users/${id}/events`, bearer(world.token)),
    systemEvents: await open(world, 'system/events', bearer(world.token)),
    celestialBodyEvents: await open(world, 'celestial-bodies/events'),
  }
  for (const type of EVENT_TYPES) {
    const payload = withPlanet(LIVE_EVENTS[type].example.payload, EXAMPLE_PLANET)
    expect((await world.own('POST', '/events', { type, payload })).status, type).toBe(201)
  }
  for (const [channel, socket] of Object.entries(socketOf)) {
    const expected = eventTypesOf(channel as keyof typeof socketOf)
    const frames = await socket.until(expected.length + 1)
    expect(frames.slice(1).map((frame) => JSON.parse(frame).eventType)).toEqual(expected)
    socket.socket.close()
  }
})

const EXAMPLE_PLANET = 1

/** A payload that is about one planet, wherever it names one. */
function withPlanet(payload: object, id: number): object {
  const about = JSON.parse(JSON.stringify(payload))
  if (about.planet) about.planet.id = id
  if (about.planetId !== undefined) about.planetId = id
  if (about.satellite?.orbit?.planet) about.satellite.orbit.planet.id = id
  return about
}

it('a planet on request has the same picture as GET shows, even if the common world has a host of images', async () => {
  configure({ imageHost: 'images.test' })
  const world = await makeUniverse()
  const { id } = await bodyOf(await world.own('POST', '/planets', { name: 'Pictured' }))
  await uploadTo(world, id, world.token)
  const { image } = await bodyOf(await world.send(`/planets/${id}`))
  const { socket, until } = await openSocket(
    { sendRaw: (path, init) => sendTo(world.url + path, init) },
    `/ws/v1/planets/${id}/get`,
  )
  socket.send(JSON.stringify({ requestId: '1', planetId: id }))
  const [reply = ''] = await until(1)
  expect(JSON.parse(reply).image).toBe(image)
  expect(image).toContain(world.url)
  socket.close()
})
