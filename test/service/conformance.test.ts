import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer as createHttpServer, type Server as HttpServer, type RequestListener } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Check, nameOf } from '../../scripts/lib/conformance/check.ts'
import { CHECKS } from '../../scripts/lib/conformance/checks/all.ts'
import { Failure } from '../../scripts/lib/conformance/failure.ts'
import { toJUnit } from '../../scripts/lib/conformance/junit.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { type Fault, type FaultyProxy, type Passing, startFaultyProxy } from './faulty-proxy.ts'
import { shareGalaxy } from './prepared-state.ts'
import { World } from './world.ts'

// `npm run conformance`, against the service, against a service that does not keep the interface, and against
// strangers.

const galaxy = shareGalaxy()

/** A run with many checks, on a machine that may have other work. */
const SLOW_MS = 300_000

let folder: string
const open: { close(): unknown }[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galaxy-conformance-test-'))
})

afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
  await rm(folder, { recursive: true })
})

interface Outcome {
  code: number | null
  output: string
}

/** Runs the command. @param onOutput Is told what it has printed so far, and may interrupt it */
function run(
  args: string[],
  onOutput: (output: string, child: ChildProcess) => void = () => {},
  command = NODE,
): Promise<Outcome> {
  const [program = '', ...before] = command
  const child = spawn(program, [...before, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const note = (chunk: string) => {
    output += chunk
    onOutput(output, child)
  }
  child.stdout.on('data', note)
  child.stderr.on('data', note)
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })))
}

const NODE = [process.execPath, 'scripts/run.cjs', 'conformance']
const NPM = ['npm', 'run', '--silent', 'conformance', '--']

/** The rows of the table that have an outcome. */
function rowsOf(output: string, outcome: string): string[] {
  const lines = output.split('\n').map((line) => /^(\S.*?) {2,}(passed|failed|not tried) +\d+$/.exec(line))
  return lines.flatMap((found) => (found?.[2] === outcome ? (found[1] ?? '') : []))
}

/** A proxy that is closed at the end of the test. */
async function openProxy(...args: Parameters<typeof startFaultyProxy>): Promise<FaultyProxy> {
  const proxy = await startFaultyProxy(...args)
  open.push(proxy)
  return proxy
}

async function expectEnded(universes: readonly string[]) {
  expect(universes.length).toBeGreaterThan(0)
  for (const url of universes) expect((await fetch(`${url}/planets`)).status).toBe(410)
}

/** What a report must not show, whatever a test has made up. */
const SECRETS = /eyJ[\w-]+\.|glx_\w|whsec_\w|Basic [A-Za-z0-9]|Conformance-[0-9a-f]/

/** The id in JSON or XML. */
const readId = (body: string) => /"id":(\d+)|<id>(\d+)/.exec(body)?.slice(1).join('')

/** What a deployment allows one address in a minute or an hour, in each world. A run must not need more. */
const DEFAULT_LIMITS: Record<string, number> = { signIns: 10, signUps: 30, inboxes: 10, writes: 600, searches: 120 }

/** Counts what is limited, for each world. */
function noteUse({ universe, method, path, status, requestHeaders }: Passing, uses: Map<string, number>): undefined {
  const isWrongBasic = status === 401 && requestHeaders.authorization?.startsWith('Basic')
  const isSignIn = path === '/auth/token' && status !== 400 && !requestHeaders.prefer
  const isWrite = !['GET', 'HEAD', 'OPTIONS', 'QUERY'].includes(method)
  // More than what is counted: what is refused is not, and neither is a list without filter.
  const isSearch = method === 'QUERY' || /^\/planets\/search|^\/planets\?.*(?:name|type|Index|sort|cursor)=/.test(path)
  const kinds = {
    signIns: isWrongBasic || isSignIn,
    signUps: isWrite && path === '/user/signup',
    inboxes: isWrite && path === '/inboxes',
    writes: isWrite,
    searches: isSearch,
  }
  for (const [kind, isMeant] of Object.entries(kinds)) {
    const use = `${kind} ${universe}`
    if (isMeant) uses.set(use, (uses.get(use) ?? 0) + 1)
  }
}

