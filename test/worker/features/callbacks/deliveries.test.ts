import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { authorization, bodyOf, createAccount, createPlanet } from '../../../support/app.ts'
import { drain } from '../../../support/callbacks.ts'
import {
  ask,
  countRows,
  createStage,
  createTold,
  DAY_MS,
  HOUR_MS,
  listLog,
  MINUTE_MS,
  pass,
  RECEIVER,
  read,
  readOnly,
  type Stage,
  subscribe,
  sweepAndDrain,
} from './support.ts'

let stage: Stage

beforeEach(async () => {
  stage = await createStage({ config: { retrySeconds: [10, 60] } })
})

const answerWith = (status: number, body: string | null = null) => {
  stage.network.answer = () => new Response(body, { status })
}

const redeliver = (id: number) => ask(stage, 'POST', `/deliveries/${id}/redeliver`)

describe('the log', () => {
  it('follows a planet from its creation to the response of its receiver', async () => {
    answerWith(503, 'Not yet')
    const { id } = await createTold(stage)
    const createdAt = stage.clock.now().toISOString()
    const [pending] = await listLog(stage)
    expect(pending).toEqual({
      id: pending.id,
      messageId: stage.network.calls[0]?.headers.get('webhook-id'),
      event: 'planetCreated',
      eventId: stage.network.calls[0]?.headers.get('x-galaxy-event-id'),
      status: 'pending',
      planetId: id,
      url: RECEIVER,
      createdAt,
      nextAttemptAt: expect.any(String),
      attempts: 1,
    })
    answerWith(200, 'Thank you')
    await pass(stage, MINUTE_MS)
    await sweepAndDrain(stage)
    const endedAt = stage.clock.now().toISOString()
    const { nextAttemptAt: _, ...rest } = pending
    expect(await listLog(stage)).toEqual([{ ...rest, status: 'delivered', endedAt, attempts: 2 }])
    expect(await read(stage, `/deliveries/${pending.id}`)).toEqual({
      ...rest,
      status: 'delivered',
      endedAt,
      body: stage.network.calls[0]?.body,
      attempts: [
        {
          startedAt: createdAt,
          durationMs: 0,
          status: 503,
          error: 'the receiver returned 503',
          response: 'Not yet',
        },
        { startedAt: endedAt, durationMs: 0, status: 200, response: 'Thank you' },
      ],
    })
  })

  it('shows how long an attempt took', async () => {
    stage.network.answer = () => {
      stage.clock.ms += 1234
      return new Response()
    }
    await createTold(stage)
    expect((await readOnly(stage)).attempts).toMatchObject([{ durationMs: 1234 }])
  })

  it('does not show deliveries of other users', async () => {
    await createTold(stage)
    const { id } = await readOnly(stage)
    const other = await createAccount(stage.client, 'Eve')
    expect(await listLog(stage, '', other)).toEqual([])
    expect((await ask(stage, 'GET', `/deliveries/${id}`, other)).status).toBe(404)
    expect((await ask(stage, 'POST', `/deliveries/${id}/redeliver`, other)).status).toBe(404)
    expect((await ask(stage, 'GET', '/deliveries/999999')).status).toBe(404)
    expect((await redeliver(999_999)).status).toBe(404)
    await drain(stage.client)
    expect(stage.network.calls).toHaveLength(1)
  })

  it.each([98, 99, 150])('keeps the newest 100 attempts of a delivery: %i and two more', async (earlier) => {
    await createTold(stage)
    const { id } = await readOnly(stage)
    await env.DB.prepare(`
      with recursive n(i) as (values (2) union all select i + 1 from n where i < ?2)
      insert into attempts (delivery_id, started_at, duration_ms, status) select ?1, 0, i, 500 from n`)
      .bind(id, earlier)
      .run()
    for (const answer of ['next', 'last']) {
      answerWith(200, answer)
      expect((await redeliver(id)).status).toBe(202)
      await drain(stage.client)
    }
    expect(await countRows('attempts')).toBe(100)
    expect((await readOnly(stage)).attempts.map(({ response }: { response: string }) => response).slice(-2)).toEqual([
      'next',
      'last',
    ])
  })

  it('keeps every attempt of a delivery that is redelivered a few times', async () => {
    await createTold(stage)
    const { id } = await readOnly(stage)
    for (let count = 2; count <= 12; count++) {
      answerWith(200, `The ${count}th time`)
      expect((await redeliver(id)).status).toBe(202)
      await drain(stage.client)
    }
    const { attempts } = await readOnly(stage)
    expect(attempts).toHaveLength(12)
    expect(attempts.map(({ response }: { response: string }) => response).slice(-2)).toEqual([
      'The 11th time',
      'The 12th time',
    ])
    expect((await listLog(stage))[0].attempts).toBe(12)
  })

  it('forgets a delivery a week after its end, and keeps those that are pending', async () => {
    stage = await createStage({ config: { retrySeconds: [604_800] } })
    vi.spyOn(Math, 'random').mockReturnValue(1)
    await createTold(stage)
    stage.network.answer = () => new Response(null, { status: 500 })
    await createTold(stage, { name: 'Pending' })
    vi.restoreAllMocks()
    await pass(stage, 7 * DAY_MS)
    await sweepAndDrain(stage)
    expect(await listLog(stage)).toHaveLength(2)
    await pass(stage, 1)
    await sweepAndDrain(stage)
    expect(await listLog(stage)).toMatchObject([{ status: 'pending' }])
    expect(await countRows('events')).toBe(1)
  })
})

