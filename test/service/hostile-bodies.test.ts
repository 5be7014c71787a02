import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { type ClientRequest, request } from 'node:http'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ENTITY_MAX_BYTES } from '../../src/domain/limits.ts'
import { bodyOf, type Galaxy, startGalaxy } from './galaxy.ts'
import { freePort } from './ports.ts'
import { makePreparedState } from './prepared-state.ts'

// The running service must refuse bodies far above any limit, and must never hold them in memory.

const run = promisify(execFile)
const BODY_BYTES = 30_000_000
const AT_ONCE = 10
const PIECE_BYTES = 64 * 1024
/**
 * What a client sends at most after the service can refuse the request. After a refusal, the service reads 64 KiB of
 * what is still on its way. If there is more, the connection ends, and the client may lose the response.
 */
const EXCESS_BYTES = 32 * 1024
/**
 * How much the memory of the runtime may grow while ten bodies arrive at once, after one has arrived before. Holding
 * all of them would take 300 MB. The pieces of 64 KiB that pass through are garbage, and the runtime frees them only
 * after some tens of MB. An upload may have 5 MiB, so ten uploads, each copied once while it grows, take 100 MB.
 */
const GROWTH_MAX_BYTES = 150_000_000

let state: Awaited<ReturnType<typeof makePreparedState>>
let galaxy: Galaxy
let authorization: Record<string, string>
let planet: string

beforeAll(async () => {
  state = await makePreparedState()
  galaxy = await startGalaxy(['--port', String(await freePort()), '--persist-to', state.folder])
  const credentials = JSON.stringify({ email: 'strong@example.com', password: 'i-love-planets' })
  await post('/user/signup', credentials)
  const { token } = await bodyOf(await post('/auth/token', credentials))
  authorization = { Authorization: `Bearer ${token}` }
  planet = `/planets/${(await bodyOf(await post('/planets', '{"name":"Target"}'))).id}`
})

afterAll(async () => {
  await galaxy.stop()
  await state.remove()
})

interface Target {
  name: string
  path: () => string
  type: string
  head: string
  /** How many bytes it may have. */
  limit: number
}

const TARGETS: Target[] = [
  { name: 'JSON', path: () => '/planets', type: 'application/json', head: '{"name":"', limit: ENTITY_MAX_BYTES },
  { name: 'XML', path: () => '/planets', type: 'application/xml', head: '<planet><name>', limit: ENTITY_MAX_BYTES },
  {
    name: 'an upload',
    path: () => `${planet}/image`,
    type: 'multipart/form-data; boundary=x',
    head: '--x\r\nContent-Disposition: form-data; name="image"; filename="a.gif"\r\n\r\nGIF89a',
    // The image, and what a form has besides.
    limit: 5 * 1024 * 1024 + 64 * 1024,
  },
]

describe.each(TARGETS)('$name of 30 MB', (target) => {
  it('with a Content-Length is 413', async () => {
    expect(await flood(target, { announced: true, sentMax: EXCESS_BYTES })).toBe(413)
    await expectService()
  })

  it('in chunks without a Content-Length is 413 before most of it was sent', async () => {
    expect(await flood(target, { announced: false, sentMax: target.limit + EXCESS_BYTES })).toBe(413)
    await expectService()
  })
})

// One target for each way of reading a body. JSON and XML are read in the same way until they are parsed.
describe.runIf(process.platform === 'linux').each(TARGETS.filter(({ name }) => name !== 'XML'))(
  '$name of 30 MB, ten at once,',
  (target) => {
    it('with a Content-Length are 413 before their bodies come', async () => {
      const { statuses } = await floodAtOnce(target, { announced: true, sentMax: EXCESS_BYTES })
      expect(statuses).toEqual(statuses.map(() => 413))
      await expectService()
    })

    it('in chunks, as fast as they go, are not held', async () => {
      const { statuses, growth } = await floodAtOnce(target, { announced: false, sentMax: BODY_BYTES })
      // A client that continues to send after a refusal may lose the connection before it has read the response.
      for (const status of statuses) expect(status ?? 413).toBeGreaterThanOrEqual(400)
      expect(growth).toBeLessThan(GROWTH_MAX_BYTES)
      await expectService()
    })
  },
)

/** 200 KB that decode to 200 MB, of which the service decodes 20 at most. */
const BOMB = gzipSync(Buffer.alloc(200_000_000))

