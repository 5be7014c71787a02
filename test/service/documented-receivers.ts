import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, vi } from 'vitest'
import * as z from 'zod'
import { ROOT } from '../../scripts/lib/root.ts'
import { documentedFetch } from '../support/documented-fetch.ts'
import { codesOf, sectionOf } from './documentation.ts'
import { bodyOf } from './galaxy.ts'
import { freePort } from './ports.ts'

// What the receivers of docs/callbacks.md must do, in whatever language they are.

const run = promisify(execFile)

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]]

export const page = await readFile(join(ROOT, 'docs', 'callbacks.md'), 'utf8')

/** The text under a heading. */
export const textOf = (heading: string) => sectionOf(page, `### ${heading}`)

/** A block of code under a heading, by default the first. */
export function codeOf(heading: string, language: string, position = 0): string {
  const code = codesOf(textOf(heading), language)[position]
  if (code === undefined) throw new Error(`docs/callbacks.md has no such ${language} under ${heading}`)
  return code
}

const Vectors = z.strictObject({
  secret: z.string(),
  previousSecret: z.string(),
  messages: z.array(
    z.strictObject({
      'webhook-id': z.string(),
      'webhook-timestamp': z.string(),
      body: z.string(),
      'x-signature': z.string(),
      'webhook-signature': z.string(),
    }),
  ),
})
export const vectors = Vectors.parse(JSON.parse(codeOf('Test vectors', 'json')))
const { secret, previousSecret, messages } = vectors

type Message = (typeof messages)[number]

/** A message, the clock of the receiver that verifies it, and whether it must accept the message. */
export interface Case {
  name: string
  secret: string
  headers: Record<string, string>
  body: string
  /** Seconds since 1970. */
  now: number
  isGood: boolean
}

export function caseOf(name: string, message: Message, isGood: boolean, change: Partial<Case> = {}): Case {
  const { body, ...headers } = message
  return { name, secret, headers, body, now: Number(message['webhook-timestamp']), isGood, ...change }
}

/** Signs as Standard Webhooks requires, whatever the timestamp is. */
function signAt(timestamp: string, message: Message): Message {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const content = `${message['webhook-id']}.${timestamp}.${message.body}`
  const signature = `v1,${createHmac('sha256', key).update(content).digest('base64')}`
  return { ...message, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}

export const OTHER_SECRET = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='

function casesOf(message: Message, index: number): Case[] {
  const time = message['webhook-timestamp']
  const name = (text: string) => `message ${index}: ${text}`
  const isByBoth = message['webhook-signature'].includes(' ')
  return [
    caseOf(name('as it came'), message, true),
    caseOf(name('five minutes old'), message, true, { now: Number(time) + 300 }),
    caseOf(name('five minutes early'), message, true, { now: Number(time) - 300 }),
    caseOf(name('older than five minutes'), message, false, { now: Number(time) + 301 }),
    caseOf(name('of the future'), message, false, { now: Number(time) - 301 }),
    caseOf(name('with the secret before'), message, isByBoth, { secret: previousSecret }),
    caseOf(name('with a wrong secret'), message, false, { secret: OTHER_SECRET }),
    caseOf(name('with another body'), { ...message, body: message.body.replace('540', '541') }, false),
    caseOf(name('with another id'), { ...message, 'webhook-id': `${message['webhook-id']}0` }, false),
    caseOf(name('with another time'), { ...message, 'webhook-timestamp': String(Number(time) + 1) }, false),
  ]
}

export const FIRST = messages[0] ?? never()
const TIME = FIRST['webhook-timestamp']
const SIGNATURE = FIRST['webhook-signature']

/** Messages that are signed with the right secret, but whose timestamps have a wrong format. */
const MALFORMED_TIMES = [
  'NaN',
  'soon',
  `${TIME}abc`,
  `${TIME}.5`,
  `+${TIME}`,
  `0${TIME}`,
  '1.7684874e9',
  '0x69699328',
  '-1',
]

/** The cases for webhook-signature. */
export const CASES: Case[] = [
  ...messages.flatMap(casesOf),
  ...[`${TIME}abc`, `${TIME}.5`, `0${TIME}`, ''].map((time) =>
    caseOf(
      `the timestamp ${time} with the signature of the right one`,
      { ...FIRST, 'webhook-timestamp': time },
      false,
      {
        now: Number(TIME),
      },
    ),
  ),
  ...MALFORMED_TIMES.map((time) => caseOf(`the timestamp ${time}`, signAt(time, FIRST), false, { now: Number(TIME) })),
  ...[
    ['the signature without its version', SIGNATURE.slice(3)],
    ['the signature as another version', SIGNATURE.replace('v1', 'v2')],
    ['half a signature', SIGNATURE.slice(0, 20)],
    ['twelve bytes of a signature, whose base64 is complete', SIGNATURE.slice(0, 'v1,'.length + 16)],
    ['x-signature in its place', `v1,${FIRST['x-signature']}`],
    ['an empty signature', 'v1,'],
  ].map(([name = '', signature = '']) => caseOf(name, { ...FIRST, 'webhook-signature': signature }, false)),
  caseOf('a version nobody knows beside the right one', { ...FIRST, 'webhook-signature': `v9,x ${SIGNATURE}` }, true),
]

const PublicVector = z.strictObject({ publicKey: z.string(), 'webhook-signature': z.string() })
/** The second message, signed with the private key whose seed is the bytes 0 to 31. */
export const publicVector = PublicVector.parse(JSON.parse(codeOf('With a public key', 'json')))
const SEED = Buffer.from(Array.from({ length: 32 }, (_, index) => index))
/** The seed in the form that Node reads (RFC 8410, section 7). */
const PRIVATE_KEY = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), SEED]),
  format: 'der',
  type: 'pkcs8',
})
const SECOND = { ...(messages[1] ?? never()), 'webhook-signature': publicVector['webhook-signature'] }
const ANOTHER_KEY = `whpk_${Buffer.from(createPublicKey(generateKeyPairSync('ed25519').privateKey).export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')}`

