import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { openD1 } from '../../../../src/db/port.ts'
import { bodyOf } from '../../../support/app.ts'
import { drain } from '../../../support/callbacks.ts'
import { letRivalWriteFirst, PausedClock } from '../../../support/rival-writers.ts'
import { countRows, createStage, read, type Stage, variantOf } from './support.ts'

// Credentials are only for the URL that they were set for, whatever else is written at the same moment.

const FIRST = 'https://first.example/hook'
const SECOND = 'https://second.example/hook'
const FIRST_AUTH = { scheme: 'bearerAuth', token: 'for-the-first' }
const SECOND_AUTH = { scheme: 'bearerAuth', token: 'for-the-second' }

let stage: Stage

beforeEach(async () => {
  stage = await createStage()
})

async function subscribe(members: object): Promise<number> {
  const body = { events: ['newPlanet'], ...members }
  return (await bodyOf(await stage.client.sendJson('POST', '/webhooks', body, stage.account))).id
}

const patch = (id: number, members: object, client = stage.client) =>
  client.sendJson('PATCH', `/webhooks/${id}`, members, stage.account)

const ping = (id: number, client = stage.client) => client.sendJson('POST', `/webhooks/${id}/ping`, '', stage.account)

/** A service in which something else happens before each write to subscriptions, or to the log of deliveries. */
function rivalled(table: 'webhooks' | 'events', rival: (attempt: number) => Promise<unknown>) {
  const { database, attempts } = letRivalWriteFirst(openD1(env.DB), table, rival)
  return { client: variantOf(stage, { database }), attempts }
}

describe('a subscription that moves to another URL', () => {
  it('does not take along credentials that are set at the same moment', async () => {
    const id = await subscribe({ url: FIRST })
    const { client, attempts } = rivalled('webhooks', () => patch(id, { auth: FIRST_AUTH }))
    const response = await patch(id, { url: SECOND }, client)
    expect(response.status).toBe(400)
    expect((await bodyOf(response)).errors).toMatchObject([{ pointer: '/auth' }])
    expect(attempts()).toBe(1)
    expect(await read(stage, `/webhooks/${id}`)).toMatchObject({ url: FIRST, auth: { scheme: 'bearerAuth' } })
  })

  it('does not take along credentials to another path of its old origin, if it has moved on', async () => {
    const id = await subscribe({ url: FIRST, auth: FIRST_AUTH })
    const { client } = rivalled('webhooks', () => patch(id, { url: SECOND, auth: SECOND_AUTH }))
    expect((await patch(id, { url: `${FIRST}/moved` }, client)).status).toBe(400)
    expect(await read(stage, `/webhooks/${id}`)).toMatchObject({ url: SECOND })
  })

  it('is 409 if it changes before each attempt for five seconds, and stays where it is', async () => {
    const id = await subscribe({ url: FIRST })
    const clock = new PausedClock()
    const { database, attempts } = letRivalWriteFirst(openD1(env.DB), 'webhooks', (attempt) =>
      patch(id, { url: `${FIRST}/${attempt}`, auth: null }),
    )
    const client = variantOf(stage, { database, ...clock.services })
    expect((await patch(id, { url: SECOND }, client)).status).toBe(409)
    expect(clock.elapsed).toBe(5000)
    expect(await read(stage, `/webhooks/${id}`)).toMatchObject({ url: `${FIRST}/${attempts()}` })
  })

  it('is 404 if it is deleted in between', async () => {
    const id = await subscribe({ url: FIRST })
    const { client } = rivalled('webhooks', () => env.DB.prepare('delete from webhooks').run())
    expect((await patch(id, { url: SECOND }, client)).status).toBe(404)
  })

  it('is not stopped by a response from its old URL', async () => {
    const id = await subscribe({ url: FIRST })
    await ping(id)
    stage.network.answer = async () => {
      await patch(id, { url: SECOND })
      return new Response(null, { status: 410 })
    }
    await drain(stage.client)
    expect(stage.network.calls.map(({ url }) => url)).toEqual([FIRST])
    expect(await read(stage, `/webhooks/${id}`)).toMatchObject({ url: SECOND, status: 'active' })
  })

  it('succeeds at the first attempt with new credentials, whoever else writes', async () => {
    const id = await subscribe({ url: FIRST })
    const { client, attempts } = rivalled('webhooks', () => patch(id, { status: 'paused' }))
    expect((await patch(id, { url: SECOND, auth: SECOND_AUTH }, client)).status).toBe(200)
    expect(attempts()).toBe(1)
    expect(await read(stage, `/webhooks/${id}`)).toMatchObject({ url: SECOND, status: 'paused' })
  })
})

describe('a ping', () => {
  it('goes to the current URL of the subscription, with the credentials for that URL', async () => {
    const id = await subscribe({ url: FIRST, auth: FIRST_AUTH })
    const { client } = rivalled('events', async (attempt) => {
      if (attempt === 1) await patch(id, { url: SECOND, auth: SECOND_AUTH })
    })
    expect((await ping(id, client)).status).toBe(202)
    await drain(stage.client)
    expect(stage.network.calls.map(({ url, headers }) => [url, headers.get('authorization')])).toEqual([
      [SECOND, 'Bearer for-the-second'],
    ])
  })

  it('is 404 if the subscription is deleted in between, and leaves nothing in the log', async () => {
    const id = await subscribe({ url: FIRST })
    const { client } = rivalled('events', () => env.DB.prepare('delete from webhooks').run())
    expect((await ping(id, client)).status).toBe(404)
    expect([await countRows('events'), await countRows('deliveries')]).toEqual([0, 0])
  })
})