describe
  .runIf(process.platform === 'linux')
  .each<Pick<Target, 'name' | 'path' | 'type'>>([
    ...TARGETS,
    { name: 'observations', path: () => `${planet}/observations`, type: 'multipart/mixed; boundary=x' },
    { name: 'a form', path: () => '/oauth/token', type: 'application/x-www-form-urlencoded' },
    { name: 'the echo', path: () => '/echo', type: 'application/octet-stream' },
    { name: 'a case of the laboratory', path: () => '/lab/try/body/bytes', type: 'application/octet-stream' },
  ])('$name of 200 MB in 200 KB', ({ path, type }) => {
  it('is 413, and ten at once are not held', async () => {
    expect(BOMB.length * 1000).toBeLessThan(210_000_000)
    const send = async () => {
      const headers = { 'Content-Type': type, 'Content-Encoding': 'gzip', ...authorization }
      const response = await fetch(new URL(path(), galaxy.url), { method: 'POST', headers, body: BOMB })
      return [response.status, /content-too-large|at most/.test(await response.text())]
    }
    expect(await send()).toEqual([413, true])
    const before = await peakMemory()
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, send))
    expect(answers).toEqual(answers.map(() => [413, true]))
    expect((await peakMemory()) - before).toBeLessThan(GROWTH_MAX_BYTES)
    await expectService()
  })
})

function post(path: string, body: string): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', ...authorization }
  return fetch(new URL(path, galaxy.url), { method: 'POST', headers, body })
}

async function expectService(): Promise<void> {
  expect((await fetch(new URL(planet, galaxy.url))).status).toBe(200)
  expect((await post('/planets', '{"name":"Still here"}')).status).toBe(201)
}

interface Manner {
  /** Whether the client sends the length of the body first. */
  announced: boolean
  /** The number of bytes after which the client waits for the response, and sends no more. */
  sentMax: number
}

/** Sends a body, or a part of it. @returns The status; undefined if the connection ended before a response */
async function flood({ path, type, head }: Target, { announced, sentMax }: Manner): Promise<number | undefined> {
  const outgoing = request(new URL(path(), galaxy.url), {
    method: 'POST',
    agent: false,
    headers: { 'Content-Type': type, ...authorization, ...(announced && { 'Content-Length': BODY_BYTES }) },
  })
  let isOver = false
  const answered = new Promise<number | undefined>((resolve) => {
    outgoing.on('response', (response) => resolve(response.resume().statusCode))
    outgoing.on('error', () => resolve(undefined))
  }).finally(() => {
    isOver = true
  })
  await write(outgoing, head, sentMax, () => isOver)
  if (sentMax === BODY_BYTES) outgoing.end()
  const status = await answered
  outgoing.destroy()
  return status
}

async function write(outgoing: ClientRequest, head: string, sentMax: number, isStopped: () => boolean): Promise<void> {
  let piece = Buffer.from(head)
  let sentBytes = 0
  while (piece.byteLength > 0 && !isStopped()) {
    await new Promise((resolve) => outgoing.write(piece, resolve))
    await new Promise(setImmediate)
    sentBytes += piece.byteLength
    piece = Buffer.alloc(Math.min(PIECE_BYTES, sentMax - sentBytes), 'a')
  }
}

/** @returns The status of each response, and by how many bytes the maximum memory of the runtime grew */
async function floodAtOnce(target: Target, manner: Manner) {
  await flood(target, manner)
  const before = await peakMemory()
  const statuses = await Promise.all(Array.from({ length: AT_ONCE }, () => flood(target, manner)))
  return { statuses, growth: (await peakMemory()) - before }
}

/** The maximum memory that the processes of the runtime have used so far, in bytes. */
async function peakMemory(): Promise<number> {
  const { stdout } = await run('ps', ['-eo', 'pid=,ppid=,args='])
  const processes = stdout.split('\n').map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [])
  const parents = new Set(processes.filter(([, , , args]) => args?.includes(state.folder)).map(([, pid]) => pid))
  const runtimes = processes.filter(([, , parent, args]) => parents.has(parent) && args?.includes('workerd serve'))
  expect(runtimes).not.toHaveLength(0)
  const kilobytes = runtimes.map(async ([, pid]) => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1])
  })
  return (await Promise.all(kilobytes)).reduce((sum, one) => sum + one * 1024, 0)
}