/** Signs with the private key, whatever the timestamp is. */
function signPrivately(timestamp: string): Message {
  const content = Buffer.from(`${SECOND['webhook-id']}.${timestamp}.${SECOND.body}`)
  const signature = `v1a,${sign(null, content, PRIVATE_KEY).toString('base64')}`
  return { ...SECOND, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}

const withKey = (name: string, message: Message, isGood: boolean, change: Partial<Case> = {}) =>
  caseOf(name, message, isGood, { secret: publicVector.publicKey, ...change })

/** The cases for webhook-signature of a subscription with a public key. */
export const PUBLIC_CASES: Case[] = [
  withKey('as it came', SECOND, true),
  withKey('as Node signs it', signPrivately(TIME), true),
  withKey('five minutes old', SECOND, true, { now: Number(TIME) + 300 }),
  withKey('older than five minutes', SECOND, false, { now: Number(TIME) + 301 }),
  withKey('of the future', SECOND, false, { now: Number(TIME) - 301 }),
  withKey('with another key', SECOND, false, { secret: ANOTHER_KEY }),
  withKey('with another body', { ...SECOND, body: `${SECOND.body} ` }, false),
  withKey('with another id', { ...SECOND, 'webhook-id': `${SECOND['webhook-id']}0` }, false),
  withKey('with another time', { ...SECOND, 'webhook-timestamp': String(Number(TIME) + 1) }, false),
  ...MALFORMED_TIMES.map((time) => withKey(`the timestamp ${time}`, signPrivately(time), false, { now: Number(TIME) })),
  ...['v1,', 'v2,', ''].map((version) =>
    withKey(
      `the signature after "${version}"`,
      { ...SECOND, 'webhook-signature': SECOND['webhook-signature'].replace('v1a,', version) },
      false,
    ),
  ),
  ...[SECOND['webhook-signature'].slice(0, 20), 'v1a,', 'v1a,!', `v1a,${Buffer.alloc(64).toString('base64')}`].map(
    (signature) => withKey(signature, { ...SECOND, 'webhook-signature': signature }, false),
  ),
  withKey(
    'another signature beside the right one',
    { ...SECOND, 'webhook-signature': `v1,x v1a,AAAA ${SECOND['webhook-signature']}` },
    true,
  ),
]

/** The cases for x-signature, which is made with the newest secret only and does not depend on the time. */
export const BODY_CASES: Case[] = messages.flatMap((message, index) => [
  caseOf(`message ${index}: as it came`, message, true, { now: 0 }),
  caseOf(`message ${index}: with another body`, { ...message, body: `${message.body} ` }, false),
  caseOf(`message ${index}: with the secret before`, message, false, { secret: previousSecret }),
  caseOf(`message ${index}: without it`, { ...message, 'x-signature': '' }, false),
])

function never(): never {
  throw new Error('docs/callbacks.md has no test vectors')
}

/** What a receiver must make of the cases. */
export const expected = (cases: readonly Case[]) => cases.map(({ name, isGood }) => ({ name, isGood }))

const Verdicts = z.array(z.boolean())

/**
 * Passes cases to a program.
 *
 * @param folder Where it runs. It gets a file there as `CASES`, and prints an array with its verdict on each
 * @returns The cases with its verdicts
 */
export async function judgeIn(folder: string, cases: readonly Case[], ...[program, ...args]: Command) {
  await writeFile(join(folder, 'cases.json'), JSON.stringify(cases))
  const { stdout } = await run(program, args, { cwd: folder, env: { ...process.env, PORT: '0', CASES: 'cases.json' } })
  const verdicts = Verdicts.parse(JSON.parse(stdout))
  return cases.map(({ name }, index) => ({ name, isGood: verdicts[index] }))
}

/** What a receiver prints of a new planet. */
const idAndName = (id: number, name: string): unknown => `planetCreated ${id} ${name}\n`

/** What a receiver prints that has no parser of JSON. */
export const wholeBody: typeof idAndName = (id, name) =>
  expect.stringMatching(new RegExp(`^planetCreated {"id":${id},"name":"${name}",.*}\n$`))

/**
 * Starts a receiver, and has the service call it about a planet. It must print the call once, however often it comes,
 * and refuse a call that is not signed.
 *
 * @param url The service
 * @param language Its language, for the name of the planet
 * @param folder Where the program runs
 * @param printed What it has to print
 */
export async function receiveTwice(
  url: string,
  language: string,
  folder: string,
  command: Command,
  printed = idAndName,
): Promise<void> {
  const credentials = { email: `${randomUUID()}@example.com`, password: 'i-love-planets' }
  let token: string | undefined
  await call('/user/signup', credentials)
  ;({ token } = await bodyOf(await call('/auth/token', credentials)))
  const { secret } = await bodyOf(await call('/me/signing-secret'))
  const receiver = await startReceiver(folder, command, secret)
  try {
    const planet = { name: `Of ${language} 🪐`, successCallbackUrl: receiver.url }
    const { id } = await bodyOf(await call('/planets', planet))
    const line = printed(id, planet.name)
    const isDelivered = (attempts: number) => async () => {
      const { data } = await bodyOf(await call(`/deliveries?planetId=${id}`))
      expect(data).toMatchObject([{ status: 'delivered', attempts }])
      expect(receiver.output()).toEqual(line)
      return data[0].id
    }
    const delivery = await vi.waitFor(isDelivered(1), { timeout: 90_000, interval: 100 })
    expect((await call(`/deliveries/${delivery}/redeliver`, {})).status).toBe(202)
    await vi.waitFor(isDelivered(2), { timeout: 90_000, interval: 100 })
    expect((await fetch(receiver.url, { method: 'POST', body: JSON.stringify(planet) })).status).toBe(401)
    expect(receiver.output()).toEqual(line)
  } finally {
    receiver.process.kill()
  }

  async function call(path: string, body?: object): Promise<Response> {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) }
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    return await documentedFetch(new URL(path, url), init)
  }
}

async function startReceiver(folder: string, [program, ...args]: Command, secret: string) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const env = { ...process.env, SECRET: secret, PORT: String(port) }
  const child: ChildProcess = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] })
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  await vi.waitFor(() => fetch(url), { timeout: 30_000, interval: 50 })
  return { process: child, url, output: () => output }
}
