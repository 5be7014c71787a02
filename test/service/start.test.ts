import { execFile, spawn } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { readStartArguments } from '../../scripts/lib/start-arguments.ts'
import { documentedFetch } from '../support/documented-fetch.ts'
import { until } from './callbacks-client.ts'
import { bodyOf, makeStateFolder } from './galaxy.ts'
import { queryState } from './local-database.ts'
import { failToStart, npmStart, type StartedByNpm } from './npm-start.ts'
import { freePort } from './ports.ts'
import { makePreparedState } from './prepared-state.ts'
import { listCommandLines } from './processes.ts'
import { openRaw } from './raw-socket.ts'

const run = promisify(execFile)
const PLANETS = 5402
const MOONS = 22

let state: Awaited<ReturnType<typeof makeStateFolder>>
let port: number
let galaxy: StartedByNpm

beforeAll(async () => {
  state = await makeStateFolder()
  port = await freePort()
  galaxy = await start()
})

afterAll(async () => {
  await galaxy.stop()
  await untilNoProcess(state.folder)
  await state.remove()
})

const start = (...more: string[]) => npmStart(['--port', String(port), '--persist-to', state.folder, ...more])

/** Waits until nothing is left of what was told to end. @param list The rest of it */
const untilNone = (list: () => Promise<unknown[]>) => until(list, ({ length }) => length === 0)
const untilNoProcess = (folder: string) => untilNone(() => listCommandLines(folder))

const read = async (path: string) => bodyOf(await documentedFetch(new URL(path, galaxy.url)))

/** What npm, `npm start` and wrangler print if a start succeeds. */
const EXPECTED_LINES = [
  /^> (?:galaxy@|node scripts\/run\.cjs start )/,
  /^Preparing the database: /,
  /^\[wrangler:info\] (?:Ready on http|[A-Z]+ \/)/,
  /^Galaxy is running at /,
  /^Read the API reference /,
  /^ {2}curl /,
]

describe('npm start', () => {
  it('prints its address and three curl lines that work when pasted, again and again', async () => {
    const lines = galaxy.output().match(/^ {2}curl .*$/gm) ?? []
    expect(lines).toHaveLength(3)
    for (const paste of [1, 2]) {
      // The time in the third line makes a new e-mail address each second.
      if (paste > 1) await sleep(1000)
      for (const line of lines) {
        const { stdout } = await run('bash', ['-c', `${line} --silent --fail-with-body`])
        expect(JSON.parse(stdout), `paste ${paste}`).toBeTruthy()
      }
    }
  })

  it('prints nothing else except what it prepares and which requests arrived', async () => {
    const list = () => galaxy.output().split('\n').filter(Boolean)
    await expect.poll(list).toContainEqual(expect.stringMatching(/^\[wrangler:info\] GET \/planets 200 OK/))
    expect(list().filter((line) => !EXPECTED_LINES.some((expected) => expected.test(line)))).toEqual([])
  })

  it('serves 5,402 planets, each once and in order, and their moons, when meta.next is followed', async () => {
    const ids: number[] = []
    let moons = 0
    for (let next = '/planets?limit=100'; next; ) {
      const { data, meta } = await read(next)
      ids.push(...data.map(({ id }: { id: number }) => id))
      moons += data.flatMap(({ satellites = [] }: { satellites?: unknown[] }) => satellites).length
      expect(meta.total).toBeGreaterThanOrEqual(PLANETS)
      next = meta.next
    }
    expect(ids).toEqual(Array.from({ length: PLANETS }, (_, index) => index + 1))
    expect(moons).toBe(MOONS)
  })

  it.each([
    [1, { name: 'Mercury', creator: { id: 1, name: 'Galaxy' } }],
    [4, { name: 'Mars', type: 'terrestrial', physicalProperties: { mass: 0.1074, orbitalPeriod: 686.98 } }],
    [5, { name: 'Jupiter', type: 'gas_giant', tags: ['Sun', 'Solar System'] }],
  ])('has the real planet %i', async (id, expected) => {
    expect(await read(`/planets/${id}`)).toMatchObject({ id, ...expected })
  })
})

describe('a socket of npm start', () => {
  it('has a connection that ends when the service has closed it and the client has answered', async () => {
    const bearer = await signUp(credentialsOf('brief'))
    const socket = openRaw(`${galaxy.url}/ws/v1/system/events`, bearer)
    await socket.begun
    await documentedFetch(new URL('/me', galaxy.url), { method: 'DELETE', headers: bearer })
    expect(await socket.closed).toBe(4401)
    // The runtime alone does it when the object of the hub has been idle for ten seconds.
    expect(await socket.ended).toBeLessThan(5000)
    socket.destroy()
  })
})