describe('the service', { timeout: SLOW_MS }, () => {
  it('passes every check, and its universes are gone afterwards', async () => {
    const uses = new Map<string, number>()
    const proxy = await openProxy(galaxy.url, [(passing) => noteUse(passing, uses)])
    const junit = join(folder, 'junit.xml')
    const { code, output } = await run([proxy.url, '--junit', junit])
    expect(rowsOf(output, 'failed'), output).toEqual([])
    expect(rowsOf(output, 'passed')).toEqual(CHECKS.map(nameOf))
    expect(output).toContain(`${CHECKS.length} rows: ${CHECKS.length} passed, 0 failed, 0 not tried.`)
    expect(code).toBe(0)
    expect(readSuites(await readFile(junit, 'utf8'))).toMatchObject({
      '@tests': String(CHECKS.length),
      '@failures': '0',
    })
    await expectEnded(proxy.universes)
    const kinds = new Set(Array.from(uses.keys(), (use) => use.split(' ')[0]))
    expect(kinds).toEqual(new Set(Object.keys(DEFAULT_LIMITS)))
    for (const [use, count] of uses)
      expect(count, use).toBeLessThanOrEqual(DEFAULT_LIMITS[use.split(' ')[0] ?? ''] ?? 0)
  })

  it('has a name of its own for each check', () => {
    expect(new Set(CHECKS.map(nameOf)).size).toBe(CHECKS.length)
  })

  it('is only read with --read-only, while others create planets', async () => {
    const methods = new Set<string>()
    const { token } = await World.open(galaxy.url)
    const created: number[] = []
    // The list grows before the check knows how long it was.
    const grow: Fault = async ({ path }) => {
      if (path !== '/planets?limit=1') return undefined
      const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
      const response = await fetch(`${galaxy.url}/planets`, { method: 'POST', headers, body: '{"name":"Busy"}' })
      created.push(response.status)
      return undefined
    }
    const proxy = await openProxy(galaxy.url, [({ method }) => void methods.add(method), grow])
    const { code, output } = await run([proxy.url, '--read-only'])
    expect(new Set(created)).toEqual(new Set([201]))
    expect(output).toContain(`, 0 failed, 0 not tried.`)
    expect(code).toBe(0)
    expect(rowsOf(output, 'passed')).toEqual(CHECKS.filter(({ isRead }) => isRead).map(nameOf))
    expect([...methods].toSorted()).toEqual(['GET', 'HEAD', 'OPTIONS'])
  })

  it('keeps nothing of a run in a world that the user has named', async () => {
    const made: string[] = []
    let [signedUp, ended] = [0, 0]
    const note: Fault = ({ method, path, status, body }) => {
      if (method === 'POST' && path === '/planets' && status === 201) made.push(`/planets/${readId(body)}`)
      if (path === '/user/signup' && status === 201) signedUp++
      if (method === 'DELETE' && path === '/me' && status === 204) ended++
    }
    const proxy = await openProxy(galaxy.url, [note])
    const parts = ['PUT /planets', 'GET /universe', '201 for XML'].flatMap((part) => ['--only', part])
    const { code, output } = await run(['--world', proxy.url, ...parts])
    expect(rowsOf(output, 'failed'), output).toEqual([])
    expect(rowsOf(output, 'not tried')).toEqual(['Universes: GET /universe'])
    expect(code).toBe(0)
    expect(made.length).toBeGreaterThan(0)
    for (const path of made) expect((await fetch(galaxy.url + path)).status).toBe(404)
    expect(ended).toBe(signedUp)
    expect(signedUp).toBeGreaterThan(2)
  })
})

