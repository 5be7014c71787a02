import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type RequestOptions, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { CoreHeaders, CorePaths } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeCommands } from '../../scripts/lib/closed-commands.ts'
import { closeEntry } from '../../scripts/lib/closed-entry.ts'
import { openLocalDatabase } from '../../scripts/lib/local-database.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { eachRow } from '../support/each-row.ts'
import { HOSTS as GOOD_HOSTS, IN_NO_HOST, NO_HOSTS } from '../support/hosts.ts'
import { makePicture } from '../support/pictures.ts'
import { until } from './callbacks-client.ts'
import { bodyOf, type makeStateFolder } from './galaxy.ts'
import { queryState } from './local-database.ts'
import { npmStart, type StartedByNpm } from './npm-start.ts'
import { freePort } from './ports.ts'
import { makePreparedState } from './prepared-state.ts'
import { portsOf, tellsProcesses } from './processes.ts'
import { readRaw } from './raw-answer.ts'
import { openRaw } from './raw-socket.ts'

// What wrangler and its runtime serve besides the Worker must be closed, because everybody who reaches the port would
// reach it. So these tests ask the service as `npm start` runs it.

/** The paths that the installed runtime serves. If a new version has others, look at what they do. */
const SERVED = {
  EMAIL: '/cdn-cgi/local/email',
  EXPLORER: '/cdn-cgi/local/explorer',
  IMAGE_DELIVERY: '/__cf_local/imagedelivery',
  IMAGE_UPLOAD: '/__cf_local/imageupload',
  PLATFORM_PROXY: '/cdn-cgi/local/platform-proxy',
  R2_PUBLIC: '/cdn-cgi/local/r2/public',
  R2_S3: '/cdn-cgi/local/r2/s3',
  SCHEDULED: '/cdn-cgi/local/scheduled',
  STREAM_VIDEO: '/__cf_local/stream',
}

/** Older names of them, which the proxy of the installed wrangler rewrites. */
const ALIASES = [
  ['/cdn-cgi/handler', '/cdn-cgi/local'],
  ['/cdn-cgi/mf/scheduled', '/cdn-cgi/local/scheduled'],
  ['/cdn-cgi/mf/stream', '/__cf_local/stream'],
  ['/cdn-cgi/mf/imagedelivery', '/__cf_local/imagedelivery'],
  ['/cdn-cgi/explorer', '/cdn-cgi/local/explorer'],
] as const

/** All names of the paths. */
const PATHS = Object.values(SERVED).flatMap((path) => [
  path,
  ...ALIASES.filter(([, name]) => path.startsWith(name)).map(([alias, name]) => path.replace(name, alias)),
])

/** What the header Host can say, whatever the address is. */
const HOSTS = ['localhost', '127.0.0.1', '[::1]', 'localtest.me', 'evil.example', '192.0.2.7']

/** An address that the runtime does not take for this machine. Only Linux has it without being told to. */
const ADDRESS = process.platform === 'linux' ? ['--ip', '127.0.0.2'] : []

const KEY = `glx_${crypto.randomUUID()}`

let state: Awaited<ReturnType<typeof makeStateFolder>>
let galaxy: StartedByNpm
let end: Promise<unknown> | undefined

beforeAll(async () => {
  state = await makePreparedState()
  const traces = join(state.folder, 'v3', 'observability')
  mkdirSync(traces, { recursive: true })
  writeFileSync(join(traces, 'trace.sqlite'), `GET /me?api_key=${KEY}`)
  addRow()
  galaxy = await npmStart(['--port', String(await freePort()), '--persist-to', state.folder, ...ADDRESS])
})

afterAll(async () => {
  await stop()
  await state.remove()
})

/** Ends the service, once. */
const stop = () => (end ??= galaxy.stop())

/** Adds a row that the next run of the scheduled job removes. */
function addRow(): void {
  const database = openLocalDatabase(state.folder)
  database.exec("insert into rate_limits values ('scheduled', 1, 0)")
  database.close()
}

const countRows = () => queryState(state.folder, "select * from rate_limits where key = 'scheduled'").length

interface Call {
  method?: string
  host?: string
  headers?: Record<string, string>
  body?: string
}

interface Answer {
  status: number | undefined
  body: string
}