describe('the README', () => {
  it('has a journey that works line by line against the running service', async () => {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
    const block = /## A journey\n.*?```bash\n(.*?)```/s.exec(readme)?.[1] ?? ''
    const lines = block
      .trim()
      .split('\n')
      .map((line) => line.replace('http://localhost:8787', galaxy.url))
    const script = lines.map((line) => `${line}\necho; echo "== $? =="`).join('\n')
    const { stdout } = await run('bash', ['-c', script])
    const answers = stdout.split(/== 0 ==\n/)
    expect(answers).toHaveLength(lines.length + 1)
    const seen = answers.map((answer) => answer.trim()).filter(Boolean)
    expect(seen).toEqual([
      expect.stringMatching(/^\{"id":\d+,"name":"You"\}$/),
      expect.stringMatching(/^\{"id":\d+,"name":"You"\}$/),
      expect.stringContaining('"satellites":[{"id":'),
      expect.stringMatching(/^<\?xml .*<satellites><id>\d+<\/id><name>Krelln<\/name><\/satellites>/s),
      expect.stringContaining('"description":"Dune"'),
      expect.stringMatching(/^The same picture: http.*\.png$/),
      expect.stringContaining('"name":"Mercury"'),
      expect.stringMatching(/"name":"Arrakis","image":"http.*","tags":\["spice"\]/),
      expect.stringMatching(/^\{"id":\d+,"name":"You"\}$/),
      expect.stringMatching(/^HTTP\/1.1 403 .*insufficient_scope.*write:planets/s),
      expect.stringMatching(/^HTTP\/1.1 503 .*Preference-Applied: code=503/s),
      expect.stringMatching(/^HTTP\/1.1 204 No Content/),
      expect.stringContaining('"status":404'),
    ])
  })
})

const JSON_TYPE = { 'Content-Type': 'application/json' }

const credentialsOf = (name: string) => ({ email: `${name}@example.com`, password: 'i-love-planets' })

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  documentedFetch(new URL(path, galaxy.url), {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  })

/** Creates a user. @returns The headers of the user's requests */
async function signUp(credentials: object): Promise<Record<string, string>> {
  await post('/user/signup', credentials)
  const { token } = await bodyOf(await post('/auth/token', credentials))
  return { Authorization: `Bearer ${token}` }
}

/** What a user has stored. */
interface Stored {
  credentials: object
  bearer: Record<string, string>
  planet: { id: number }
  imageUrl: string
  /** The number of all planets. */
  total: number
}

/** Creates a user who has a planet with an image. */
async function store(name: string): Promise<Stored> {
  const credentials = credentialsOf(name)
  const bearer = await signUp(credentials)
  const { id } = await bodyOf(await post('/planets', { name: `Kept by ${name}` }, bearer))
  const form = new FormData()
  form.set('image', new Blob(['\u0047IF89a', new Uint8Array(100)]))
  const upload = new URL(`/planets/${id}/image`, galaxy.url)
  const { imageUrl } = await bodyOf(await documentedFetch(upload, { method: 'POST', headers: bearer, body: form }))
  const { total } = (await read('/planets')).meta
  return { credentials, bearer, planet: await read(`/planets/${id}`), imageUrl, total }
}

async function expectKept({ credentials, bearer, planet, imageUrl, total }: Stored): Promise<void> {
  expect(await read(`/planets/${planet.id}`)).toEqual(planet)
  expect((await read('/planets')).meta.total).toBe(total)
  expect((await (await documentedFetch(imageUrl)).arrayBuffer()).byteLength).toBe(106)
  expect((await post('/auth/token', credentials)).status).toBe(201)
  expect((await documentedFetch(new URL('/me', galaxy.url), { headers: bearer })).status).toBe(200)
}

/** What is left of the service: its processes, and its response if there still is one. */
async function listLeft(): Promise<unknown[]> {
  const response = await fetch(galaxy.url).catch(() => undefined)
  return [...(response ? [response.status] : []), ...(await listCommandLines(state.folder))]
}

