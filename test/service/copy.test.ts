import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { bodyOf } from './galaxy.ts'
import { shareGalaxy } from './prepared-state.ts'

// COPY over HTTP, with the clients that people have.

const galaxy = shareGalaxy()
const run = promisify(execFile)

/** The example of the public document, where planet 999 is one that came with the service. */
const EXAMPLE = '/planets/999'

interface Copied {
  status: number
  location: string | undefined
}

type Copy = (url: string, destination: string, token: string, headers?: Record<string, string>) => Promise<Copied>

const CLIENTS: readonly { name: string; copy: Copy }[] = [
  {
    name: 'curl',
    async copy(url, destination, token, headers = {}) {
      const all = { Authorization: `Bearer ${token}`, Destination: destination, ...headers }
      const options = Object.entries(all).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
      const { stdout } = await run('curl', [
        ...['-s', '-o', '/dev/null', '-w', '%{http_code} %header{location}', '-X', 'COPY'],
        ...options,
        url,
      ])
      const [status, location] = stdout.split(' ')
      return { status: Number(status), location: location || undefined }
    },
  },
  {
    name: 'fetch of Node',
    async copy(url, destination, token, headers = {}) {
      const all = { Authorization: `Bearer ${token}`, Destination: destination, ...headers }
      const response = await fetch(url, { method: 'COPY', headers: all })
      await response.body?.cancel()
      return { status: response.status, location: response.headers.get('Location') ?? undefined }
    },
  },
]

const json = (body: object, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'Content-Type': 'application/json', ...headers },
})

/** A token of a new user. */
async function signUp(): Promise<string> {
  const account = { email: `${crypto.randomUUID()}@galaxy.test`, password: 'i-love-planets' }
  await fetch(`${galaxy.url}/user/signup`, json(account))
  return (await bodyOf(await fetch(`${galaxy.url}/auth/token`, json(account)))).token
}

const makeUniverse = async (seed: string) => await bodyOf(await fetch(`${galaxy.url}/universes`, json({ seed })))

let token: string

beforeAll(async () => {
  token = await signUp()
})

describe.each(CLIENTS)('$name', ({ copy }) => {
  it('copies a planet to a new one, and finds it at its Location', async () => {
    const { status, location } = await copy(`${galaxy.url}/planets/3`, '/planets', token)
    expect([status, location]).toEqual([201, expect.stringMatching(`^${galaxy.url}/planets/\\d+$`)])
    expect(await bodyOf(await fetch(String(location)))).toMatchObject({ name: 'Earth' })
  })

  it('sends the example of the public document: 403 in the common world, where the planet is somebody else’s', async () => {
    expect(await copy(`${galaxy.url}/planets/3`, EXAMPLE, token)).toMatchObject({ status: 403 })
  })

  it('sends it in a universe with the catalogue: 200 for its owner', async () => {
    const universe = await makeUniverse('catalogue')
    expect(await copy(`${universe.url}/planets/3`, EXAMPLE, universe.token)).toEqual({ status: 200 })
    expect(await bodyOf(await fetch(`${universe.url}${EXAMPLE}`))).toMatchObject({ id: 999, name: 'Earth' })
  })

  it('sends it in a blank universe: 201', async () => {
    const universe = await makeUniverse('blank')
    const authorization = { Authorization: `Bearer ${universe.token}` }
    const { id } = await bodyOf(await fetch(`${universe.url}/planets`, json({ name: 'Arrakis' }, authorization)))
    expect(await copy(`${universe.url}/planets/${id}`, EXAMPLE, universe.token)).toEqual({
      status: 201,
      location: `${universe.url}${EXAMPLE}`,
    })
    const next = await copy(`${universe.url}/planets/${id}`, '/planets', universe.token)
    expect(next.location).toBe(`${universe.url}/planets/1000`)
    // It is in no other world.
    expect(await copy(`${universe.url}/planets/${id}`, `${galaxy.url}/planets`, universe.token)).toMatchObject({
      status: 400,
    })
  })

  it('gets the refusals: 400, 404, 412', async () => {
    const source = `${galaxy.url}/planets/3`
    expect(await copy(source, 'https://elsewhere.example/planets', token)).toMatchObject({ status: 400 })
    expect(await copy(`${galaxy.url}/planets/9000000`, '/planets', token)).toMatchObject({ status: 404 })
    expect(await copy(source, EXAMPLE, token, { Overwrite: 'F' })).toMatchObject({ status: 412 })
    expect(await copy(source, '/planets', token, { 'If-Match': '"other"' })).toMatchObject({ status: 412 })
  })
})

it('a body is not read, whatever its size, in each world', async () => {
  const universe = await makeUniverse('catalogue')
  for (const [base, ownToken] of [
    [galaxy.url, token],
    [universe.url, universe.token],
  ]) {
    const headers = { Authorization: `Bearer ${ownToken}`, Destination: '/planets' }
    const response = await fetch(`${base}/planets/3`, { method: 'COPY', headers, body: '{'.repeat(300_000) })
    expect(response.status).toBe(201)
    await response.body?.cancel()
  }
})

it('a preflight lets pages of other origins send it, with its headers', async () => {
  const response = await fetch(`${galaxy.url}/planets/3`, {
    method: 'OPTIONS',
    headers: {
      Origin: 'https://page.example',
      'Access-Control-Request-Method': 'COPY',
      'Access-Control-Request-Headers': 'authorization,destination,overwrite',
    },
  })
  expect(response.status).toBe(204)
  expect(response.headers.get('Access-Control-Allow-Methods')).toContain('COPY')
  for (const name of ['destination', 'overwrite']) {
    expect(response.headers.get('Access-Control-Allow-Headers')).toContain(name)
  }
  const allowed = await fetch(`${galaxy.url}/planets/3`, { method: 'OPTIONS' })
  expect(allowed.headers.get('Allow')).toContain('COPY')
})