describe('filters of the log', () => {
  /** Deliveries of each kind: [event, status, planet]. */
  async function fill(): Promise<{ one: number; two: number }> {
    await subscribe(stage, { url: 'https://subscriber.example/' })
    stage.network.answer = ({ url }) => new Response(null, { status: url === RECEIVER ? 200 : 500 })
    const one = (await createTold(stage, { name: 'One' })).id
    const two = (await createTold(stage, { name: 'Two' })).id
    await ask(stage, 'POST', `/planets/${two}/explode`)
    await drain(stage.client)
    return { one, two }
  }

  it('planet, event and status work alone and together', async () => {
    const { one, two } = await fill()
    const select = async (query: string) =>
      (await listLog(stage, query)).map(({ event, status, planetId }) => `${event} ${status} ${planetId}`)
    const created = (id: number) => `planetCreated delivered ${id}`
    const told = (id: number) => `newPlanet pending ${id}`
    const exploded = `planetExploded delivered ${two}`
    const all = [created(one), told(one), created(two), told(two), exploded]
    expect(await select('')).toEqual(all)
    expect(await select(`&planetId=${one}`)).toEqual([created(one), told(one)])
    expect(await select('&event=newPlanet')).toEqual([told(one), told(two)])
    expect(await select('&status=delivered')).toEqual([created(one), created(two), exploded])
    expect(await select(`&planetId=${two}&status=delivered`)).toEqual([created(two), exploded])
    expect(await select(`&planetId=${two}&event=planetExploded`)).toEqual([exploded])
    expect(await select('&event=newPlanet&status=pending')).toEqual([told(one), told(two)])
    expect(await select(`&planetId=${one}&event=newPlanet&status=pending`)).toEqual([told(one)])
    expect(await select(`&planetId=${one}&event=newPlanet&status=delivered`)).toEqual([])
    expect(await select('&planetId=999999')).toEqual([])
  })

  it('stay in the links of the pages', async () => {
    await fill()
    const response = await ask(stage, 'GET', '/deliveries?event=newPlanet&status=pending&limit=1')
    const { data, meta } = await bodyOf(response)
    expect(data).toHaveLength(1)
    expect(meta).toMatchObject({ limit: 1, offset: 0, total: 2 })
    const next = new URL(meta.next, 'http://galaxy.test')
    expect(Object.fromEntries(next.searchParams)).toEqual({
      event: 'newPlanet',
      status: 'pending',
      limit: '1',
      offset: '1',
    })
    for (const link of (response.headers.get('Link') ?? '').split(', ')) {
      expect(link).toContain('event=newPlanet')
      expect(link).toContain('status=pending')
    }
    const second = await read(stage, meta.next)
    expect(second.data).toMatchObject([{ event: 'newPlanet', status: 'pending' }])
    expect(second.data[0].id).not.toBe(data[0].id)
    expect(second.meta.next).toBeNull()
  })

  it.each([
    'planetId=0',
    'planetId=x',
    'planetId=1.0',
    'event=planetDeleted',
    'event=',
    'status=done',
    'status=Pending',
  ])('%s is rejected', async (query) => {
    expect((await ask(stage, 'GET', `/deliveries?${query}`)).status).toBe(400)
  })
})

