import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { batchOf, imagePart, MIXED, metaPart, writeMixed } from '../support/mixed.ts'
import { makePicture } from '../support/pictures.ts'
import { until } from './callbacks-client.ts'
import { bodyOf } from './galaxy.ts'
import { shareGalaxy } from './prepared-state.ts'

// Observations over HTTP, with the queue of the runtime.

const galaxy = shareGalaxy()

const MIB = 1024 * 1024
const COMPLETED_MAX_MS = 10_000
const PIECE_BYTES = 64 * 1024

interface Caller {
  base: string
  headers: Record<string, string>
  planetId: number
}

const WORLDS = ['the common world', 'a universe'] as const
const callers = new Map<string, Caller>()

beforeAll(async () => {
  const credentials = { email: `${crypto.randomUUID()}@example.com`, password: 'i-love-planets' }
  const json = (body: object) => ({
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  })
  await fetch(`${galaxy.url}/user/signup`, json(credentials))
  const { token } = await bodyOf(await fetch(`${galaxy.url}/auth/token`, json(credentials)))
  const universe = await bodyOf(await fetch(`${galaxy.url}/universes`, json({})))
  for (const [world, base, bearer] of [
    ['the common world', galaxy.url, token],
    ['a universe', universe.url, universe.token],
  ])
    callers.set(world, { base, headers: { Authorization: `Bearer ${bearer}` }, planetId: 4 })
})

describe.each(WORLDS)('in %s', (world) => {
  const caller = () => {
    const known = callers.get(world)
    if (!known) throw new Error(`no caller of ${world}`)
    return known
  }
  const urlOf = ({ base, planetId }: Caller) => `${base}/planets/${planetId}/observations`

  /** Sends a body in pieces, with or without its length. @returns The status, or undefined if the connection ended */
  function send(body: Uint8Array, isChunked: boolean, breaksOffAfter = Infinity): Promise<number | undefined> {
    const { headers } = caller()
    const length = isChunked ? {} : { 'Content-Length': body.byteLength }
    return new Promise((resolve) => {
      const sent = request(urlOf(caller()), { method: 'POST', headers: { ...headers, ...MIXED, ...length } })
      sent.on('response', (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      sent.on('error', () => resolve(undefined))
      const write = async () => {
        for (let at = 0; at < body.byteLength && at < breaksOffAfter && !sent.destroyed; at += PIECE_BYTES) {
          if (!sent.write(body.subarray(at, at + PIECE_BYTES))) await sleep(1)
        }
        if (breaksOffAfter < body.byteLength) sent.destroy()
        else sent.end()
      }
      void write()
    })
  }

  it('a batch is completed within ten seconds', async () => {
    const { headers } = caller()
    const body = writeMixed(batchOf(20))
    const response = await fetch(urlOf(caller()), { method: 'POST', body, headers: { ...headers, ...MIXED } })
    expect(response.status).toBe(202)
    const location = response.headers.get('Location') ?? ''
    const read = async () => await bodyOf(await fetch(location, { headers }))
    const batch = await until(read, ({ status }) => status === 'completed', COMPLETED_MAX_MS)
    expect(batch.observations).toHaveLength(20)
    expect((await fetch(location, { method: 'DELETE', headers })).status).toBe(204)
  })

  it('a client that waits gets the batch', async () => {
    const headers = { ...caller().headers, ...MIXED, Prefer: 'respond-async, wait=10' }
    const response = await fetch(urlOf(caller()), { method: 'POST', body: writeMixed(batchOf(1)), headers })
    expect([response.status, response.headers.get('Preference-Applied')]).toEqual([200, 'respond-async, wait=10'])
    expect((await bodyOf(response)).status).toBe('completed')
  })

  it.each([false, true])(
    '25 MiB of images are accepted, and an image of more than 5 MiB is not (chunked: %s)',
    async (isChunked) => {
      const sized = (size: number) => imagePart('image/png', makePicture('image/png', size))
      const largest = Array.from({ length: 5 }, () => sized(5 * MIB))
      expect(await send(writeMixed([metaPart(), ...largest]), isChunked)).toBe(202)
      // The rest of the body is still on its way when the response comes.
      expect(await send(writeMixed([metaPart(), sized(5 * MIB + 1), sized(MIB / 4)]), isChunked)).toBe(413)
    },
  )

  it('a body that breaks off stores nothing', async () => {
    const { headers } = caller()
    const total = async () => (await bodyOf(await fetch(urlOf(caller()), { headers }))).meta.total
    const before = await total()
    const body = writeMixed([metaPart(), imagePart('image/png', makePicture('image/png', MIB))])
    expect(await send(body, false, MIB / 2)).toBeUndefined()
    expect(await send(body, true, MIB / 2)).toBeUndefined()
    await sleep(500)
    expect(await total()).toBe(before)
  })
})
