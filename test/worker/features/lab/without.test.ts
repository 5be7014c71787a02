import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { createMiddleware } from 'hono/factory'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { COMMON_ROUTES, createApp } from '../../../../src/app.ts'
import { openD1 } from '../../../../src/db/port.ts'
import type { HonoEnv } from '../../../../src/http/pipeline/context.ts'
import { isRead } from '../../../../src/http/pipeline/route-facts.ts'
import { type Account, type Client, createAccount, createClient, urlOf } from '../../../support/app.ts'
import { fromEdge } from '../../../support/from-edge.ts'
import { type GoodRequest, isEndless, makeGoodRequest } from '../../../support/good-requests.ts'
import { type Meter, meterDatabase } from '../../../support/metered-database.ts'
import { oneOfEach, turnOf } from '../../../support/one-of-each.ts'

// The answers of the common world, and what they cost, beside those of an app without the laboratory.

const ROUTES = COMMON_ROUTES.filter(({ path }) => !/^\/lab(?:\/|$)/.test(path))
const OPERATIONS = ROUTES.filter((route) => !isEndless(route)).map((route) => ({
  name: `${route.method.toUpperCase()} ${route.path}`,
  route,
}))

/** One of each kind answers every request. The others share the requests: the laboratory is beside all of them alike. */
const MODELS = oneOfEach(ROUTES, ({ method, security, errorStyle }) => [method, security.length > 0, errorStyle])

const nothing = createMiddleware<HonoEnv>(async (_, next) => await next())
const WITHOUT = createApp(ROUTES, { answerBench: nothing, faultsOfApp: () => () => nothing })
const WITH = createApp(COMMON_ROUTES)

let client: Client
let meter: Meter
let account: Account

beforeAll(() => {
  const metered = meterDatabase(openD1(env.DB))
  meter = metered.meter
  const now = new Date()
  client = createClient({
    database: metered.database,
    config: { passwordAttempts: 100_000, signupsPerHour: 100_000 },
    now: () => now,
  })
})

beforeEach(async () => {
  account = await createAccount(client)
})

interface Sent {
  path: string
  init: RequestInit
}

/** These differ in all answers: times that were measured, and how much the database has written. */
const CHANGING = /^(?:x-processing-time|server-timing|x-d1-bookmark)$/

/** Everything of an answer, but the digits of what differs in all answers, and what it cost. */
async function answerOf(app: typeof WITH, { path, init }: Sent) {
  Object.assign(meter, { roundTrips: 0, rowsRead: 0, rowsWritten: 0, statements: [], writes: [] } satisfies Meter)
  const headers = new Headers(init.headers)
  headers.set('X-Request-ID', '00000000-0000-4000-8000-000000000000')
  const request = fromEdge(new Request(urlOf(path), { ...init, headers, redirect: 'manual' }))
  const response = await app.fetch(request, { services: client.services }, createExecutionContext())
  const fields = [...response.headers].map(([name, value]) => [
    name,
    CHANGING.test(name) ? value.replaceAll(/\d[\da-f.]*/g, '0') : value,
  ])
  const { status, statusText } = response
  return { status, statusText, headers: fields, body: await response.text(), cost: { ...meter } }
}

type Answer = Awaited<ReturnType<typeof answerOf>>

const toSent = ({ path, method, body, headers }: GoodRequest): Sent => ({
  path,
  init: { method, headers, body: body ?? null },
})

/** Requests that change nothing: those that are refused, and reads. */
function harmlessRequests(good: GoodRequest, isSafe: boolean): readonly Sent[] {
  const { path, init } = toSent(good)
  const [target, query = ''] = path.split('?')
  const withHeaders = (more: Record<string, string>, method = good.method): Sent => ({
    path,
    init: { ...init, method, headers: { ...good.headers, ...more } },
  })
  const refused: readonly Sent[] = [
    { path: `${target}/no/such?${query}`, init },
    { path, init: { method: 'PURGE' } },
    { path, init: { method: 'OPTIONS' } },
    withHeaders({ 'API-Version': '0.0.1' }),
  ]
  const reads: readonly Sent[] = [
    { path, init },
    withHeaders({ Accept: 'application/xml' }),
    withHeaders({ Accept: 'image/none' }),
    withHeaders({ Authorization: 'Bearer wrong' }),
    withHeaders({ Prefer: 'return=minimal' }),
  ]
  // An inbox takes requests of every kind, and keeps them.
  if (path.startsWith('/inboxes/')) return isSafe ? reads : []
  if (!isSafe) return refused
  return good.method === 'GET' ? [...refused, ...reads, withHeaders({}, 'HEAD')] : [...refused, ...reads]
}

describe('without the laboratory, the same bytes come at the same cost', () => {
  it.each(OPERATIONS)('$name', async ({ route }) => {
    const isSafe = isRead(route.method)
    const good = await makeGoodRequest(client, route, account)
    const all = harmlessRequests(good, isSafe)
    const index = ROUTES.indexOf(route)
    for (const sent of MODELS.includes(route) ? all : [...turnOf(all, index), ...turnOf(all, index + 4)]) {
      // What the first request puts into a cache changes the cost of the second.
      await answerOf(WITH, sent)
      const [own, without] = [await answerOf(WITH, sent), await answerOf(WITHOUT, sent)]
      expect({ sent, answer: own }).toEqual({ sent, answer: without })
    }
    if (isSafe) return
    // The first write of a process takes ids in a round trip of its own.
    const answers: Answer[] = []
    for (const app of [WITH, WITH, WITHOUT]) {
      const own = await createAccount(client)
      answers.push(await answerOf(app, toSent(await makeGoodRequest(client, route, own))))
    }
    const [, one, other] = answers.map(({ status, headers, cost }) => ({
      status,
      fields: headers.map(([name]) => name),
      roundTrips: cost.roundTrips,
    }))
    expect(one).toEqual(other)
  })
})