/** Sends a request with any Host. The path is sent as it is. */
async function call(path: string, { method = 'GET', host = 'localhost', headers, body }: Call = {}): Promise<Answer> {
  const { hostname, port } = new URL(galaxy.url)
  const options = { hostname, port, path, method, headers: { ...headers, Host: `${host}:${port}` } }
  return await new Promise((resolve, reject) => {
    const sent = request(options, async (response) =>
      resolve({ status: response.statusCode, body: await text(response) }),
    )
    // The runtime would accept an upgrade with 101.
    sent.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy()
      resolve({ status: statusCode, body: '' })
    })
    sent.on('error', reject).end(body)
  })
}

/** What a closed path answers, with any Host: nothing. */
const NOTHING = { status: 404, body: 'Not Found' }

it('the list of what the runtime serves is complete', () => {
  expect(CorePaths).toEqual(SERVED)
  const proxy = readFileSync(join(ROOT, 'node_modules', 'wrangler', 'wrangler-dist', 'ProxyWorker.js'), 'utf8')
  const [, list = ''] = /LEGACY_PATH_REWRITES = (\[.*?\n\])/s.exec(proxy) ?? []
  expect(JSON.parse(list)).toEqual(ALIASES)
  expect(PATHS.length).toBeGreaterThan(Object.keys(SERVED).length + ALIASES.length)
})

it('a runtime that cannot be closed is not started', () => {
  const passage = { cron: 'cron', isBehindProxy: true }
  const source = [
    'var CoreHeaders = {}',
    'function maybePrettifyError(request, response, env) {}',
    'return new Response(e?.stack ?? String(e), { status: 500 })',
    'export { entry_worker_default as default }',
  ]
  expect(closeEntry(source.join('\n'), passage)).toContain('closed_entry as default')
  expect(closeEntry(source.join('\n'), passage)).not.toContain('e?.stack')
  for (const missing of source) {
    const others = source.filter((line) => line !== missing)
    expect(() => closeEntry(others.join('\n'), passage), missing).toThrow('cannot be closed')
  }
  expect(() => closeEntry([...source, ...source].join('\n'), passage)).toThrow('cannot be closed')
})

