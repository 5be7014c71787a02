import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { issueUserToken } from '../../../../src/auth/bearer.ts'
import { sweep } from '../../../../src/sweep.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  generationOf,
  ORIGIN,
  type Overrides,
} from '../../../support/app.ts'
import { type Call, drain, FakeNetwork, HeldQueue } from '../../../support/callbacks.ts'

// Shared by the tests of callbacks: a service whose clock, queue and network the test controls.

export const RECEIVER = 'https://receiver.example/callbacks'
export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** A clock that only the test moves. */
export class Clock {
  ms = Date.now()

  readonly now = (): Date => new Date(this.ms)
}

export interface Stage {
  client: Client
  clock: Clock
  network: FakeNetwork
  queue: HeldQueue
  /** The account that creates the planets. */
  account: Account
}

type StageOptions = Overrides & { answer?: FakeNetwork['answer'] }

/** A service without leftovers of earlier tests that it could call. */
export async function createStage({ answer, ...overrides }: StageOptions = {}): Promise<Stage> {
  await forgetCallbacks()
  const [clock, network, queue] = [new Clock(), new FakeNetwork(answer), new HeldQueue()]
  const client = createClient({ now: clock.now, fetch: network.fetch, callbackQueue: queue, ...overrides })
  return { client, clock, network, queue, account: await createAccount(client) }
}

/** The service of a stage with other options, at the same time. */
export function variantOf({ clock, network, queue }: Stage, overrides: Overrides): Client {
  return createClient({ now: clock.now, fetch: network.fetch, callbackQueue: queue, ...overrides })
}

const TABLES = [
  'call_targets',
  'attempts',
  'deliveries',
  'events',
  'refused_callbacks',
  'webhooks',
  'inboxes',
  'rate_limits',
]

async function forgetCallbacks(): Promise<void> {
  await env.DB.batch(TABLES.map((table) => env.DB.prepare(`delete from ${table}`)))
}

/** Advances the time, with a new token for the account, because the old one may have expired. */
export async function pass({ client, clock, account }: Stage, ms: number): Promise<void> {
  clock.ms += ms
  await renew(client, account)
}

/** Gives an account a token issued now. */
export async function renew({ services }: Client, account: Account): Promise<void> {
  const claims = { userId: account.id, passwordGeneration: await generationOf(account.id) }
  account.token = await issueUserToken(services.tokens, claims, ORIGIN, services.now())
}

/** Handles messages until none is left, also those with a delay, for which the clock moves. */
export async function runAll({ client, clock, queue }: Stage): Promise<void> {
  for (;;) {
    await drain(client)
    const [next] = queue.held
    if (!next) return
    clock.ms += next.delaySeconds * 1000
    next.delaySeconds = 0
  }
}

/** What the platform does in the minute after a given time: the sweep, and the consumer of what it queues. */
export async function sweepAndDrain({ client, queue }: Stage): Promise<void> {
  // Does not wait for delayed messages: the sweep finds everything that is due.
  queue.held.length = 0
  await sweep(client.services)
  await drain(client)
}

/** Creates a planet that calls back, and lets the consumer work. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
export async function createTold(stage: Stage, planet: object = {}): Promise<any> {
  const made = await createPlanet(stage.client, stage.account, {
    name: 'Arrakis',
    successCallbackUrl: RECEIVER,
    ...planet,
  })
  await drain(stage.client)
  return made
}

/** A request of an account without a body. */
export function ask({ client, account }: Stage, method: string, path: string, by: Account = account) {
  return client.send(path, { method, headers: authorization(by) })
}

/** The JSON of a GET of the stage's account. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
export async function read(stage: Stage, path: string, by?: Account): Promise<any> {
  const response = await ask(stage, 'GET', path, by)
  expect(response.status).toBe(200)
  return await bodyOf(response)
}

/** The log of an account. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
export async function listLog(stage: Stage, query = '', by?: Account): Promise<any[]> {
  return (await read(stage, `/deliveries?limit=100${query}`, by)).data
}

/** The only delivery of an account, in full. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
export async function readOnly(stage: Stage, by?: Account): Promise<any> {
  const log = await listLog(stage, '', by)
  expect(log).toHaveLength(1)
  return await read(stage, `/deliveries/${log[0].id}`, by)
}

/** Subscribes an account. @returns The subscription, with its secret */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
export async function subscribe(stage: Stage, members: object = {}, by: Account = stage.account): Promise<any> {
  const input = { url: 'https://subscriber.example/hook', events: ['newPlanet'], ...members }
  const response = await stage.client.sendJson('POST', '/webhooks', input, by)
  if (response.status !== 201) throw new Error(`a test's subscription was refused: ${await response.text()}`)
  return await bodyOf(response)
}

/** An answer whose body breaks off. */
export function breakOff(status: number): Response {
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error('connection closed')) })
  return new Response(body, { status })
}

/** A new inbox, created from an address of its own, because the limits count by address. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
export async function createInbox({ client }: Stage, input: object = {}): Promise<any> {
  const response = await client.send('/inboxes', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'CF-Connecting-IP': crypto.randomUUID() },
    body: JSON.stringify(input),
  })
  expect(response.status).toBe(201)
  return await bodyOf(response)
}

/** A request whose response the interface does not document: an inbox responds as its user configured it. */
export async function sendRaw({ client }: Stage, url: string, init?: RequestInit): Promise<Response> {
  return await client.sendRaw(url, init)
}

/** The expected `x-signature`, computed without the tested code. */
export async function hmacOf(secret: string, body: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(body))).toBase64()
}

/** The headers of a call as an object. */
export function headersOf({ headers }: Call): Record<string, string> {
  return Object.fromEntries(headers)
}

/** Everything that is stored, as text. */
export async function dumpDatabase(): Promise<string> {
  const names = await env.DB.prepare(
    "select name from sqlite_master where type = 'table' and name not like '\\_cf%' escape '\\' and name not like 'sqlite%'",
  ).all<{ name: string }>()
  const tables = await env.DB.batch(names.results.map(({ name }) => env.DB.prepare(`select * from "${name}"`)))
  return JSON.stringify(tables.map(({ results }) => results))
}

/** The number of rows in a table. */
export async function countRows(table: string): Promise<number> {
  return (await env.DB.prepare(`select count(*) as n from ${table}`).first<number>('n')) ?? 0
}

/** Makes the database reject a kind of write while some work runs. */
export async function whileFailing(write: string, work: () => Promise<void>): Promise<void> {
  await env.DB.prepare(`create trigger test_fault ${write} begin select raise(abort, 'a test fails this'); end`).run()
  try {
    await work()
  } finally {
    await env.DB.prepare('drop trigger test_fault').run()
  }
}

/** The expected signature of Standard Webhooks after `v1,`, computed without the tested code. */
export async function messageHmacOf(secret: string, content: string): Promise<string> {
  const bytes = Uint8Array.fromBase64(secret.replace(/^whsec_/, ''))
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(content))).toBase64()
}
