import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ShownRequest } from '../../../src/design/shown-request.ts'
import { type Snippet, snippetsOf } from '../../../src/design/snippets.ts'
import { SCRIPT_PAYLOADS } from '../../support/script-payloads.ts'
import { isInstalled } from '../installed.ts'

// Runs the code that pages show for a request, and compares what arrives with the request.

const run = promisify(execFile)

/** Texts with a meaning in a shell or in a programming language. */
const NASTY = [
  `it's "quoted"`,
  'back\\slash \\n \\u0041 \\',
  '$HOME $(id) `id` !! !x #{x} %s %d %% %41 {0}',
  "'''python''' \"\"\" f\"{x}\" '",
  `\`go\` \\\` \${js} \${HOME}`,
  'ünïcödé 🪐 日本語 👩🏽‍🚀',
  '; & | > < * ? ~ [a-z] {a,b} ^',
  '-dash --option @file',
  '\u202edetrevni\u2028line\u2029paragraph\ufeff\u200b',
  '',
  '"',
  "'",
  '\\',
]

const XML = `<planet note="it's">\n\t<name>${NASTY.join('</name>\n<name>')}</name>\n</planet>\n`
const AUTHORIZATION = ['Authorization', 'Bearer eyJ.abc-_~+/=='] as const
const JSON_TYPE = ['Content-Type', 'application/json'] as const

/** What is sent. `{origin}` is the origin of the server. */
interface Case extends ShownRequest {
  name: string
  /** The target that arrives, if not the one in the URL. */
  target?: string
}

const jsonOf = (value: unknown, space = 0) => ({ text: JSON.stringify(value, null, space) })
const EVERY_VALUE = { texts: NASTY, scripts: SCRIPT_PAYLOADS, '': [null, true, false, 0, -1.5, 1e21, 1e-7, [], {}] }

const CASES: readonly Case[] = [
  { name: 'a plain GET', method: 'GET', url: '/planets/4', headers: [] },
  { name: 'HEAD', method: 'HEAD', url: '/planets?limit=10&offset=20', headers: [['Accept', 'application/xml']] },
  { name: 'a DELETE', method: 'DELETE', url: '/planets/4', headers: [AUTHORIZATION, ['If-Match', '"7-json"']] },
  { name: 'a POST without a body', method: 'POST', url: '/planets/4/explode', headers: [AUTHORIZATION] },
  {
    name: 'a URL of any characters',
    method: 'GET',
    url: `/a'b(c)!$&*;=@:,{d}|^[e]?q[]={a,b}&x='"\`|\\^$HOME%20%41!#fragment`,
    target: `/a'b(c)!$&*;=@:,%7Bd%7D%7C%5E%5Be%5D?q%5B%5D=%7Ba,b%7D&x=%27%22%60%7C%5C%5E$HOME%20%41!`,
    headers: [],
  },
  {
    name: 'headers of any text, some of them twice or empty',
    method: 'GET',
    url: '/',
    headers: [
      ...NASTY.filter((text) => text !== '').map((text, index) => [`X-Nasty-${index}`, text] as const),
      ['X-Empty', ''],
      ['Prefer', 'code=503'],
      ['Prefer', 'x="\r\nInjected: yes"'],
    ],
  },
  { name: 'JSON', method: 'PUT', url: '/planets/4', headers: [JSON_TYPE, AUTHORIZATION], body: jsonOf(EVERY_VALUE) },
  { name: 'JSON in lines', method: 'POST', url: '/', headers: [JSON_TYPE], body: jsonOf(EVERY_VALUE, 2) },
  ...[
    '[1.0, 1e2, -0, 12345678901234567890]',
    '{"b":1,"2":2,"1":3,"b":4}',
    '{"__proto__":{"x":1}}',
    '{"not JSON',
    '"text"',
    '',
    'name=Mars&x=%20',
    '@file',
    '<',
  ].map((text) => ({ name: `the text ${text}`, method: 'POST', url: '/', headers: [JSON_TYPE], body: { text } })),
  { name: 'XML', method: 'POST', url: '/', headers: [['content-type', 'application/xml']], body: { text: XML } },
  {
    name: 'a text with control characters',
    method: 'PATCH',
    url: '/',
    headers: [],
    body: { text: `%s \\ \x001 \r\n\x07\x1b[31m\x7f\x80 ${NASTY.join(' ')}` },
  },
  ...['mars.png', '-', `it's "my" pla\\net; a,b $HOME \`x\` ünï.png`].map((fileName) => ({
    name: `a form with the file ${fileName}`,
    method: 'POST',
    url: '/planets/4/image',
    headers: [AUTHORIZATION, ['Content-Type', 'multipart/form-data']] as const,
    body: { field: 'image', fileName },
  })),
]