describe('redelivery', () => {
  it('of a delivered one sends the same again, and the response shows it as due', async () => {
    await createTold(stage)
    const { id, messageId } = await readOnly(stage)
    await pass(stage, HOUR_MS)
    const response = await redeliver(id)
    expect(response.status).toBe(202)
    const due = await bodyOf(response)
    expect(due).toMatchObject({ id, messageId, status: 'pending', nextAttemptAt: stage.clock.now().toISOString() })
    expect(due).not.toHaveProperty('endedAt')
    await drain(stage.client)
    const [first, second] = stage.network.calls
    expect(second?.body).toBe(first?.body)
    expect(second?.headers.get('webhook-id')).toBe(messageId)
    expect(second?.headers.get('webhook-timestamp')).not.toBe(first?.headers.get('webhook-timestamp'))
    expect(await readOnly(stage)).toMatchObject({ status: 'delivered', attempts: [{}, {}] })
    expect(stage.network.calls).toHaveLength(2)
  })

  it('of a failed one restarts the schedule', async () => {
    answerWith(500)
    await createTold(stage)
    const { id } = await readOnly(stage)
    const runOut = async () => {
      for (let attempt = 1; attempt <= 2; attempt++) {
        expect(await readOnly(stage)).toMatchObject({ status: 'pending' })
        await pass(stage, HOUR_MS)
        await sweepAndDrain(stage)
      }
      expect(await readOnly(stage)).toMatchObject({ status: 'failed' })
    }
    await runOut()
    expect((await redeliver(id)).status).toBe(202)
    await drain(stage.client)
    await runOut()
    expect(stage.network.calls).toHaveLength(6)
  })

  it('of one that waits for its next attempt makes that attempt now, and continues the schedule', async () => {
    answerWith(500)
    await createTold(stage)
    const { id } = await readOnly(stage)
    expect((await redeliver(id)).status).toBe(202)
    await drain(stage.client)
    expect(stage.network.calls).toHaveLength(2)
    const { status, nextAttemptAt } = await readOnly(stage)
    expect(status).toBe('pending')
    expect(Date.parse(nextAttemptAt) - stage.clock.ms).toBeGreaterThanOrEqual(48_000)
    await pass(stage, HOUR_MS)
    await sweepAndDrain(stage)
    expect(await readOnly(stage)).toMatchObject({ status: 'failed', attempts: [{}, {}, {}] })
  })

  it('of a cancelled one sends it after all', async () => {
    answerWith(500)
    const { id: webhookId } = await subscribe(stage)
    await createPlanet(stage.client, stage.account, { name: 'News' })
    await drain(stage.client)
    const change = (status: string) =>
      stage.client.sendJson('PATCH', `/webhooks/${webhookId}`, { status }, stage.account)
    await change('paused')
    await change('active')
    const { id, status } = await readOnly(stage)
    expect(status).toBe('cancelled')
    answerWith(200)
    expect((await redeliver(id)).status).toBe(202)
    await drain(stage.client)
    expect(await readOnly(stage)).toMatchObject({ status: 'delivered', attempts: [{ status: 500 }, { status: 200 }] })
  })

  it('of a subscription that has moved goes to its current URL', async () => {
    const { id: webhookId } = await subscribe(stage, { url: 'https://first.example/' })
    await createPlanet(stage.client, stage.account, { name: 'News' })
    await drain(stage.client)
    await stage.client.sendJson('PATCH', `/webhooks/${webhookId}`, { url: 'https://second.example/' }, stage.account)
    const { id, url } = await readOnly(stage)
    expect(url).toBe('https://first.example/')
    await redeliver(id)
    await drain(stage.client)
    expect(stage.network.calls.map((call) => call.url)).toEqual(['https://first.example/', 'https://second.example/'])
  })

  it('is rejected while an attempt is in progress', async () => {
    const hang = Promise.withResolvers<Response>()
    stage.network.answer = () => hang.promise
    await createPlanet(stage.client, stage.account, { name: 'Busy', successCallbackUrl: RECEIVER })
    const work = drain(stage.client)
    await vi.waitFor(() => expect(stage.network.calls).toHaveLength(1))
    const { id } = await readOnly(stage)
    const response = await redeliver(id)
    expect(response.status).toBe(409)
    expect((await bodyOf(response)).detail).toBe(
      'An attempt of this delivery is in progress. Try again when it has ended.',
    )
    hang.resolve(new Response())
    await work
    expect(await readOnly(stage)).toMatchObject({ status: 'delivered', attempts: [{}] })
    expect((await redeliver(id)).status).toBe(202)
  })

  it('is rejected if the subscription is paused, disabled or deleted', async () => {
    const { id: webhookId } = await subscribe(stage)
    await createPlanet(stage.client, stage.account, { name: 'News' })
    await drain(stage.client)
    const { id } = await readOnly(stage)
    const expectRefusal = async (reason: string) => {
      const response = await redeliver(id)
      expect(response.status).toBe(409)
      expect((await bodyOf(response)).detail).toContain(reason)
      expect(await readOnly(stage)).toMatchObject({ status: 'delivered' })
    }
    const change = (status: string) =>
      stage.client.sendJson('PATCH', `/webhooks/${webhookId}`, { status }, stage.account)
    await change('paused')
    await expectRefusal('paused')
    await change('active')
    answerWith(410)
    await ask(stage, 'POST', `/webhooks/${webhookId}/ping`)
    await drain(stage.client)
    const response = await redeliver(id)
    expect(response.status).toBe(409)
    expect((await bodyOf(response)).detail).toContain('disabled')
    await ask(stage, 'DELETE', `/webhooks/${webhookId}`)
    const gone = await redeliver(id)
    expect(gone.status).toBe(409)
    expect((await bodyOf(gone)).detail).toBe(
      'The subscription of this delivery was deleted, so nothing can be sent to it.',
    )
    await sweepAndDrain(stage)
    expect(stage.network.calls).toHaveLength(2)
  })

  it('is rejected after a 204, also for other deliveries about that planet to that URL', async () => {
    answerWith(500)
    const { id: planetId } = await createTold(stage)
    answerWith(204)
    await ask(stage, 'POST', `/planets/${planetId}/explode`)
    await drain(stage.client)
    const log = await listLog(stage)
    expect(log.map(({ status }) => status)).toEqual(['cancelled', 'delivered'])
    for (const { id } of log) {
      const response = await redeliver(id)
      expect(response.status).toBe(409)
      expect((await bodyOf(response)).detail).toContain('204')
    }
    const { id } = await createTold(stage, { name: 'Another' })
    const [other] = await listLog(stage, `&planetId=${id}`)
    expect(other.status).toBe('delivered')
    expect(stage.network.calls).toHaveLength(3)
  })

  it('does not depend on its message: if that is lost, the sweep delivers', async () => {
    await createTold(stage)
    const { id } = await readOnly(stage)
    await redeliver(id)
    await sweepAndDrain(stage)
    expect(stage.network.calls).toHaveLength(2)
  })

  it('requested many times at once happens once', async () => {
    await createTold(stage)
    const { id } = await readOnly(stage)
    await Promise.all([1, 2, 3, 4].map(() => redeliver(id)))
    await drain(stage.client)
    expect(stage.network.calls).toHaveLength(2)
  })
})

describe('in XML', () => {
  const getXml = async (path: string, method = 'GET') =>
    await (
      await stage.client.send(path, { method, headers: { ...authorization(stage.account), Accept: 'application/xml' } })
    ).text()

  it('the log, a delivery and a redelivery', async () => {
    answerWith(500, '<not> & well')
    await createTold(stage, { name: 'A <planet>' })
    const { id, body } = await readOnly(stage)
    expect(await getXml('/deliveries')).toMatch(
      /<deliveries [^>]+><data><id>\d+<\/id>.*<attempts>1<\/attempts><\/data><meta>/s,
    )
    const detail = await getXml(`/deliveries/${id}`)
    expect(detail).toContain('<response>&lt;not&gt; &amp; well</response>')
    expect(detail).toMatch(/<delivery [^>]+>.*<attempts><startedAt>.*<\/attempts><body>.*<\/delivery>$/s)
    expect(body).toContain('A <planet>')
    expect(detail).toContain('A &lt;planet&gt;')
    expect(await getXml(`/deliveries/${id}/redeliver`, 'POST')).toContain('<status>pending</status>')
    expect(await getXml('/deliveries/999999')).toMatch(/<problem .*<status>404<\/status>/s)
  })
})
