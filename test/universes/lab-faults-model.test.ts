import { createExecutionContext } from 'cloudflare:test'
import { beforeEach, expect, it } from 'vitest'
import { fromEdge } from '../support/from-edge.ts'
import { bodyOf, makeUniverse, type OwnWorld, replaceServices, universes, useWorlds } from '../support/worlds.ts'

// A model of rules and keys, which shares no code with the service, predicts random sequences in two universes at once.

useWorlds()

let now: number

beforeEach(() => {
  now = Date.now()
  replaceServices({
    now: () => new Date(now),
    async wait(milliseconds) {
      now += milliseconds
    },
  })
})

interface Step {
  times?: number
  delay?: number
  status?: number
  retryAfter?: { seconds: number } | { date: number }
  violate?: string
}

interface Rule {
  name: string
  match?: { method?: string; path?: string }
  key?: string
  steps?: Step[]
  chance?: { probability: number; seed: string; step: Step }
  limit?: { requests: number; seconds: number; form?: string }
  then?: string
}

interface Key {
  requests: number
  lastAt: number | undefined
  retryAt: number
  window: { from: number; used: number } | undefined
}

interface Prediction {
  status: number
  field: string | null
}

/** What the service should do, in the simplest words. */
class Model {
  readonly rules: Rule[]
  readonly keys = new Map<string, Key>()
  readonly counts: { name: string; requests: number; keys: number; applied: number; early: number }[]
  readonly attempts: object[] = []

  constructor(rules: Rule[]) {
    this.rules = rules
    this.counts = rules.map(({ name }) => ({ name, requests: 0, keys: 0, applied: 0, early: 0 }))
  }

  async predict(path: string, client: string): Promise<Prediction> {
    const index = this.rules.findIndex(({ match }) => {
      if (match?.method !== undefined && match.method !== 'GET') return false
      return (
        match?.path === undefined || match.path === path || match.path === `${path.slice(0, path.lastIndexOf('/'))}/*`
      )
    })
    const [rule, count] = [this.rules[index], this.counts[index]]
    if (!rule || !count) return { status: 200, field: null }
    const name = rule.key === 'path' ? path : rule.key === undefined ? '' : client
    const key = this.keys.get(`${index} ${name}`) ?? { requests: 0, lastAt: undefined, retryAt: 0, window: undefined }
    if (key.requests === 0) count.keys++
    this.keys.set(`${index} ${name}`, key)
    const cameAt = now
    key.requests++
    count.requests++
    const isEarly = cameAt < key.retryAt
    if (isEarly) count.early++
    const step = await this.stepFor(rule, name, key.requests)
    // The service waits first, so this is when its answer is sent.
    const sentAt = cameAt + (step?.delay ?? 0) * 1000
    const { status, action, applied } = this.outcome(rule, key, step, cameAt, sentAt)
    if (applied) count.applied++
    this.attempts.push({
      rule: rule.name,
      key: name,
      attempt: key.requests,
      at: new Date(cameAt).toISOString(),
      sincePrevious: key.lastAt === undefined ? null : cameAt - key.lastAt,
      path,
      action: action ?? null,
      applied,
      status,
      early: isEarly,
    })
    key.lastAt = cameAt
    const at = action === 'violate' ? ', at="/meta/total"' : ''
    const rest = action === undefined ? '' : `, action="${action}"${at}, applied`
    return { status, field: `rule="${rule.name}", attempt=${key.requests}${rest}` }
  }

  async stepFor(rule: Rule, key: string, attempt: number): Promise<Step | undefined> {
    if (rule.chance) {
      const text = `${rule.chance.seed}/${rule.name}/${key}/${attempt}`
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
      return Number.parseInt(digest.toHex().slice(0, 8), 16) / 2 ** 32 < rule.chance.probability
        ? rule.chance.step
        : undefined
    }
    const all = (rule.steps ?? []).flatMap((step) => Array.from({ length: step.times ?? 1 }, () => step))
    if (rule.then === 'repeat' && all.length > 0) return all[(attempt - 1) % all.length]
    return all[attempt - 1] ?? (rule.then === 'last' ? all.at(-1) : undefined)
  }

  outcome(rule: Rule, key: Key, step: Step | undefined, cameAt: number, sentAt: number) {
    if (rule.limit) return this.limited(rule.limit, key, cameAt)
    if (step?.status !== undefined) {
      const { retryAfter } = step
      if (retryAfter && 'seconds' in retryAfter) key.retryAt = sentAt + retryAfter.seconds * 1000
      if (retryAfter && 'date' in retryAfter) key.retryAt = (Math.floor(sentAt / 1000 + retryAfter.date) + 1) * 1000
      return { status: step.status, action: 'status', applied: true }
    }
    if (step?.violate !== undefined) return { status: 200, action: 'violate', applied: true }
    return step?.delay === undefined
      ? { status: 200, action: undefined, applied: false }
      : { status: 200, action: 'delay', applied: true }
  }