const FILE = Buffer.from(Array.from({ length: 1024 }, (_, index) => index % 256))

interface Arrived {
  method: string
  target: string
  headers: Headers
  body: Buffer<ArrayBuffer>
}

let server: Server
let origin: string
let folder: string
let arrived: Arrived[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galaxy-snippets-'))
  server = createServer(async (request, response) => {
    arrived.push(await readRequest(request))
    response.writeHead(412).end('The response')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  server.close()
  await rm(folder, { recursive: true })
})

async function readRequest(request: IncomingMessage): Promise<Arrived> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(request.headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  return { method: request.method ?? '', target: request.url ?? '', headers, body: Buffer.concat(chunks) }
}

/** How each language is run: the name of the file, and the command. */
const RUNNERS: Readonly<Record<Snippet['language'], { file: string; command: string[]; canRun: boolean }>> = {
  curl: { file: 'request.sh', command: ['bash', '--norc', 'request.sh'], canRun: canRun('curl', '--version') },
  fetch: { file: 'request.mjs', command: [process.execPath, 'request.mjs'], canRun: true },
  python: { file: 'request.py', command: ['python3', 'request.py'], canRun: canRun('python3', '--version') },
  go: { file: 'main.go', command: ['go', 'run', 'main.go'], canRun: canRun('go', 'version') },
}

function canRun(program: string, versionArgument: string): boolean {
  return isInstalled(program, [program, versionArgument], `the code that pages show for ${program}`)
}

// Without cgo, the standard library needs no C compiler.
const ENVIRONMENT = { ...process.env, CGO_ENABLED: '0', GO111MODULE: 'off', GOTOOLCHAIN: 'local' }

/**
 * Makes one program of the requests in Go, because linking a program takes longer than everything else here. Its
 * argument is the index of a case.
 */
async function buildGo(): Promise<string> {
  const place = join(folder, 'all-in-go')
  await mkdir(place)
  const functions = CASES.map((request, index) => codeOf('go', request).replace('func main()', `func case${index}()`))
  const table = CASES.map((_, index) => `"${index}": case${index},`).join('\n')
  const main = `package main\nimport "os"\nfunc main() { map[string]func(){\n${table}\n}[os.Args[1]]() }\n`
  const names = ['main.go', ...functions.keys().map((index) => `case${index}.go`)]
  await Promise.all([main, ...functions].map((text, index) => writeFile(join(place, names[index] ?? ''), text)))
  await run('go', ['build', '-o', 'program', ...names], { cwd: place, env: ENVIRONMENT })
  return join(place, 'program')
}

/** Runs the code of a request. @returns What it prints, and what has arrived */
async function runSnippet(
  language: Snippet['language'],
  request: ShownRequest,
  command: readonly string[] = RUNNERS[language].command,
) {
  const place = await mkdtemp(join(folder, `${language}-`))
  const { file } = RUNNERS[language]
  await writeFile(join(place, file), codeOf(language, request))
  if (request.body && 'field' in request.body) await writeFile(join(place, request.body.fileName), FILE)
  arrived = []
  const [program = '', ...args] = command
  const { stdout } = await run(program, args, { cwd: place, env: ENVIRONMENT })
  expect(arrived).toHaveLength(1)
  const [first] = arrived
  if (!first) throw new Error('nothing has arrived')
  return { stdout, place, first }
}

function codeOf(language: Snippet['language'], { url, ...request }: ShownRequest): string {
  const snippet = snippetsOf({ ...request, url: origin + url }).find((one) => one.language === language)
  return snippet?.code ?? ''
}

/** The text of a header as its bytes are meant. */
const decodeHeader = (value: string | null) => (value === null ? null : Buffer.from(value, 'latin1').toString())

async function readForm({ headers, body }: Arrived) {
  const form = await new Response(body, { headers: { 'Content-Type': headers.get('Content-Type') ?? '' } }).formData()
  return [...form.entries()]
}

async function expectBody(arrival: Arrived, { body }: ShownRequest): Promise<void> {
  if (!body) return expect(arrival.body.toString()).toBe('')
  if ('field' in body) {
    const [[field, file] = [], ...others] = await readForm(arrival)
    expect(others).toEqual([])
    expect(field).toBe(body.field)
    return expect(Buffer.from(await new Response(file).arrayBuffer()).equals(FILE)).toBe(true)
  }
  expect(withoutFormat(arrival.body.toString())).toBe(withoutFormat(body.text))
}

/** JSON may be formatted in another way if it has the same meaning. */
function withoutFormat(text: string): string {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && /[a-z]/.test(text) && !text.includes('__proto__') ? JSON.stringify(value) : text
  } catch {
    return text
  }
}

