import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { bodyOf } from './galaxy.ts'
import { shareGalaxy } from './prepared-state.ts'

// Clients that disconnect in mid-body, over real connections: what has arrived is a whole document, but the request is
// not whole.

const galaxy = shareGalaxy()

const JSON_TYPE = { 'Content-Type': 'application/json' }

/** The two ways in which a request says how long its body is. */
const FRAMINGS = {
  'Transfer-Encoding': (text: string) => ['chunked', `${text.length.toString(16)}\r\n${text}\r\n`],
  'Content-Length': (text: string) => [String(text.length + 10), text],
} as const

/** Sends the beginning of a request that creates a planet, and disconnects. */
async function sendCutOff(base: string, token: string, name: string, framing: keyof typeof FRAMINGS): Promise<void> {
  const { hostname, port, host, pathname } = new URL(`${base}/planets`)
  const [value, content] = FRAMINGS[framing](JSON.stringify({ name }))
  const headers = { Host: host, Authorization: `Bearer ${token}`, ...JSON_TYPE, [framing]: value }
  const lines = Object.entries(headers).map(([header, text]) => `${header}: ${text}\r\n`)
  const socket = connect(Number(port), hostname)
  socket.write(`POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${content}`)
  // The request is under way.
  await wait(500)
  socket.destroy()
  await wait(500)
}

async function signUp(): Promise<string> {
  const body = JSON.stringify({ email: `cut-${crypto.randomUUID()}@galaxy.test`, password: 'correct horse' })
  const post = (path: string) => fetch(`${galaxy.url}${path}`, { method: 'POST', headers: JSON_TYPE, body })
  await post('/user/signup')
  return (await bodyOf(await post('/auth/token'))).token
}

/** How many planets others may delete meanwhile. */
const DELETED_MAX = 50

async function countPlanets(base: string): Promise<number> {
  return (await bodyOf(await fetch(`${base}/planets?limit=1`))).meta.total
}

/** The names of all planets after the first ones. */
async function listNamesAfter(base: string, first: number): Promise<string[]> {
  const names: string[] = []
  for (let offset = Math.max(first - DELETED_MAX, 0); ; ) {
    const { data, meta } = await bodyOf(await fetch(`${base}/planets?limit=100&offset=${offset}`))
    names.push(...data.map(({ name }: { name: string }) => name))
    if (meta.next === null) return names
    offset += data.length
  }
}

it('nothing is stored of a request whose client disconnects in mid-body, in any world', async () => {
  const universe = await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST' }))
  const worlds = [
    { url: galaxy.url, token: await signUp() },
    { url: universe.url, token: universe.token },
  ]
  const cutOffIn = async ({ url, token }: (typeof worlds)[number]) => {
    const before = await countPlanets(url)
    const cut = { 'Transfer-Encoding': `Cut ${crypto.randomUUID()}`, 'Content-Length': `Cut ${crypto.randomUUID()}` }
    await Promise.all([
      sendCutOff(url, token, cut['Transfer-Encoding'], 'Transfer-Encoding'),
      sendCutOff(url, token, cut['Content-Length'], 'Content-Length'),
    ])
    const whole = `Whole ${crypto.randomUUID()}`
    const headers = { ...JSON_TYPE, Authorization: `Bearer ${token}` }
    const response = await fetch(`${url}/planets`, { method: 'POST', headers, body: JSON.stringify({ name: whole }) })
    expect(response.status).toBe(201)
    const names = await listNamesAfter(url, before)
    expect(names).toContain(whole)
    expect(names.filter((name) => Object.values(cut).includes(name))).toEqual([])
  }
  await Promise.all(worlds.map(cutOffIn))
})