describe('nothing of the machine is shown', () => {
  const STRANGE_HOSTS = ['*', 'a!b', "a'b", 'a(b', 'a*b', 'a,b', 'a=b', 'a`b', 'a{b', 'a"b', '[', 'a b', '%', '@', ':']

  it('whatever the line and the host say', () =>
    eachRow(
      [
        ...['GET *', 'OPTIONS *'].map((line) => [line, 'localhost'] as const),
        ...STRANGE_HOSTS.map((host) => ['GET /planets/4', host] as const),
      ],
      async ([line, host]) => {
        const { hostname, port } = new URL(galaxy.url)
        const socket = connect(Number(port), hostname)
        socket.write(`${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
        const answer = await text(socket)
        expect(answer).toMatch(/^HTTP\/1\.1 400 /)
        expect(answer).not.toMatch(/file:|\.js|\bat /)
      },
    ))

  it('for a Host that is none, which would change the path or the links', async () => {
    const made = await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST' }))
    const strange = [...NO_HOSTS, ...IN_NO_HOST.map((character) => `a${character}b`), 'fü.example', 'a, b']
    for (const base of [galaxy.url, `${galaxy.url}${new URL(made.url).pathname}`])
      for (const host of strange) {
        const { status, body } = await readRaw(`${base}/planets/1`, { Host: host })
        expect([status, body], host).toEqual([400, 'Bad Request'])
      }
    for (const host of GOOD_HOSTS)
      expect((await readRaw(`${galaxy.url}/planets/1`, { Host: host })).status, host).toBe(200)
  })

  it.each(['common world', 'universe'])('if a body is too large that is still sent, in a %s', async (world) => {
    const universe = await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST' }))
    const isUniverse = world === 'universe'
    const token = isUniverse ? universe.token : await signUp(new URL(galaxy.url).hostname)
    for (let attempt = 0; attempt < 10; attempt++) {
      expect(await sendInChunks(isUniverse ? universe.url : galaxy.url, token, 5_000_000)).toBe(413)
    }
  })
})

/** Sends a body in chunks without its length, as fast as it goes. @returns The status */
async function sendInChunks(base: string, token: string, size: number): Promise<number | undefined> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  return await new Promise((resolve, reject) => {
    const sent = request(`${base}/planets`, { method: 'POST', headers }, (response) => {
      resolve(response.statusCode)
      sent.destroy()
    })
    sent.on('error', reject)
    const piece = Buffer.alloc(64 * 1024, ' ')
    const send = (left: number) => {
      if (left > 0 && !sent.destroyed) sent.write(piece, () => send(left - piece.byteLength))
      else sent.end()
    }
    send(size)
  })
}

it('commands that cannot be closed are not started', () => {
  const inspector = 'inspector: {\n  hostname: args.inspectorIp,\n  port: args.inspectorPort\n}'
  const registry = 'registry: args.disableDevRegistry ? void 0 : getRegistryPath()'
  expect(closeCommands(`{ ${inspector}, ${registry} }`)).toBe('{ inspector: false, registry: void 0 }')
  for (const source of ['', inspector, registry, inspector + inspector + registry])
    expect(() => closeCommands(source)).toThrow('cannot be closed')
})

it.runIf(tellsProcesses)('no port has a debugger, or anything else but the service', async () => {
  const ports = portsOf(galaxy.pid)
  expect(ports).toContain(Number(new URL(galaxy.url).port))
  expect(ports.length).toBeGreaterThan(1)
  const { hostname } = new URL(galaxy.url)
  const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' }
  for (const port of ports)
    for (const headers of [{}, { ...upgrade, 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==' }])
      for (const path of ['/json', '/json/list', '/json/version', '/ws', '/core:user:galaxy', '/core/error']) {
        const options = { port, path, headers: { ...headers, Origin: 'https://evil.example' }, timeout: 2000 }
        // Some ports are those of loopback only.
        const statuses = await Promise.all(['127.0.0.1', hostname].map((host) => statusOf({ ...options, host })))
        for (const status of statuses) expect([undefined, 403, 404, 426], `${port} ${path}`).toContain(status)
      }
})

/** @returns The status; undefined if nothing listens there, or nothing answers within two seconds */
function statusOf(options: RequestOptions): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy()
      resolve(statusCode)
    })
    sent.on('timeout', () => {
      resolve(undefined)
      sent.destroy()
    })
    const isExpected = (error: object) => 'code' in error && ['ECONNREFUSED', 'ECONNRESET'].includes(String(error.code))
    sent.on('error', (error) => (isExpected(error) ? resolve(undefined) : reject(error)))
    sent.end()
  })
}

it('the runtime obeys no header of a caller', async () => {
  // With these, the service answers as without them, or the runtime says that its secret is wrong.
  const open: string[] = [CoreHeaders.ORIGINAL_URL, CoreHeaders.PROXY_SHARED_SECRET, CoreHeaders.DISABLE_PRETTY_ERROR]
  expect(Object.values(CoreHeaders)).toEqual(expect.arrayContaining(open))
  const closed = Object.values(CoreHeaders).filter((name) => !open.includes(name))
  expect(closed.length).toBeGreaterThan(10)
  for (const name of closed)
    for (const [spelling, value] of [
      [name, '{'],
      [name.toLowerCase(), 'x'],
      [name.toUpperCase(), 'galaxy'],
    ] as const) {
      expect(await call('/planets/4', { headers: { [spelling]: value } }), spelling).toEqual(NOTHING)
    }
  expect((await call('/planets/4', { headers: { [CoreHeaders.PROXY_SHARED_SECRET]: 'x' } })).status).toBe(400)
  expect((await call('/planets/4', { headers: { [CoreHeaders.DISABLE_PRETTY_ERROR]: 'x' } })).status).toBe(200)
})

it('npm start runs the scheduled job, and nobody else can', async () => {
  await until(countRows, (rows) => rows === 0)
  addRow()
  const crons = ['', '?cron=', '?cron=*+*+*+*+*', `?cron=${crypto.randomUUID()}`, '?cron=undefined&format=json']
  const paths = PATHS.filter((path) => path.endsWith('/scheduled'))
  expect(paths).toHaveLength(3)
  for (const path of [...paths, '/__scheduled'])
    for (const cron of crons) expect(await call(path + cron), path + cron).toEqual(NOTHING)
  // The runtime would take the path from its header.
  for (const path of paths) {
    const headers = { 'MF-Original-URL': `${galaxy.url}${path}` }
    expect(await call('/planets/4', { headers })).toEqual(NOTHING)
    expect(await call(path, { headers: { 'MF-Original-URL': `${galaxy.url}/planets/4` } })).toEqual(NOTHING)
  }
  expect(countRows()).toBe(1)
})

describe.each(HOSTS)('with the host %s', (host) => {
  it('every path is closed', () =>
    eachRow(PATHS, async (path) => {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
        for (const rest of ['', '/', '/x', '/galaxy-images/x', '?x=1'])
          expect(await call(path + rest, { method, host }), `${method} ${path}${rest}`).toEqual(NOTHING)
    }))

  it('nobody can read or write a database', async () => {
    const sql = JSON.stringify({ sql: 'select email, password_hash from users' })
    const headers = { 'Content-Type': 'application/json' }
    for (const explorer of PATHS.filter((path) => path.endsWith('/explorer'))) {
      const path = `${explorer}/api/d1/database/00000000-0000-0000-0000-000000000000/raw`
      expect(await call(path, { method: 'POST', host, headers, body: sql })).toEqual(NOTHING)
    }
  })

  it('no e-mail is taken', async () => {
    const body = 'From: a@galaxy.test\r\nTo: b@galaxy.test\r\nMessage-ID: <1@galaxy.test>\r\n\r\nHello\r\n'
    for (const path of PATHS.filter((path) => path.endsWith('/email'))) {
      const sent = { method: 'POST', host, body }
      expect(await call(`${path}?from=a@galaxy.test&to=b@galaxy.test`, sent)).toEqual(NOTHING)
    }
  })

  // wrangler's proxy for its debugger is a Worker of the same runtime.
  it.each(['InspectorProxyWorker', 'ProxyWorker', 'galaxy'])('no header leads to the Worker %s', async (name) => {
    const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' }
    const socket = { ...upgrade, 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==', Origin: 'http://localhost' }
    for (const path of ['/json', '/json/version', '/ws', '/planets/4'])
      for (const more of [{}, socket, { 'MF-Original-URL': `${galaxy.url}${path}` }]) {
        const headers = { ...more, 'MF-Route-Override': name }
        expect(await call(path, { host, headers }), path).toEqual(NOTHING)
      }
  })

  it('no control of the proxy of wrangler is taken', async () => {
    const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' }
    const protocol = 'WRANGLER_PROXYWORKER_LIVE_RELOAD_PROTOCOL'
    const headers = { ...upgrade, 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==', 'Sec-WebSocket-Protocol': protocol }
    expect(await call('/cdn-cgi/live-reload', { host, headers })).toEqual(NOTHING)
    for (const message of ['play', 'pause']) {
      const { status } = await call(`/cdn-cgi/ProxyWorker/${message}`, {
        host,
        headers: { Authorization: 'undefined' },
      })
      expect([401, 403, 404]).toContain(status)
    }
    expect((await call('/planets/4', { host })).status).toBe(200)
  })
})

describe('whatever the header Host says', () => {
  /** Addresses of the service at which it listens, and others by which it is reached. */
  const TARGETS = ['127.0.0.1', 'localhost', '[::1]', '127.1', '0x7f000001', '[::ffff:127.0.0.1]', 'a.localhost']

  it.each(['common world', 'universe'])('in a %s, the service cannot be made to call itself', async (world) => {
    const { url, token } = await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST' }))
    const path = world === 'universe' ? new URL(url).pathname : ''
    const bearer = world === 'universe' ? token : await signUp('localtest.me')
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${bearer}` }
    const post = async (resource: string, body: object) =>
      await call(path + resource, { method: 'POST', host: 'localtest.me', headers, body: JSON.stringify(body) })
    const { port } = new URL(galaxy.url)
    for (const target of TARGETS) {
      const own = `http://${target}:${port}`
      for (const refused of [`${own}/planets`, `${own}${path}/planets`, `${own}/cdn-cgi/local/scheduled`]) {
        for (const member of ['successCallbackUrl', 'failureCallbackUrl']) {
          const { status, body } = await post('/planets', { name: 'Loop', [member]: refused })
          expect([status, JSON.parse(body).errors?.[0]?.pointer], refused).toEqual([400, `/${member}`])
        }
        const auth = { scheme: 'oAuth2', tokenUrl: refused, clientId: 'a', clientSecret: 'b' }
        const { status, body } = await post('/webhooks', { url: refused, events: ['newPlanet'], auth })
        const pointers = JSON.parse(body).errors?.map((fault: { pointer: string }) => fault.pointer)
        expect([status, pointers], refused).toEqual([400, ['/url', '/auth/tokenUrl']])
      }
      expect((await post('/planets', { name: 'Loop', successCallbackUrl: `${own}/echo` })).status).toBe(201)
    }
    const elsewhere = 'http://127.0.0.1:9'
    expect((await post('/planets', { name: 'Loop', successCallbackUrl: `${elsewhere}/cdn-cgi/a` })).status).toBe(400)
    expect((await post('/planets', { name: 'Loop', successCallbackUrl: `${elsewhere}/a` })).status).toBe(201)
  })
})

/** Signs up with a host, which is then the issuer of the token. @returns The token of a new user of the common world */
async function signUp(host: string): Promise<string> {
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ email: `${crypto.randomUUID()}@galaxy.test`, password: 'i-love-planets', name: 'Ada' })
  await call('/user/signup', { method: 'POST', host, headers, body })
  return JSON.parse((await call('/auth/token', { method: 'POST', host, headers, body })).body).token
}

