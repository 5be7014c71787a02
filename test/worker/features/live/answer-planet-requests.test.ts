import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { openD1, openSession, type SqliteDatabase } from '../../../../src/db/port.ts'
import type { Subscription } from '../../../../src/events/subscription.ts'
import { answerPlanetRequests } from '../../../../src/features/live/answer-planet-requests.ts'
import { createAccount, createClient, createPlanet, ORIGIN } from '../../../support/app.ts'
import { failingDatabase } from '../../../support/failing-database.ts'
import { meterDatabase } from '../../../support/metered-database.ts'

const client = createClient()
const account = await createAccount(client)
const subscription = { isEnveloped: false, baseUrl: ORIGIN } as Subscription
const config = { imageHost: '' } as Parameters<typeof answerPlanetRequests>[2]['config']

const asked = (...texts: string[]) => texts.map((text) => ({ text, subscription, isRefused: false }))
const forPlanet = (planetId: number) => JSON.stringify({ requestId: `for ${planetId}`, planetId })

async function answer(database: SqliteDatabase, requests: ReturnType<typeof asked>) {
  const replies = await answerPlanetRequests(requests, openSession({ database, hub: undefined }, 'first-primary'), {
    config,
  })
  return replies.map((reply) => JSON.parse(reply))
}

it('reads the planets of all requests with one query, and answers each', async () => {
  const one = await createPlanet(client, account, { name: 'One', satellites: [{ name: 'Moon' }] })
  const two = await createPlanet(client, account, { name: 'Two' })
  const { database, meter } = meterDatabase(openD1(env.DB))
  const requests = asked(forPlanet(two.id), 'junk', forPlanet(999_999), forPlanet(one.id), forPlanet(two.id))
  expect(await answer(database, requests)).toMatchObject([
    { id: two.id, name: 'Two' },
    { status: 400 },
    { status: 404, requestId: 'for 999999' },
    { id: one.id, satellites: [{ name: 'Moon' }] },
    { id: two.id, name: 'Two' },
  ])
  expect(meter.roundTrips).toBe(1)
})

it('asks the database for nothing if no request names a planet', async () => {
  const { database, meter } = meterDatabase(openD1(env.DB))
  const refused = asked(forPlanet(1)).map((request) => ({ ...request, isRefused: true }))
  expect(await answer(database, [...asked('junk'), ...refused])).toMatchObject([
    { status: 400 },
    { status: 429, retryAfter: 1, requestId: 'for 1' },
  ])
  expect(meter.roundTrips).toBe(0)
})

it('answers 503 if the database fails, but not to what needs no database', async () => {
  expect(await answer(failingDatabase('the database is down'), asked(forPlanet(1), 'junk'))).toMatchObject([
    { status: 503, requestId: 'for 1' },
    { status: 400 },
  ])
})