describe('a restart by SIGINT with variables, after which the database is prepared again', () => {
  const APPLIED = 'select id, name, applied_at from d1_migrations order by id'
  let stored: Stored
  let applied: unknown[]

  beforeAll(async () => {
    stored = await store('prudent')
    applied = queryState(state.folder, APPLIED)
    await galaxy.stop('SIGINT')
    // A stop leaves no process behind.
    await untilNone(listLeft)
    // As if there were a migration that was not applied yet.
    await rm(join(state.folder, 'v3', 'd1', 'prepared-from'))
    const variables = ['SIGNUP:closed', 'TOKEN_RATE_LIMIT:7', 'CALLBACK_ALLOW_PRIVATE:off']
    galaxy = await start(...variables.flatMap((variable) => ['--var', variable]), '--test-scheduled')
  })

  it('keeps planets, users and images', async () => {
    await expectKept(stored)
  })

  it('has every migration once, and wrangler finds none to apply', async () => {
    const files = (await readdir(join(ROOT, 'migrations'))).filter((name) => name.endsWith('.sql')).sort()
    expect(galaxy.output()).toContain('Preparing the database')
    expect(applied).toEqual(files.map((name, index) => ({ id: index + 1, name, applied_at: expect.any(String) })))
    expect(queryState(state.folder, APPLIED)).toEqual(applied)
  })

  it('has the shipped planets once, with their moons', () => {
    const sql = `select (select count(*) from planets where creator_id = 1) as planets, (select count(*) from bodies where planet_id <= ${PLANETS}) as moons`
    expect(queryState(state.folder, sql)).toEqual([{ planets: PLANETS, moons: MOONS }])
  })

  it('passes variables and --test-scheduled on', async () => {
    expect((await post('/user/signup', credentialsOf('late'))).status).toBe(403)
    const token = await post('/auth/token', credentialsOf('late'))
    expect(token.headers.get('X-RateLimit-Limit')).toBe('7')
    // Without the variable, npm start allows private receivers.
    const planet = { name: 'Ix', successCallbackUrl: `${galaxy.url}/echo` }
    const refused = await post('/planets', planet, stored.bearer)
    expect((await bodyOf(refused)).errors).toMatchObject([{ pointer: '/successCallbackUrl' }])
    const [, command = ''] = /^Run the scheduled job: (curl .*)$/m.exec(galaxy.output()) ?? []
    expect((await run('bash', ['-c', `${command} --silent`])).stdout).toBe('Ran scheduled event')
    expect((await documentedFetch(new URL('/__scheduled', galaxy.url))).status).toBe(404)
  })
})

describe.concurrent('a stop while it starts leaves nothing behind', () => {
  it.each([
    ['npm has begun', makeStateFolder, 'scripts/run.cjs start'],
    ['it prepares the database', makeStateFolder, ' d1 execute '],
    ['wrangler has begun', makePreparedState, ' dev '],
    ['the service has begun', makePreparedState, '[wrangler:info] Ready on '],
  ])('as soon as %s', async (_, makeFolder, sign) => {
    const fresh = await makeFolder()
    const options = ['start', '--', '--port', String(await freePort()), '--persist-to', fresh.folder]
    const npm = spawn('npm', options, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] })
    let output = ''
    npm.stdout.on('data', (chunk) => (output += chunk))
    const seen = async () => [output, ...(await listCommandLines(fresh.folder))].join('\n')
    await until(seen, (text) => text.includes(sign), 60_000)
    npm.kill('SIGTERM')
    // Only a new database is prepared.
    if (makeFolder === makePreparedState) expect(output).not.toContain('Preparing the database')
    await untilNoProcess(fresh.folder)
    // Nothing starts later either.
    await sleep(1000)
    expect(await listCommandLines(fresh.folder)).toEqual([])
    await fresh.remove()
  })
})

