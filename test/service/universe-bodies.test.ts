import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { bodyOf } from './galaxy.ts'
import { shareGalaxy } from './prepared-state.ts'

const galaxy = shareGalaxy()

const MIB = 1024 * 1024

/** Sends a request with any method and a body, which `fetch` does not do. */
async function send(method: string, url: string, body: string | Buffer): Promise<{ status?: number; text: string }> {
  return await new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'text/plain', 'Content-Length': Buffer.byteLength(body) }
    const sent = request(url, { method, headers }, (response) => {
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
      // The app reads nothing of these, so the rest of the body must not break the connection.
      expect((await send('GET', `${base}/planets/1`, Buffer.alloc(300_000))).status).toBe(200)
      expect((await send('HEAD', `${base}/planets/1`, 'hello')).status).toBe(200)
      // The echo reads a body up to a byte beyond its limit, and the rest must not break the connection either.
      const whole = await send('GET', `${base}/echo`, Buffer.alloc(MIB, 'a'))
      expect(JSON.parse(whole.text).body).toHaveLength(MIB)
      expect((await send('HEAD', `${base}/echo`, Buffer.alloc(MIB))).status).toBe(200)
      for (const size of [MIB + 1, 4 * MIB]) {
        const refused = await send('GET', `${base}/echo`, Buffer.alloc(size))
        expect([refused.status, JSON.parse(refused.text).status]).toEqual([413, 413])
        expect(await send('HEAD', `${base}/echo`, Buffer.alloc(size))).toEqual({ status: 413, text: '' })
      }
    }
  })
})