/** One thing of each kind that a service can do wrong, with the row that tells of it. */
const FAULTS: Record<string, Fault> = {
  // Another status.
  'PUT /planets/{planetId}: 404 NotFoundError': (passing) => {
    if (passing.method === 'PUT' && passing.path === '/planets/999999999') passing.status = 400
  },
  // A patch that is stored in part.
  'PATCH /planets/{planetId}: 200 for a JSON Patch': (passing) => {
    if (passing.method === 'PATCH') passing.body = passing.body.replace('["desert","spice"]', '["desert"]')
  },
  // A filter that is overlooked, a status of another kind, and a header that is missing.
  'GET /planets: query minHabitabilityIndex': (passing) => {
    if (passing.path.endsWith('minHabitabilityIndex=0.75'))
      passing.body = passing.body.replace('"total":1', '"total":2')
  },
  'GET /planets/search: 414 above 8,192 bytes': (passing) => {
    if (passing.status === 414) passing.status = 400
  },
  'QUERY /planets: header Location: the equivalent GET': (passing) => {
    if (passing.method === 'QUERY') delete passing.headers.location
  },
  // A media type that is read though it is not one of those.
  'QUERY /planets: 415 with Accept': (passing) => {
    if (passing.method === 'QUERY' && passing.status === 415) delete passing.headers.accept
  },
  // A refusal that is none.
  'DELETE /planets/{planetId}: 403 for another user': (passing) => {
    if (passing.method === 'DELETE' && passing.status === 403) passing.status = 204
  },
  // A header that is missing, and one with another value.
  'Requests and responses: header Date': (passing) => {
    if (passing.status === 304) passing.headers.date = 'yesterday'
  },
  'POST /planets: header Location': (passing) => {
    if (isCreation(passing)) delete passing.headers.location
  },
  // Two members, each in a row of its own.
  'GET /planets: meta.offset': (passing) => {
    if (isPage(passing) && passing.path === '/planets?offset=1')
      passing.body = passing.body.replace('"offset":1', '"offset":0')
  },
  'POST /planets/{planetId}/image: message': (passing) => {
    if (passing.body.includes('"imageUrl"')) passing.body = passing.body.replace('"message"', '"text"')
  },
  'POST /planets/{planetId}/image: imageUrl': (passing) => {
    passing.body = passing.body.replace(/"(image|imageUrl)":"http[^"]*(\/images\/[^"]+)"/, '"$1":"$2"')
  },
  'Errors: title (text)': (passing) => {
    if (passing.path === UNKNOWN && passing.method === 'GET') passing.body = passing.body.replace('"title"', '"name"')
  },
  // A challenge that is missing.
  'Authentication: 401 has a challenge': (passing) => {
    if (passing.path === '/celestial-bodies' && passing.status === 401) delete passing.headers['www-authenticate']
  },
  'GET /planets: header X-Pagination-Page': (passing) => {
    if (passing.headers['x-pagination-page']) passing.headers['x-pagination-page'] = '7'
  },
  // A member of a body that is wrong, one that is missing, and one of another type.
  'GET /planets: meta.total': (passing) => {
    if (passing.path === '/planets?limit=1') passing.body = passing.body.replace(/"total":\d+/, '"total":1')
  },
  'GET /planets: meta.next': (passing) => {
    if (isPage(passing)) passing.body = passing.body.replace(/"next":"[^"]*"/, '"next":null')
  },
  'GET /me: 401 UnauthorizedError': (passing) => {
    const isAnonymous = !['authorization', 'cookie', 'x-api-key'].some((name) => name in passing.requestHeaders)
    if (passing.path === '/me' && isAnonymous) passing.body = passing.body.replace('"detail"', '"details"')
  },
  'Fields of a planet: physicalProperties.gravity': (passing) => {
    passing.body = passing.body.replace(/"gravity":0\.9/, '"gravity":"0.9"')
  },
  // XML that is not well-formed.
  'GET /planets: 200 in XML, root planets': (passing) => {
    if (/xml/.test(passing.headers['content-type'] ?? ''))
      passing.body = passing.body.replace('</planets>', '</planet>')
  },
  // A call that never arrived, and one whose body was changed.
  'Events: planetExploded': (passing) => changeCalls(passing, (calls) => calls.filter((call) => !isExplosion(call))),
  'Events: signature x-signature: HMAC with SHA-256, in base64': (passing) =>
    changeCalls(passing, (calls) => calls.map((call) => ({ ...call, body: call.body.replace('🪐', '🌍') }))),
  // No response.
  'POST /planets/{planetId}/image: 404 NotFoundError': ({ path }) =>
    path === '/planets/999999999/image' ? 'close' : undefined,
  'Requests and responses: OPTIONS': ({ method, requestHeaders }) =>
    method === 'OPTIONS' && !('origin' in requestHeaders) ? 'silence' : undefined,
}
/** The planet that the rows about errors ask for. */
const UNKNOWN = '/planets/999999998'
const WITHOUT_SOCKET = 'WebSockets: planets/{planetId}/events, v2'

const TOKEN_LIMIT = 'POST /auth/token: 429 TooManyRequestsError'

const isCreation = ({ method, path, status }: Passing) => method === 'POST' && path === '/planets' && status === 201
const isPage = ({ path, headers }: Passing) =>
  path.startsWith('/planets?') && /json/.test(headers['content-type'] ?? '')

interface RecordedCall {
  headers: { name: string; value: string }[]
  body: string
}

const isExplosion = ({ headers }: RecordedCall) => headers.some(({ value }) => value === 'planetExploded')

/** Changes what an inbox has received. */
function changeCalls(passing: Passing, change: (calls: RecordedCall[]) => RecordedCall[]): undefined {
  if (passing.method !== 'GET' || !passing.path.startsWith('/inboxes/')) return
  const page = JSON.parse(passing.body)
  passing.body = JSON.stringify({ ...page, data: change(page.data) })
}

/** The parts of the interface that the faults are in. */
const PARTS = new Set([...Object.keys(FAULTS), WITHOUT_SOCKET].map((name) => `${name.split(': ')[0]}: `))

describe('a service that does not keep the interface', { timeout: SLOW_MS }, () => {
  it('fails exactly the rows that it does not keep, with the expected and the actual response', async () => {
    const proxy = await openProxy(galaxy.url, Object.values(FAULTS), (path) => path.includes('/ws/v2/'))
    const junit = join(folder, 'junit.xml')
    const only = [...PARTS].flatMap((part) => ['--only', part])
    const { code, output } = await run([proxy.url, '--timeout', '10', '--junit', junit, ...only])
    const expected = [...Object.keys(FAULTS), WITHOUT_SOCKET].toSorted()
    expect(rowsOf(output, 'failed').toSorted(), output).toEqual(expected)
    expect(code).toBe(1)
    expect(output).toContain('expected: the header Location')
    expect(output).toMatch(/request: PUT \S+\/planets\/999999999\n(?: .*\n)* {2}expected: status 404\n {2}actual: 400 /)
    expect(output).toContain('expected: a call planetExploded at ')
    expect(output).toContain('actual: nothing within 10 seconds')
    expect(output).not.toMatch(SECRETS)
    const text = await readFile(junit, 'utf8')
    expect(text).not.toMatch(SECRETS)
    expect(failuresIn(text).toSorted()).toEqual(expected)
    await expectEnded(proxy.universes)
  })

  it.each([
    [true, 'passed'],
    [false, 'failed'],
  ])('is asked for tokens until the limit that it names (it refuses then: %s)', async (refuses, outcome) => {
    let attempts = 0
    const limit: Fault = (passing) => {
      if (passing.path !== '/auth/token') return
      passing.headers['x-ratelimit-limit'] = '3'
      if (++attempts <= 3 || !refuses) return
      passing.status = 429
      passing.headers = { ...passing.headers, 'x-ratelimit-remaining': '0', 'retry-after': '60' }
      passing.body = passing.body.replace('"status":401', '"status":429')
    }
    const proxy = await openProxy(galaxy.url, [limit])
    const { code, output } = await run([proxy.url, '--only', TOKEN_LIMIT])
    expect(rowsOf(output, outcome), output).toEqual([TOKEN_LIMIT])
    expect(code).toBe(refuses ? 0 : 1)
    expect(attempts).toBe(4)
  })

  it('is not read for ever if its list has no end', async () => {
    let [page, reads] = ['', 0]
    const repeat: Fault = (passing) => {
      if (!passing.path.startsWith('/planets?limit=100&')) return undefined
      page ||= passing.body.replace('"next":null', '"next":"/planets"')
      passing.body = page
      reads++
      return undefined
    }
    const proxy = await openProxy(galaxy.url, [repeat])
    const { output } = await run([proxy.url, '--only', 'GET /planets: meta'])
    expect(rowsOf(output, 'failed'), output).toEqual(['GET /planets: meta.next'])
    // The rows meta.total and meta.next read the end of the list.
    expect(reads).toBe(2 * 100)
  })

  it('is not asked for ever if it stops answering', async () => {
    let count = 0
    const proxy = await openProxy(galaxy.url, [() => (++count > 5 ? 'close' : undefined)])
    const { code, output } = await run([proxy.url])
    expect(code).toBe(1)
    expect(output).toContain('not tried: the server does not answer any more')
    expect(output).toContain('could not be ended. It ends by itself')
    expect(rowsOf(output, 'failed').length).toBeLessThan(20)
  })
})

describe('an interruption', () => {
  it.each([
    ['SIGINT', NODE, 130],
    ['SIGTERM', NPM, undefined],
  ] as const)('by %s ends the universe', async (signal, command, status) => {
    const proxy = await openProxy(galaxy.url)
    let isInterrupted = false
    const interrupt = (output: string, child: ChildProcess) => {
      if (isInterrupted || !output.includes('passed')) return
      isInterrupted = true
      child.kill(signal)
      // From a terminal, and again from npm.
      if (signal === 'SIGINT') setTimeout(() => child.kill(signal), 20)
    }
    const { code, output } = await run([proxy.url], interrupt, [...command])
    expect(output).toMatch(/\d+ not reached\.$/m)
    // npm has a status of its own.
    if (status !== undefined) expect(code).toBe(status)
    await expectEnded(proxy.universes)
  })
})

describe('a stranger', () => {
  const answerWith = (listener: RequestListener) => createHttpServer(listener)
  const html: RequestListener = (_, response) =>
    response.setHeader('Content-Type', 'text/html').end('<p>Hello</p>\u001b[2J')
  const refuse: RequestListener = (_, response) =>
    response.writeHead(403, { 'Content-Type': 'application/problem+json' }).end('{"detail":"They are off."}')
  const redirect: RequestListener = (_, response) => response.writeHead(308, { Location: 'https://other.test/' }).end()
  const begin: RequestListener = (_, response) => response.writeHead(201).write('{')

  it.each<[string, Server | HttpServer, RegExp]>([
    ['never answers', createServer(() => {}), /cannot be reached: nothing within 1 seconds\./],
    ['never ends its answer', answerWith(begin), /cannot be reached: nothing within 1 seconds\./],
    ['closes', createServer((socket) => socket.destroy()), /cannot be reached: no response: /],
    ['answers HTML', answerWith(html), /returned 200 and no universe \(text\/html\): <p>Hello<\/p>/],
    ['makes no universes', answerWith(refuse), /returned 403 and no universe .* They are off\.\nWithout .*--read-only/],
    ['redirects', answerWith(redirect), /returned 308, a redirect to https:\/\/other\.test\/\./],
  ])('that %s gets a clear message', async (_, server, message) => {
    const url = await listen(server)
    const junit = join(folder, 'junit.xml')
    const { code, output } = await run([url, '--timeout', '1', '--junit', junit])
    expect(output).toMatch(message)
    expect(output).toMatch(/Nothing was checked\.$/m)
    // A terminal would obey it.
    expect(output).not.toContain('\u001b')
    expect(code).toBe(2)
    const report = await readFile(junit, 'utf8')
    expect(failuresIn(report)).toEqual(['Conformance: the service can be checked'])
    expect(report).toMatch(/<failure message="[^"]*(?:cannot be reached|returned)/)
  })

  it('that is only read gets the same message', async () => {
    const { code, output } = await run([await listen(createServer(() => {})), '--timeout', '1', '--read-only'])
    expect(output).toContain('cannot be reached: nothing within 1 seconds.')
    expect(code).toBe(2)
  })
})