it('no image comes out except as an image', async () => {
  const { token: bearer, url: universe } = await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST' }))
  const token = await signUp(new URL(galaxy.url).hostname)
  const [key, keyInUniverse] = [await uploadImage(galaxy.url, token), await uploadImage(universe, bearer)]
  const keys = [key, `u/${universe.split('/').at(-1)}/0/${keyInUniverse}`]
  for (const path of PATHS.filter((path) => /\/r2\/|\/images?delivery/.test(path)))
    for (const object of keys.flatMap((key) => [key, encodeURIComponent(key)]))
      for (const host of HOSTS) {
        expect(await call(`${path}/galaxy-images/${object}`, { host })).toEqual(NOTHING)
        const headers = { 'MF-Original-URL': `${galaxy.url}${path}/galaxy-images/${object}` }
        expect(await call('/planets/4', { host, headers })).toEqual(NOTHING)
      }
})

/** Makes a planet with an image. @returns The name of the image */
async function uploadImage(base: string, token: string): Promise<string> {
  const headers = { Authorization: `Bearer ${token}` }
  const created = await fetch(`${base}/planets`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Arrakis' }),
  })
  const { id } = await bodyOf(created)
  const body = new FormData()
  body.set('image', new Blob([makePicture()]))
  const { imageUrl } = await bodyOf(await fetch(`${base}/planets/${id}/image`, { method: 'POST', headers, body }))
  expect((await fetch(imageUrl)).status).toBe(200)
  return imageUrl.split('/').at(-1)
}

it('a client that claims to come through an edge is cut off like any other', { timeout: 60_000 }, async () => {
  const { token, url } = await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST' }))
  const socket = openRaw(`${url}/ws/v1/system/events`, { 'CF-Ray': '8f0d1c2b3a495867-FRA' })
  await socket.begun
  // Then only the entry of the Worker can cut the connection: the object hibernates after ten seconds without work.
  await sleep(12_000)
  const headers = { Authorization: `Bearer ${token}` }
  expect((await fetch(`${url}/universe/reset`, { method: 'POST', headers })).ok).toBe(true)
  expect(await socket.closed).toBe(1012)
  expect(await socket.ended).toBeLessThan(5000)
})

it('no URL with an API key is kept in the state folder, and those of earlier runs are removed', async () => {
  expect((await call(`/me?api_key=${KEY}`)).status).toBe(401)
  expect((await call('/me', { headers: { 'X-API-Key': KEY } })).status).toBe(401)
  // The runtime writes some files only when it ends.
  await stop()
  const files = readdirSync(state.folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(state.folder, file))
    .filter((file) => statSync(file).isFile())
  expect(files.length).toBeGreaterThan(0)
  expect(files.filter((file) => readFileSync(file).includes(KEY))).toEqual([])
})
