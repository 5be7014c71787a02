import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connectGalaxy, startGalaxy, type Universe } from '../../package/client/index.ts'
import { endUniverse, makeUniverse, resetUniverse } from '../../package/client/requests.ts'
import { shareGalaxy } from './prepared-state.ts'

// What the library of the package sends to a server. That it starts one is in library.test.ts.

const { url } = shareGalaxy()

const MINUTE_MS = 60_000

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const get = (universe: Universe, path: string, token = universe.token) =>
  fetch(universe.url + path, { headers: { Authorization: `Bearer ${token}` } })

const namesOf = async (universe: Universe) => {
  const { data } = await (await get(universe, '/planets?limit=1')).json()
  return data.map(({ name }: { name: string }) => name)
}

describe('a universe of the library', () => {
  it('has the planets, is put back by `reset`, and ends with `remove`, which may be repeated', async () => {
    const galaxy = await connectGalaxy(url)
    const universe = await galaxy.makeUniverse()
    expect(universe.url).toMatch(new RegExp(`^${url}/u/`))
    const renamed = await fetch(`${universe.url}/planets/1`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${universe.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Arrakis' }),
    })
    expect(renamed.status).toBe(200)
    await universe.reset()
    expect(await (await get(universe, '/planets/1')).json()).toMatchObject({ name: 'Mercury' })
    await universe.remove()
    expect((await get(universe, '/planets/1')).status).toBe(410)
    await universe.remove()
    await expect(universe.reset()).rejects.toThrow(`POST ${universe.url}/universe/reset: 410 `)
  })

  it('is made with what was asked for, and ends after an hour without a request unless told otherwise', async () => {
    const galaxy = await connectGalaxy(`${url}/`)
    expect(galaxy.url).toBe(url)
    await using standard = await galaxy.makeUniverse()
    await using blank = await galaxy.makeUniverse({ seed: 'blank', hours: 48 })
    expect(await namesOf(blank)).toEqual([])
    const hoursLeft = async (universe: Universe) => {
      const response = await get(universe, '/universe')
      const { createdAt, expiresAt } = await response.json()
      return Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / (60 * MINUTE_MS))
    }
    expect([await hoursLeft(standard), await hoursLeft(blank)]).toEqual([1, 48])
  })

  it('has a new token after a reset if the old one is older than half an hour, and else the same', async () => {
    // As in the thread of the library, which has a clock of its own.
    const made = await makeUniverse(url)
    const token = made.token
    const clock = vi.spyOn(Date, 'now')
    clock.mockReturnValue(made.tokenMadeAt + 29 * MINUTE_MS)
    const kept = await resetUniverse(made)
    expect(kept.token).toBe(token)
    clock.mockReturnValue(made.tokenMadeAt + 31 * MINUTE_MS)
    const renewed = await resetUniverse(kept)
    expect(renewed.token).not.toBe(token)
    clock.mockReturnValue(made.tokenMadeAt + 60 * MINUTE_MS)
    expect((await resetUniverse(renewed)).token).toBe(renewed.token)
    clock.mockRestore()
    const me = await fetch(`${made.url}/me`, { headers: { Authorization: `Bearer ${renewed.token}` } })
    expect(await me.json()).toMatchObject({ id: 1 })
    await endUniverse(renewed)
  })

  it('keeps its token if a test sets the clock', async () => {
    const galaxy = await connectGalaxy(url)
    await using universe = await galaxy.makeUniverse()
    const { token } = universe
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 31 * MINUTE_MS)
    await universe.reset()
    expect(universe.token).toBe(token)
  })

  it('is not made if the server refuses, and the error says why', async () => {
    const galaxy = await connectGalaxy(url)
    await expect(galaxy.makeUniverse({ hours: 1000 })).rejects.toThrow(/^POST \S+\/universes: 400 .*hours/)
  })

  it('is removed at the end of a block', async () => {
    const galaxy = await connectGalaxy(url)
    let universe: Universe
    {
      await using made = await galaxy.makeUniverse()
      universe = made
    }
    expect((await get(universe, '/planets/1')).status).toBe(410)
  })
})

describe('the address of a server that runs already', () => {
  it.each(['galaxy', 'ftp://localhost', 'http://', ''])('is refused if it is %j', async (address) => {
    await expect(connectGalaxy(address)).rejects.toThrow(`${address} is not the URL of a server`)
  })

  it.each([
    ['404', (response: ServerResponse) => response.writeHead(404).end('Not found'), '(it does not say what it is)'],
    ['200', (response: ServerResponse) => response.end('{}'), '(it does not say what it is)'],
    [
      '200',
      (response: ServerResponse) => response.writeHead(200, { Server: 'squid', Via: '1.1 office' }).end('<html>'),
      '(Server: squid, Via: 1.1 office)',
    ],
  ])('is refused with its name if something else answers %s there', async (status, answer, who) => {
    const other = createServer((_, response) => void answer(response)).listen(0, 'localhost')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    const place = `http://localhost:${port}`
    await expect(connectGalaxy(place)).rejects.toThrow(
      `GET ${place}/healthz: something else than Galaxy has answered ${status} at ${place}/healthz ${who}.`,
    )
    await new Promise((resolve) => {
      other.close(resolve)
      other.closeAllConnections()
    })
    await expect(connectGalaxy(place)).rejects.toThrow(
      `GET ${place}/healthz: the server cannot be reached (ECONNREFUSED). Has it ended?`,
    )
  })

  it('is used by `startGalaxy` if it is in GALAXY_URL, unless an option says how the server has to be', async () => {
    vi.stubEnv('GALAXY_URL', `${url}/`)
    const galaxy = await startGalaxy({ timeoutMs: 50_000, seed: undefined })
    expect(galaxy.url).toBe(url)
    await galaxy.stop()
    expect((await fetch(`${url}/planets/1`)).status).toBe(200)
    await using own = await startGalaxy({ memory: true })
    expect(own.url).not.toBe(url)
    vi.stubEnv('GALAXY_URL', 'http://localhost:9')
    await expect(startGalaxy()).rejects.toThrow('GET http://localhost:9/healthz: the server cannot be reached')
  })

  it('goes on after `stop`', async () => {
    const galaxy = await connectGalaxy(url)
    const universe = await galaxy.makeUniverse()
    await galaxy.stop()
    expect((await fetch(`${url}/planets/1`)).status).toBe(200)
    await universe.remove()
    expect((await get(universe, '/planets/1')).status).toBe(410)
    await galaxy.stop()
  })
})