/** Listens on some port, until the end of the test. */
async function listen(server: Server): Promise<string> {
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => sockets.push(socket.on('error', () => {})))
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  open.push({
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return `http://localhost:${address.port}`
}

describe('the arguments', () => {
  it.each([
    [[], 'ADDRESS is missing'],
    [['galaxy.test'], 'galaxy.test is not an http or https URL'],
    [['http://galaxy.test', '--world', 'http://other.test'], 'ADDRESS and --world exclude each other'],
    [['http://galaxy.test', '--timeout', '0'], '--timeout must be a number of seconds'],
    [['http://galaxy.test', '--only', 'no such row'], 'No check has no such row in its name'],
    [['http://galaxy.test', '--junit', '/no/such/folder/junit.xml'], 'no such file or directory'],
    [['http://galaxy.test', '--fast'], "Unknown option '--fast'"],
  ])('%j: %s', async (args, message) => {
    const { code, output } = await run(args)
    expect(output).toContain(message)
    expect(code).toBe(2)
  })

  it('--list lists the checks', async () => {
    const { code, output } = await run(['--list'])
    expect(output.trimEnd().split('\n')).toEqual(CHECKS.map(nameOf))
    expect(code).toBe(0)
  })
})

describe('JUnit', () => {
  const check: Check = { part: 'A "part" & <more>', row: 'a row', isRead: true, run: async () => {} }

  it('is well-formed, whatever a response contains', () => {
    const actual = '\u0000\u001b[31m <![CDATA[ ]]> & "\ud800" \ufffe'
    const failure = new Failure('"nothing" & <more>', actual, 'GET /')
    const text = toJUnit('http://galaxy.test', [{ check, ms: 12, outcome: 'failed', failure }])
    expect(XMLValidator.validate(text)).toBe(true)
    expect(text.isWellFormed()).toBe(true)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/)
    expect(failuresIn(text)).toEqual(['A "part" & <more>: a row'])
    expect(readSuites(text)).toMatchObject({ '@tests': '1', '@failures': '1', '@skipped': '0' })
  })
})

interface JUnitCase {
  '@classname': string
  '@name': string
  failure?: object
}

interface JUnitSuites {
  testsuite: { testcase: JUnitCase[] }[]
}

function readSuites(text: string): JUnitSuites {
  expect(XMLValidator.validate(text)).toBe(true)
  const options = { ignoreAttributes: false, attributeNamePrefix: '@' }
  const isArray = (name: string) => name === 'testsuite' || name === 'testcase'
  return new XMLParser({ ...options, isArray }).parse(text).testsuites
}

/** The names of the checks that failed. */
function failuresIn(text: string): string[] {
  const cases = readSuites(text).testsuite.flatMap(({ testcase }) => testcase)
  return cases.flatMap((one) => (one.failure ? `${one['@classname']}: ${one['@name']}` : []))
}
