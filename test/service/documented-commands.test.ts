import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { runWorkflows } from '../support/arazzo-runner.ts'
import { codesOf, runLines, sectionOf } from './documentation.ts'
import { bodyOf, type Galaxy } from './galaxy.ts'
import { npmStart } from './npm-start.ts'
import { freePort } from './ports.ts'
import { makePreparedState } from './prepared-state.ts'

// The commands of docs/ and the README, line by line, at a service that was started as they say.

const readPage = (...path: string[]) => readFile(join(ROOT, ...path), 'utf8')
const pages = {
  authentication: await readPage('docs', 'authentication.md'),
  readme: await readPage('README.md'),
  http: await readPage('docs', 'http.md'),
  interface: await readPage('docs', 'interface.md'),
  live: await readPage('docs', 'live.md'),
  testing: await readPage('docs', 'testing.md'),
  universes: await readPage('docs', 'universes.md'),
}

let state: Awaited<ReturnType<typeof makePreparedState>>
let galaxy: Galaxy

beforeAll(async () => {
  state = await makePreparedState()
  galaxy = await npmStart(['--port', String(await freePort()), '--persist-to', state.folder])
})

afterAll(async () => {
  await galaxy.stop()
  await state.remove()
})

it('live events', async () => {
  expect(await runLines(sectionOf(pages.live, '## Try it'), galaxy.url)).toEqual([
    expect.stringMatching(
      /^:\nretry: 2000\nid: (\S+)\nevent: updated\ndata: \{"id":"\1","event":"updated",.*"Arrakis"/,
    ),
    expect.stringContaining('"name":"Arrakis"'),
    expect.stringMatching(/^:\nretry: 2000\nid: (\S+)\nevent: exploded\n/),
    expect.stringContaining('"eventType":"planet.updated"'),
    expect.stringMatching(/"celestial_body.updated".*"planet.exploded"/),
    expect.stringMatching(/"eventType":"orbital.collision".*"source":"trigger"/),
  ])
})

it('tests of testing.md "Without the package"', async () => {
  const section = sectionOf(pages.testing, '## Without the package')
  const folder = await mkdtemp(join(tmpdir(), 'galaxy-tests-'))
  try {
    await writeFile(join(folder, 'planets.test.mjs'), codesOf(section, 'js')[0] ?? '')
    const command = (codesOf(section, 'bash')[0] ?? '').replace('http://localhost:8787', galaxy.url)
    const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: folder })
    expect(stdout).toMatch(/^(?:#|ℹ) pass 1$/m)
  } finally {
    await rm(folder, { recursive: true })
  }
})

it('a sign-in on a device', async () => {
  expect(await runLines(sectionOf(pages.authentication, '### Devices'), galaxy.url)).toEqual([
    expect.stringMatching(/^\{"device_code":".*"user_code":"[A-Z]{4}-[A-Z]{4}".*"expires_in":600,"interval":5\}$/),
    expect.stringContaining('{"error":"authorization_pending",'),
    '<h1>Your device is signed in',
    expect.stringMatching(/^\{"id":\d+,"name":"Ada"\}$/),
  ])
})

it('the first requests', async () => {
  expect(await runLines(sectionOf(pages.interface, '## Try it'), galaxy.url)).toEqual([
    expect.stringContaining('{"id":4,"name":"Mars",'),
    expect.stringMatching(/^\{"id":\d+\}$/),
    expect.stringMatching(/"name":"Arrakis","description":"Dune"/),
  ])
})

it('universes', async () => {
  expect(await runLines(sectionOf(pages.universes, '## Make one'), galaxy.url)).toEqual([
    expect.stringContaining('"usage":{"planets":5402,'),
    expect.stringContaining('{"id":1,"name":"Arrakis",'),
    expect.stringContaining('{"id":1,"name":"Mercury",'),
    expect.stringMatching(/^HTTP\/1.1 204 No Content/),
    expect.stringContaining('{"id":1,"name":"Mercury",'),
    expect.stringMatching(/^HTTP\/1.1 204 No Content/),
    expect.stringMatching(/^HTTP\/1.1 410 Gone.*universe-ended/s),
  ])
})

it('tokens that expire soon, or are wrong', async () => {
  expect(await runLines(sectionOf(pages.universes, '## Tokens'), galaxy.url)).toEqual([
    expect.stringContaining('"tokenSeconds":5,'),
    expect.stringMatching(/^\{"defect":"wrong-audience","token":".*"The token is for another audience\."\}\}$/),
  ])
})

// wrangler's proxy, which is before the service here, passes a compressed body on as it is.
describe('compressed requests', () => {
  it('with curl', async () => {
    expect(await runLines(sectionOf(pages.http, '## Compressed requests'), galaxy.url)).toEqual([
      expect.stringMatching(/"content-encoding":"gzip".*"body":\{"name":"Arrakis"\}/),
    ])
  })

  it('that are refused get the whole response, in each world', async () => {
    const made = await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST' }))
    const bombs = [gzipSync(Buffer.alloc(1_000_000)), gzipSync(Buffer.alloc(400_000_000))]
    for (const url of [galaxy.url, made.url]) {
      for (const body of bombs) {
        const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }
        const response = await fetch(`${url}/user/signup`, { method: 'POST', body, headers })
        expect([response.status, (await bodyOf(response)).title]).toEqual([413, 'Content Too Large'])
      }
    }
  })
})

it('a world of your own', async () => {
  expect(await runLines(sectionOf(pages.readme, '## A world of your own'), galaxy.url)).toEqual([
    expect.stringContaining('{"id":1,"name":"Arrakis",'),
    expect.stringMatching(/^HTTP\/1.1 204 No Content/),
    expect.stringContaining('{"id":1,"name":"Mercury",'),
  ])
})

it('safe retries', async () => {
  const [, created = '', replayed = ''] = await runLines(sectionOf(pages.interface, '### Safe retries'), galaxy.url)
  expect(created).toMatch(/^HTTP\/1.1 201 Created/)
  expect(created).not.toMatch(/^idempotency-replayed/im)
  expect(replayed).toMatch(/^HTTP\/1.1 201 Created/)
  expect(replayed).toMatch(/^idempotency-replayed: true/im)
  const bodyIn = (output: string) => JSON.parse(output.split(/\r?\n\r?\n/)[1] ?? '')
  expect(bodyIn(replayed)).toEqual(bodyIn(created))
})

describe('observations', () => {
  const section = sectionOf(pages.interface, '## Observations')

  it('with curl', async () => {
    const [, uploaded = ''] = await runLines(section, galaxy.url)
    expect(uploaded).toMatch(/^HTTP\/1.1 200 OK/)
    expect(uploaded).toMatch(/^preference-applied: wait=5/im)
    expect(JSON.parse(uploaded.split(/\r?\n\r?\n/)[1] ?? '')).toMatchObject({
      status: 'completed',
      observations: [{ position: 1, declaredType: 'image/gif', mediaType: 'image/gif', fileSize: 14 }],
    })
  })

  it.each([
    ['js', process.execPath, ['--input-type=module', '-e']],
    ['python', 'python3', ['-c']],
  ] as const)('with %s', async (language, command, options) => {
    const account = { email: `observer-${language}@example.com`, password: 'correct horse' }
    const post = async (path: string) =>
      await fetch(`${galaxy.url}${path}`, {
        method: 'POST',
        body: JSON.stringify(account),
        headers: { 'Content-Type': 'application/json' },
      })
    await post('/user/signup')
    const { token } = await bodyOf(await post('/auth/token'))
    const [code = ''] = codesOf(section, language)
    const env = { ...process.env, GALAXY: galaxy.url, TOKEN: token }
    const { stdout } = await promisify(execFile)(command, [...options, code], { env })
    expect(stdout).toMatch(/^202 http:.*\/planets\/4\/observations\/[-0-9a-f]{36}\n$/)
  })
})

describe('a response that is lost', () => {
  it.each(['the common world', 'a universe'])('arrives as an error of the proxy in %s', async (world) => {
    const made = await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST' }))
    const url = world === 'a universe' ? made.url : galaxy.url
    const lost = await fetch(`${url}/planets/4`, { headers: { Prefer: 'drop=response' } })
    expect(lost.status).toBe(500)
    expect(await lost.text()).toBe('Internal Server Error')
  })
})

// The last, because each workflow gets a token, and one address may get few in a minute. Those of 1.0.1 are among them.
it('the workflows of its Arazzo document', async () => {
  const account = { email: `workflows-${crypto.randomUUID()}@example.com`, password: 'i-love-planets' }
  expect(await runWorkflows(`${galaxy.url}/arazzo-1.1.json`, account)).toHaveLength(6)
})
