import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect } from 'vitest'
import type { ShownRequest } from '../../../src/design/shown-request.ts'
import { SCRIPT_PAYLOADS } from '../../support/script-payloads.ts'
import type { Command } from '../documented-receivers.ts'

// Requests that pages show as code, and what must arrive when the code runs, in whatever language it is.

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
export interface Case extends ShownRequest {
  name: string
  /** The target that arrives, if not the one in the URL. */
  target?: string
}

const jsonOf = (value: unknown, space = 0) => ({ text: JSON.stringify(value, null, space) })
const EVERY_VALUE = { texts: NASTY, scripts: SCRIPT_PAYLOADS, '': [null, true, false, 0, -1.5, 1e21, 1e-7, [], {}] }

export const CASES: readonly Case[] = [
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

/** What a program has printed, and what has arrived. */
interface Outcome {
  stdout: string
  first: Arrived
}

/** The server of a test file that receives the requests, and the folder of its programs. */
export function receiveShownRequests() {
  let server: Server
  let folder: string
  let arrived: Arrived[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'galaxy-snippets-'))
    server = createServer(async (request, response) => {
      arrived.push(await readRequest(request))
      response.writeHead(412).end('The response')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })

  afterAll(async () => {
    server.close()
    await rm(folder, { recursive: true })
  })

  return {
    folder: () => folder,
    /** The request of a case at the server. */
    at: ({ url, ...request }: ShownRequest): ShownRequest => ({
      ...request,
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${url}`,
    }),
    /** Runs the code of a request in a folder of its own, where the file of its form is. */
    async run({ body }: ShownRequest, file: string, code: string, command: Command): Promise<Outcome> {
      const place = await mkdtemp(join(folder, 'request-'))
      await writeFile(join(place, file), code)
      if (body && 'field' in body) await writeFile(join(place, body.fileName), FILE)
      arrived = []
      const [program, ...args] = command
      const { stdout } = await run(program, args, { cwd: place, env: ENVIRONMENT })
      expect(arrived).toHaveLength(1)
      const [first] = arrived
      if (!first) throw new Error('nothing has arrived')
      return { stdout, first }
    },
  }
}

/** What the code runs with. Go needs no module for it, no C compiler, and fetches no other Go. */
export const ENVIRONMENT = { ...process.env, CGO_ENABLED: '0', GO111MODULE: 'off', GOTOOLCHAIN: 'local' }

async function readRequest(request: IncomingMessage): Promise<Arrived> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(request.headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  return { method: request.method ?? '', target: request.url ?? '', headers, body: Buffer.concat(chunks) }
}

/** The request has arrived as the case says, and the program has printed the response. */
export async function expectSent(request: Case, { stdout, first }: Outcome): Promise<void> {
  expect(first.method).toBe(request.method)
  expect(first.target).toBe(request.target ?? request.url)
  for (const [name, value] of expectedHeaders(request)) expect(decodeHeader(first.headers.get(name)), name).toBe(value)
  expect(first.headers.has('Injected')).toBe(false)
  await expectBody(first, request)
  expect(stdout).toContain('412')
  if (request.method !== 'HEAD') expect(stdout).toContain('The response')
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

function expectedHeaders({ headers, body }: ShownRequest): [string, string][] {
  const isForm = body !== undefined && 'field' in body
  const byName = Map.groupBy(headers, ([name]) => name.toLowerCase())
  return [...byName]
    .filter(([name]) => !isForm || name !== 'content-type')
    .map(([name, lines]) => [name, lines.map(([, value]) => value.replace('\r\n', ' ')).join(', ')])
}
