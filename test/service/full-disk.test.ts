import { chmod, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePicture } from '../support/pictures.ts'
import { bodyOf, type Galaxy, startGalaxy } from './galaxy.ts'
import { freePort } from './ports.ts'
import { makePreparedState } from './prepared-state.ts'

// A disk that is full under the service. A limit on the size of files has the same effect on the runtime, and needs no
// rights: no write beyond it succeeds.

/** Larger than the prepared database, in kibibytes. */
const FILE_MAX_KIB = 3072

/** How many large planets are more than the limit has room for. */
const PLANETS = 20

/** As large as a planet can be. */
const LARGE = {
  name: 'Large',
  satellites: Array.from({ length: 20 }, (_, index) => ({ name: `S${index}`, description: 'x'.repeat(9000) })),
}

/** A world: its base URL, and the token and a planet of a user in it. */
interface World {
  url: string
  token: string
  planet?: number
}

let galaxy: Galaxy
let state: Awaited<ReturnType<typeof makePreparedState>>
let worlds: Record<'common' | 'universe', World>

beforeAll(async () => {
  state = await makePreparedState()
  const runtime = join(state.folder, 'workerd')
  await writeFile(runtime, `#!/bin/sh\ntrap '' XFSZ\nulimit -f ${FILE_MAX_KIB * 2}\nexec '${workerdPath()}' "$@"\n`)
  await chmod(runtime, 0o755)
  const options = ['--port', String(await freePort()), '--persist-to', state.folder]
  galaxy = await startGalaxy(options, { MINIFLARE_WORKERD_PATH: runtime })
  const account = { email: 'full@galaxy.example', password: 'i-love-planets' }
  const common = { url: galaxy.url, token: '' }
  await send(common, 'POST', '/user/signup', account)
  common.token = (await bodyOf(await send(common, 'POST', '/auth/token', account))).token
  const { url, token } = await bodyOf(await send(common, 'POST', '/universes'))
  worlds = { common, universe: { url, token } }
  for (const world of Object.values(worlds)) {
    world.planet = (await bodyOf(await send(world, 'POST', '/planets', { name: 'Before' }))).id
  }
})

afterAll(async () => {
  await galaxy?.stop()
  await state?.remove()
})

describe.each(['common', 'universe'] as const)('a full disk in the %s world', (name) => {
  it('is 503 with Retry-After for each write that finds no room, and no request is anything else', async () => {
    const world = worlds[name]
    const statuses: number[] = []
    for (let planet = 0; planet < PLANETS; planet++) {
      const response = await send(world, 'POST', '/planets', LARGE)
      if (response.status === 503) expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0)
      statuses.push(response.status)
    }
    expect(statuses[0]).toBe(201)
    expect(statuses.at(-1)).toBe(503)
    const requests = [
      await send(world, 'PUT', `/planets/${world.planet}`, LARGE),
      await send(world, 'GET', `/planets/${world.planet}`),
      await send(world, 'GET', '/planets?limit=1'),
      await send(world, 'GET', '/me'),
    ]
    for (const response of requests) expect([200, 503]).toContain(response.status)
    expect(new Set(statuses)).toEqual(new Set([201, 503]))
  })

  it('is 503 for an image that finds no room, which the store does not answer', async () => {
    const world = worlds[name]
    const image = makePicture('image/png', (FILE_MAX_KIB + 1024) * 1024)
    const body = new FormData()
    body.set('image', new File([image], 'a.png'))
    const response = await fetch(`${world.url}/planets/${world.planet}/image`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${world.token}` },
      body,
    })
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5'])
  })
})

function send({ url, token }: World, method: string, path: string, body?: object): Promise<Response> {
  return fetch(url + path, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  })
}

/** The program of the runtime that Miniflare would start. */
function workerdPath(): string {
  const ownRequire = createRequire(import.meta.url)
  return createRequire(ownRequire.resolve('miniflare'))('workerd').default
}