  limited({ requests, seconds, form }: NonNullable<Rule['limit']>, key: Key, at: number) {
    const end = (key.window?.from ?? -Infinity) + seconds * 1000
    if (!key.window || at >= end) key.window = { from: at, used: 0 }
    if (key.window.used < requests) {
      key.window.used++
      return { status: 200, action: undefined, applied: false }
    }
    const left = end - at
    key.retryAt = form === 'date' ? (Math.floor(end / 1000) + 1) * 1000 : at + Math.ceil(left / 1000) * 1000
    return { status: 429, action: 'limit', applied: true }
  }
}

/** Random numbers that are the same in every run (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const PATHS = ['/planets', '/celestial-bodies', '/planets/search']
const CLIENTS = ['', 'a', 'b']

function makeRules(random: (below: number) => number): Rule[] {
  const pick = <Item>(items: readonly [Item, ...Item[]]): Item => items[random(items.length)] ?? items[0]
  const makeStep = (): Step =>
    pick<() => Step>([
      // No operation documents these, so the answer has no Retry-After of its own.
      () => ({ status: pick([418, 451, 508]) }),
      () => ({ status: 507, retryAfter: { seconds: random(4) } }),
      () => ({ status: 509, retryAfter: { date: random(4) } }),
      () => ({ delay: random(3) }),
      () => ({ delay: random(3), status: 510, retryAfter: { seconds: random(4) } }),
      () => ({ violate: 'type' }),
      () => ({}),
    ])()
  const makeKind = (): Partial<Rule> =>
    pick<() => Partial<Rule>>([
      () => ({
        steps: Array.from({ length: 1 + random(4) }, () => ({ ...makeStep(), times: 1 + random(3) })),
        // biome-ignore lint/suspicious/noThenProperty: the name of the member
        then: pick(['pass', 'last', 'repeat']),
      }),
      () => ({ chance: { probability: random(10) / 10, seed: `seed ${random(100)}`, step: makeStep() } }),
      () => ({ limit: { requests: 1 + random(3), seconds: 1 + random(4), form: pick(['seconds', 'date']) } }),
    ])()
  return Array.from({ length: 1 + random(4) }, (_, index) => {
    const match = pick<Rule['match']>([
      undefined,
      { method: 'POST' },
      { path: '/planets' },
      { path: '/planets/*' },
      { method: 'GET' },
    ])
    const key = pick<string | undefined>([undefined, 'path', 'header:X-Client'])
    return { name: `rule-${index}`, ...(match && { match }), ...(key && { key }), ...makeKind() }
  })
}

async function ask(world: OwnWorld, path: string, client: string): Promise<Response> {
  const headers = { Accept: 'application/json', ...(client !== '' && { 'X-Client': client }) }
  return await universes.fetch(fromEdge(new Request(world.url + path, { headers })), createExecutionContext())
}

it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])('sequence %d', { timeout: 60_000 }, async (seed) => {
  const random = randomFrom(seed)
  const worlds = await Promise.all([makeUniverse(), makeUniverse()])
  const models = worlds.map(() => new Model(makeRules(random)))
  for (const [index, world] of worlds.entries()) {
    const { status } = await world.own('PUT', '/universe/faults', { rules: models[index]?.rules })
    expect(status).toBe(200)
  }
  for (let n = 0; n < 80; n++) {
    const which = random(2)
    const [world, model] = [worlds[which], models[which]]
    if (!world || !model) throw new Error('there are two')
    now += random(1500)
    const [path = '', client = ''] = [PATHS[random(PATHS.length)], CLIENTS[random(CLIENTS.length)]]
    const expected = await model.predict(path, client)
    const response = await ask(world, path, client)
    // A page without items has its first wrong type elsewhere, depending on the list.
    const field = response.headers.get('Galaxy-Fault')?.replace(/, at="[^"]*"/, ', at="/meta/total"') ?? null
    expect({ n, path, client, status: response.status, field }).toEqual({ n, path, client, ...expected })
    await response.body?.cancel()
  }
  for (const [index, world] of worlds.entries()) {
    const { rules } = await bodyOf(await world.own('GET', '/universe/faults'))
    expect(rules).toMatchObject(models[index]?.counts ?? [])
    const { data } = await bodyOf(await world.own('GET', '/universe/faults/attempts?limit=100'))
    expect(data).toMatchObject(models[index]?.attempts ?? [])
    expect(data).toHaveLength(models[index]?.attempts.length ?? -1)
  }
})