describe.each(Object.keys(RUNNERS) as Snippet['language'][])('the code for %s', (language) => {
  const { canRun } = RUNNERS[language]
  let goProgram = ''
  beforeAll(async () => {
    if (language === 'go' && canRun) goProgram = await buildGo()
  })

  it.runIf(canRun).each(language === 'go' ? CASES.slice(-1) : [])('is a whole program: $name', async (request) => {
    const { stdout, first } = await runSnippet(language, request)
    await expectBody(first, request)
    expect(stdout).toContain('412')
  })

  it.runIf(canRun).each(CASES)('sends $name', async (request) => {
    const command = goProgram ? [goProgram, String(CASES.indexOf(request))] : RUNNERS[language].command
    const { stdout, first } = await runSnippet(language, request, command)
    expect(first.method).toBe(request.method)
    expect(first.target).toBe(request.target ?? request.url)
    for (const [name, value] of expectedHeaders(request))
      expect(decodeHeader(first.headers.get(name)), name).toBe(value)
    expect(first.headers.has('Injected')).toBe(false)
    await expectBody(first, request)
    expect(stdout).toContain('412')
    if (request.method !== 'HEAD') expect(stdout).toContain('The response')
  })
})

function expectedHeaders({ headers, body }: ShownRequest): [string, string][] {
  const isForm = body !== undefined && 'field' in body
  const byName = Map.groupBy(headers, ([name]) => name.toLowerCase())
  return [...byName]
    .filter(([name]) => !isForm || name !== 'content-type')
    .map(([name, lines]) => [name, lines.map(([, value]) => value.replace('\r\n', ' ')).join(', ')])
}

describe('the code', () => {
  it.runIf(RUNNERS.go.canRun)('in Go is formatted as gofmt formats it', async () => {
    const place = join(folder, 'format')
    await mkdir(place)
    await Promise.all(
      CASES.map((request, index) => writeFile(join(place, `${index}.go`), `${codeOf('go', request)}\n`)),
    )
    expect((await run('gofmt', ['-l', place])).stdout).toBe('')
  })

  it('is as plain as the request', () => {
    const request = { method: 'GET', url: '/planets/4', headers: [] }
    expect(codeOf('curl', request)).toBe(`curl -i ${origin}/planets/4`)
    expect(codeOf('fetch', request)).toBe(
      `const response = await fetch('${origin}/planets/4')\nconsole.log(response.status, await response.text())`,
    )
  })
})