describe.concurrent('npm start refuses', () => {
  let occupant: Server

  afterAll(() => {
    occupant?.close()
  })

  it('a port that is in use, and says so', async () => {
    occupant = createServer()
    await new Promise<void>((resolve) => occupant.listen(0, 'localhost', resolve))
    const address = occupant.address()
    const taken = typeof address === 'object' && address ? address.port : 0
    const { code, output } = await failToStart(['--port', String(taken)])
    expect(code).toBe(1)
    expect(output).toContain(`Port ${taken} cannot be used`)
  })

  it('a folder that cannot be made, and says so', async () => {
    // On Linux, a folder below /proc can be made by nobody, and Node would try without end.
    const { code, output } = await failToStart([
      '--port',
      String(await freePort()),
      '--persist-to',
      '/proc/galaxy/data',
    ])
    expect(code).toBe(1)
    expect(output).toContain('The folder /proc/galaxy/data cannot be made (')
  })

  it('wrong arguments, and prints its usage', async () => {
    const { code, output } = await failToStart(['--port', 'x'])
    expect(code).toBe(2)
    expect(output).toContain('--port must be a number from 1 to 65535\nUsage: npm start --')
  })

  it('a database of another version, says what to do, and keeps it as it is', async () => {
    const prepared = await makePreparedState()
    const file = join(prepared.folder, 'v3', 'd1', 'prepared-from')
    await writeFile(file, 'another version')
    queryState(prepared.folder, "update d1_migrations set name = '0000_tables.sql' where id = 1")
    const before = queryState(prepared.folder, 'select * from d1_migrations')
    const { code, output } = await failToStart(['--port', String(await freePort()), '--persist-to', prepared.folder])
    expect(code).toBe(1)
    const said = output.split('\n').filter((line) => line !== '' && !line.startsWith('>'))
    expect(said).toEqual([
      `The database in ${prepared.folder} has the migration 0000_tables.sql, which this version of Galaxy does not know. ` +
        `It stays as it is: delete ${prepared.folder} with everything in it, or start with --persist-to and another folder.`,
    ])
    expect(queryState(prepared.folder, 'select * from d1_migrations')).toEqual(before)
    expect(await readFile(file, 'utf8')).toBe('another version')
    await prepared.remove()
  })

  it('a wrong configuration, names the variable, and leaves no process behind', async () => {
    const prepared = await makePreparedState()
    const place = ['--port', String(await freePort()), '--persist-to', prepared.folder]
    const { code, output } = await failToStart([...place, '--var', 'SIGNUP:maybe'])
    expect(code).not.toBe(0)
    await untilNoProcess(prepared.folder)
    await prepared.remove()
    expect(output).toContain('SIGNUP: ')
  })
})

describe('the arguments of npm start', () => {
  it.each([['--port', '70000'], ['--port', '0'], ['--port', '80.5'], ['--unknown'], ['stray']])(
    'cannot be %s %s',
    (...args) => expect(() => readStartArguments(args)).toThrow(),
  )

  it('are passed on with what differs on a developer’s machine, unless they say otherwise', () => {
    const variablesOf = (...args: string[]) =>
      readStartArguments(args).passedOn.filter((argument) => argument.startsWith('WRITE_RATE_LIMIT:'))
    expect(variablesOf()).toEqual(['WRITE_RATE_LIMIT:off'])
    expect(variablesOf('--var', 'WRITE_RATE_LIMIT:on')).toEqual(['WRITE_RATE_LIMIT:on'])
  })
})

describe('the addresses of the service', () => {
  const own = networkAddresses().map((address) => `${address.includes(':') ? `[${address}]` : address}:8787`)
  const addressesOf = (...args: string[]) => {
    const { baseUrl, passedOn } = readStartArguments(args)
    const [variable = ''] = passedOn.filter((argument) => argument.startsWith('OWN_ADDRESSES:'))
    return { baseUrl, addresses: variable.replace('OWN_ADDRESSES:', '').split(',') }
  }

  it.each([
    [[], 'localhost', ['localhost:8787']],
    [['--ip', '127.0.0.1'], '127.0.0.1', ['localhost:8787', '127.0.0.1:8787']],
    [['--ip', '192.168.1.5'], '192.168.1.5', ['localhost:8787', '192.168.1.5:8787']],
    [['--ip', 'FD00::05'], '[fd00::5]', ['localhost:8787', '[fd00::5]:8787']],
    [['--ip', '0.0.0.0'], 'localhost', ['localhost:8787', ...own]],
    [['--ip', '0'], 'localhost', ['localhost:8787', ...own]],
    [['--ip', '::'], 'localhost', ['localhost:8787', ...own]],
  ])('with %j are those at which it listens, and loopback', (args, host, addresses) => {
    expect(addressesOf(...args)).toEqual({ baseUrl: `http://${host}:8787`, addresses })
  })

  it('are those of the user if he names them', () => {
    expect(addressesOf('--var', 'OWN_ADDRESSES:a.test:80').addresses).toEqual(['a.test:80'])
  })

  it.each(['', 'a b', '127.0.0.1:80', 'a/b', '::1::'])('must be usable: %j', (ip) => {
    expect(() => readStartArguments(['--ip', ip])).toThrow('--ip must be an address')
  })
})

/** The addresses of this machine, loopback included. */
function networkAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address))
}
