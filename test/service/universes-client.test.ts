import { createServer } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connectGalaxy, type Universe } from '../../package/client/index.ts'
import { shareGalaxy } from './prepared-state.ts'

// What the library of the package sends to a server. That it starts one is in library.test.ts.

const { url } = shareGalaxy()

const MINUTE_MS = 60_000

afterEach(() => {
  vi.restoreAllMocks()
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
    const galaxy = await connectGalaxy(url)
    await using universe = await galaxy.makeUniverse()
    const first = universe.token
    const start = Date.now()
    const clock = vi.spyOn(Date, 'now')
    clock.mockReturnValue(start + 29 * MINUTE_MS)
    await universe.reset()
    expect(universe.token).toBe(first)
    clock.mockReturnValue(start + 31 * MINUTE_MS)
    await universe.reset()
    const second = universe.token
    expect(second).not.toBe(first)
    expect(await (await get(universe, '/me')).json()).toMatchObject({ id: 1 })
    clock.mockReturnValue(start + 60 * MINUTE_MS)
    await universe.reset()
    expect(universe.token).toBe(second)
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

  it('is refused if nothing answers there, or something else does', async () => {
    const other = createServer((_, response) => response.writeHead(404).end('Not found')).listen(0, 'localhost')
    await new Promise((resolve) => other.once('listening', resolve))
    const address = other.address()
    if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
    const place = `http://localhost:${address.port}`
    await expect(connectGalaxy(place)).rejects.toThrow(`${place} is not a Galaxy that runs: /healthz is 404`)
    await new Promise((resolve) => {
      other.close(resolve)
      other.closeAllConnections()
    })
    await expect(connectGalaxy(place)).rejects.toThrow(`No server answers at ${place}`)
  })

  it('goes on after `stop`', async () => {
    const galaxy = await connectGalaxy(url)
    await galaxy.stop()
    expect((await fetch(`${url}/planets/1`)).status).toBe(200)
  })
})
