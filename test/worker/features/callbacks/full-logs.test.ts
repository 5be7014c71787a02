import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { type Account, createAccount, createPlanet, NO_LIMITS } from '../../../support/app.ts'
import { drain } from '../../../support/callbacks.ts'
import { countUsage, usageOf } from '../../../support/usage.ts'
import { countRows, createStage, listLog, type Stage, subscribe } from './support.ts'

// A subscriber whose log is full: there is no caller to get a 403, and a subscription must not stop silently.

const MAX = 3

let stage: Stage
let subscriber: Account
let answer: Response

beforeEach(async () => {
  answer = new Response('Thank you')
  const config = { accountLimits: { ...NO_LIMITS, deliveries: MAX } }
  stage = await createStage({ config, answer: () => answer.clone() })
  subscriber = await createAccount(stage.client)
})

/** Another user creates planets, and the consumer sends the events. @returns The ids of the planets */
async function create(count: number): Promise<number[]> {
  const ids: number[] = []
  for (let index = 0; index < count; index++) {
    ids.push((await createPlanet(stage.client, stage.account, { name: `Planet ${index}` })).id)
    await drain(stage.client)
  }
  return ids
}

const planetsInLog = async () => (await listLog(stage, '', subscriber)).map(({ planetId }) => planetId)

it('loses the oldest ended deliveries, and still gets new events', async () => {
  await subscribe(stage, {}, subscriber)
  const ids = await create(MAX + 2)
  expect(stage.network.calls).toHaveLength(MAX + 2)
  expect(await planetsInLog()).toEqual(ids.slice(2))
  expect(await usageOf(subscriber.id)).toEqual(await countUsage(subscriber.id))
})

it('loses no pending delivery: then the subscriber misses the event, and gets later ones', async () => {
  await subscribe(stage, {}, subscriber)
  answer = new Response('Not now', { status: 503 })
  const ids = await create(MAX + 1)
  expect(await planetsInLog()).toEqual(ids.slice(0, MAX))
  await env.DB.prepare(
    "update deliveries set status = 'failed', ended_at = 1, next_attempt_at = null where planet_id = ?",
  )
    .bind(ids[1] ?? 0)
    .run()
  const [later] = await create(1)
  expect(await planetsInLog()).toEqual([ids[0], ids[2], later])
  expect(await usageOf(subscriber.id)).toEqual(await countUsage(subscriber.id))
})

it('does not keep an event without deliveries', async () => {
  await subscribe(stage, {}, subscriber)
  answer = new Response('Not now', { status: 503 })
  await create(MAX)
  expect(await countRows('events')).toBe(MAX)
  await create(2)
  expect(await countRows('events')).toBe(MAX)
})

it('with several subscriptions has no more deliveries than an account may have', async () => {
  for (let index = 0; index < MAX + 1; index++) {
    await subscribe(stage, { url: `https://subscriber.example/${index}` }, subscriber)
  }
  await create(2)
  expect(await planetsInLog()).toHaveLength(MAX)
  expect(await usageOf(subscriber.id)).toEqual(await countUsage(subscriber.id))
})

it('does not prevent deliveries to other subscribers', async () => {
  answer = new Response('Not now', { status: 503 })
  await subscribe(stage, {}, subscriber)
  await create(MAX)
  const other = await createAccount(stage.client)
  await subscribe(stage, { url: 'https://other.example/hook' }, other)
  const [id] = await create(1)
  expect((await listLog(stage, '', other)).map(({ planetId }) => planetId)).toEqual([id])
  expect(await usageOf(other.id)).toEqual(await countUsage(other.id))
})
