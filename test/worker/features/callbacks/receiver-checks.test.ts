import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { DEFECTS } from '../../../../src/domain/receiver-tests.ts'
import { sweep } from '../../../../src/sweep.ts'
import { authorization, bodyOf, type Client, createAccount, NO_LIMITS, ORIGIN } from '../../../support/app.ts'
import { drain } from '../../../support/callbacks.ts'
import { eachRow } from '../../../support/each-row.ts'
import { type Knowledge, type Receiver, RIGHT, refusingRepetitions, WRONG } from './receivers.ts'
import {
  ask,
  breakOff,
  createStage,
  HOUR_MS,
  listLog,
  MINUTE_MS,
  pass,
  read,
  runAll,
  type Stage,
  subscribe,
  variantOf,
} from './support.ts'

let stage: Stage

beforeEach(async () => {
  stage = await createStage()
})

/** Lets a receiver answer all calls. */
function answerAs(receive: Receiver, secret: string): void {
  const knowledge: Knowledge = { secret, now: stage.clock.now }
  stage.network.answer = async (call) => {
    const status = await receive(call, knowledge)
    return new Response(status === 204 ? null : 'Thank you', { status })
  }
}

const begin = async (webhookId: number, body: object = {}) =>
  await stage.client.sendJson('POST', `/webhooks/${webhookId}/checks`, body, stage.account)

const readCheck = async (webhookId: number, id: string) => await read(stage, `/webhooks/${webhookId}/checks/${id}`)

/** A check from its beginning to its end. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
async function check(webhookId: number, body: object = {}): Promise<any> {
  const { id } = await bodyOf(await begin(webhookId, body))
  await runAll(stage)
  return await readCheck(webhookId, id)
}

/** The defects with which a check was not satisfied. */
const failuresOf = ({ results }: { results: { verdict: string; defect: string }[] }) =>
  results.filter(({ verdict }) => verdict === 'wrong').map(({ defect }) => defect)

describe('a check', () => {
  it('of a receiver that is right passes, with each test as a delivery in the log', async () => {
    const { id: webhookId, secret } = await subscribe(stage)
    answerAs(RIGHT, secret)
    const response = await begin(webhookId, { event: 'planetExploded' })
    expect(response.status).toBe(202)
    const begun = await bodyOf(response)
    expect(response.headers.get('Location')).toBe(`${ORIGIN}/webhooks/${webhookId}/checks/${begun.id}`)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(begun).toMatchObject({ webhookId, signing: 'v1', event: 'planetExploded', state: 'running', passed: null })
    expect(begun).toMatchObject({ endedAt: null, summary: { right: 0, wrong: 0, skipped: 0, notSent: 0 } })
    expect(begun.results.map(({ defect }: { defect: string }) => defect)).toEqual(DEFECTS)
    expect(begun.results[0]).toEqual({
      defect: 'none',
      expected: 'accept',
      verdict: null,
      reason: null,
      statuses: [],
      deliveryId: null,
    })
    await runAll(stage)
    const done = await readCheck(webhookId, begun.id)
    expect(done).toMatchObject({ state: 'done', passed: true, endedAt: stage.clock.now().toISOString() })
    expect(done.summary).toEqual({ right: 16, wrong: 0, skipped: 0, notSent: 0 })
    const log = await listLog(stage)
    expect(log).toHaveLength(16)
    for (const [index, { deliveryId, defect, expected, verdict }] of done.results.entries()) {
      expect(log[index]).toMatchObject({ id: deliveryId, webhookId, test: { defect, expected, verdict, reason: null } })
    }
    expect(stage.network.calls).toHaveLength(18)
  })

  it('finds exactly what is wrong with a receiver', async () => {
    await eachRow(
      Object.entries({ ...WRONG, 'refuses what it knows': refusingRepetitions() }),
      async ([name, wrong]) => {
        stage.network.calls.length = 0
        const { id, secret } = await subscribe(stage, { url: `https://receiver.example/${encodeURIComponent(name)}` })
        answerAs(wrong.receive, secret)
        const done = await check(id)
        expect(failuresOf(done)).toEqual(wrong.fails)
        expect(done).toMatchObject({ state: 'done', passed: false, summary: { notSent: 0 } })
        await ask(stage, 'DELETE', `/webhooks/${id}`)
      },
    )
  })

  it('of a subscription with a public key sends no secret, and passes too', async () => {
    const { id, publicKey } = await subscribe(stage, { signing: 'v1a' })
    const key = await crypto.subtle.importKey('raw', Uint8Array.fromBase64(publicKey.slice(5)), 'Ed25519', false, [
      'verify',
    ])
    answerAs(async ({ headers, body }, { now }) => {
      const time = headers.get('webhook-timestamp')
      if (Math.abs(now().getTime() / 1000 - Number(time)) > 300) return 401
      const content = new TextEncoder().encode(`${headers.get('webhook-id')}.${time}.${body}`)
      for (const text of (headers.get('webhook-signature') ?? '').split(' ')) {
        const [version, base64 = ''] = text.split(',')
        const bytes = version === 'v1a' && base64.length === 88 ? Uint8Array.fromBase64(base64) : undefined
        if (bytes && (await crypto.subtle.verify('Ed25519', key, bytes, content))) return 200
      }
      return 401
    }, '')
    expect(await check(id)).toMatchObject({ signing: 'v1a', passed: true, summary: { right: 16 } })
    for (const { headers } of stage.network.calls) expect(headers.has('x-signature')).toBe(false)
  })

  it('leaves out what is skipped, and says why', async () => {
    const { id } = await subscribe(stage)
    answerAs(() => 200, '')
    const refusals = DEFECTS.slice(6).map((defect) => [defect, 'not yet'])
    const done = await check(id, { skip: { none: 'known', ...Object.fromEntries(refusals) } })
    expect(done).toMatchObject({ passed: true, summary: { right: 5, wrong: 0, skipped: 11, notSent: 0 } })
    expect(done.results[0]).toMatchObject({ verdict: 'skipped', reason: 'known', statuses: [], deliveryId: null })
    expect(await listLog(stage)).toHaveLength(5)
  })

  it('does not pass if everything is skipped', async () => {
    const { id } = await subscribe(stage)
    const skip = Object.fromEntries(DEFECTS.map((defect) => [defect, 'x']))
    expect(await bodyOf(await begin(id, { skip }))).toMatchObject({ state: 'done', passed: false })
    expect(await listLog(stage)).toHaveLength(0)
  })

  it('sends nothing more if there was no answer at all to the first call', async () => {
    const { id } = await subscribe(stage)
    stage.network.answer = () => {
      throw new Error('connection refused')
    }
    const done = await check(id)
    expectSilence(done)
    // What was not sent is not in the log, and has given its room back.
    expect(await listLog(stage)).toHaveLength(1)
    expect(await deliveriesUsed()).toBe(1)
  })

  it('takes an answer that breaks off for none', async () => {
    const { id } = await subscribe(stage)
    stage.network.answer = () => breakOff(200)
    expectSilence(await check(id))
  })

  // biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
  function expectSilence(done: any): void {
    expect(done).toMatchObject({ state: 'done', passed: false, summary: { right: 0, wrong: 1, notSent: 15 } })
    expect(done.results[0]).toMatchObject({ verdict: 'wrong', statuses: [null] })
    expect(done.results[1]).toMatchObject({ verdict: 'not-sent', statuses: [], deliveryId: null })
    expect(done.results[1].reason).toMatch(/no answer/)
    expect(stage.network.calls).toHaveLength(1)
  }

  it('goes on after any other failure of the first call', async () => {
    const { id } = await subscribe(stage)
    answerAs(() => 503, '')
    expect(await check(id)).toMatchObject({ summary: { right: 0, wrong: 16, notSent: 0 } })
  })
})

describe('a check ends', () => {
  it('with what it has not sent after ten minutes, also if its calls wait for their turn', async () => {
    const limited = variantOf(stage, { config: { targetLimits: { concurrent: 1, callsUnproven: 3, callsProven: 3 } } })
    stage = { ...stage, client: limited }
    const { id: webhookId, secret } = await subscribe(stage)
    answerAs(RIGHT, secret)
    const { id } = await bodyOf(await begin(webhookId))
    await drain(stage.client)
    expect(await readCheck(webhookId, id)).toMatchObject({ state: 'running', summary: { right: 3 } })
    expect((await listLog(stage))[3]).toMatchObject({ status: 'pending', waitingSince: expect.any(String) })
    await pass(stage, 10 * MINUTE_MS - 1)
    stage.queue.held.length = 0
    await sweep(stage.client.services)
    expect(await readCheck(webhookId, id)).toMatchObject({ state: 'running' })
    await pass(stage, 1)
    await sweep(stage.client.services)
    const done = await readCheck(webhookId, id)
    expect(done).toMatchObject({ state: 'done', passed: false, summary: { right: 3, notSent: 13 } })
    await drain(stage.client)
    expect(stage.network.calls).toHaveLength(3)
    expect(await listLog(stage)).toHaveLength(3)
  })

  it('when a call that is due comes too late', async () => {
    const { id: webhookId, secret } = await subscribe(stage)
    answerAs(RIGHT, secret)
    const { id } = await bodyOf(await begin(webhookId))
    await pass(stage, 10 * MINUTE_MS)
    await drain(stage.client)
    expect(await readCheck(webhookId, id)).toMatchObject({ state: 'done', summary: { right: 0, notSent: 16 } })
    expect(stage.network.calls).toHaveLength(0)
    expect(await listLog(stage)).toHaveLength(0)
  })

  it('when its account is suspended', async () => {
    const { id: webhookId, secret } = await subscribe(stage)
    answerAs(RIGHT, secret)
    const { id } = await bodyOf(await begin(webhookId))
    stage.network.answer = async () => {
      await suspend(stage.clock.ms)
      return new Response()
    }
    await runAll(stage)
    await suspend(null)
    const done = await readCheck(webhookId, id)
    expect(done).toMatchObject({ state: 'done', passed: false, summary: { right: 1, notSent: 15 } })
    expect(done.results[1].reason).toMatch(/suspended/)
    expect(stage.network.calls).toHaveLength(1)
  })

  it('with its subscription: what was not sent leaves the log, and what was sent stays', async () => {
    const { id: webhookId, secret } = await subscribe(stage)
    answerAs(RIGHT, secret)
    const { id } = await bodyOf(await begin(webhookId))
    let calls = 0
    stage.network.answer = async () => {
      calls++
      if (calls === 3) await ask(stage, 'DELETE', `/webhooks/${webhookId}`)
      return new Response()
    }
    await runAll(stage)
    expect((await ask(stage, 'GET', `/webhooks/${webhookId}/checks/${id}`)).status).toBe(404)
    const log = await listLog(stage)
    expect(log.map(({ status, test }) => [status, test.defect, test.verdict])).toEqual([
      ['delivered', 'none', 'right'],
      ['delivered', 'second-signature', 'right'],
      ['cancelled', 'pretty', null],
    ])
    expect(calls).toBe(3)
    expect(await deliveriesUsed()).toBe(3)
    // The receiver may have another subscription, of which nothing is known.
    expect((await begin(webhookId)).status).toBe(404)
  })

  it('24 hours after its creation, and its deliveries stay', async () => {
    const { id: webhookId, secret } = await subscribe(stage)
    answerAs(RIGHT, secret)
    const begun = await bodyOf(await begin(webhookId))
    const end = Date.parse(begun.createdAt) + 24 * HOUR_MS
    await runAll(stage)
    await pass(stage, end - 1 - stage.clock.ms)
    expect(await readCheck(webhookId, begun.id)).toMatchObject({ state: 'done' })
    await pass(stage, 1)
    expect((await ask(stage, 'GET', `/webhooks/${webhookId}/checks/${begun.id}`)).status).toBe(404)
    await sweep(stage.client.services)
    expect(await env.DB.prepare('select count(*) as n from webhook_checks').first('n')).toBe(0)
    expect((await listLog(stage))[0]).toMatchObject({ test: { defect: 'none', verdict: 'right' } })
  })
})

describe('of one subscription', () => {
  it('one check runs at a time', async () => {
    const { id: webhookId, secret } = await subscribe(stage)
    answerAs(RIGHT, secret)
    const both = await Promise.all([begin(webhookId), begin(webhookId)])
    expect(both.map(({ status }) => status).sort()).toEqual([202, 409])
    expect(await listLog(stage)).toHaveLength(16)
    const other = await subscribe(stage, { url: 'https://other.example/hook' })
    expect((await begin(other.id)).status).toBe(202)
    await runAll(stage)
    expect((await begin(webhookId)).status).toBe(202)
  })

  it('the last ten checks are kept', async () => {
    const { id: webhookId } = await subscribe(stage)
    const skip = Object.fromEntries(DEFECTS.slice(1).map((defect) => [defect, 'x']))
    const ids: string[] = []
    for (let number = 0; number < 11; number++) {
      stage.clock.ms++
      ids.push((await check(webhookId, { skip })).id)
    }
    const statuses = await Promise.all(
      ids.map(async (id) => (await ask(stage, 'GET', `/webhooks/${webhookId}/checks/${id}`)).status),
    )
    expect(statuses).toEqual([404, ...Array(10).fill(200)])
  })

  it('another user sees and begins no check', async () => {
    const { id: webhookId } = await subscribe(stage)
    const { id } = await bodyOf(await begin(webhookId))
    const eve = await createAccount(stage.client, 'Eve')
    const path = `/webhooks/${webhookId}/checks`
    expect((await stage.client.sendJson('POST', path, {}, eve)).status).toBe(404)
    expect((await ask(stage, 'GET', `${path}/${id}`, eve)).status).toBe(404)
    expect((await ask(stage, 'GET', `${path}/${id}/junit.xml`, eve)).status).toBe(404)
    // A check is found only at its own subscription.
    const other = await subscribe(stage, { url: 'https://other.example/hook' })
    expect((await ask(stage, 'GET', `/webhooks/${other.id}/checks/${id}`)).status).toBe(404)
  })
})

describe('room for a check', () => {
  it('is there for all of its deliveries, or nothing is sent', async () => {
    const { id: webhookId, secret } = await subscribe(stage)
    answerAs(RIGHT, secret)
    const withRoom = (deliveries: number) =>
      variantOf(stage, { config: { accountLimits: { ...NO_LIMITS, deliveries } } })
    const refused = await withRoom(15).sendJson('POST', `/webhooks/${webhookId}/checks`, {}, stage.account)
    expect(refused.status).toBe(403)
    expect(await bodyOf(refused)).toMatchObject({ limit: { name: 'deliveries', allowed: 15 } })
    await runAll(stage)
    expect(stage.network.calls).toHaveLength(0)
    expect(await listLog(stage)).toHaveLength(0)
    const accepted = await withRoom(16).sendJson('POST', `/webhooks/${webhookId}/checks`, {}, stage.account)
    expect(accepted.status).toBe(202)
    expect(await deliveriesUsed()).toBe(16)
  })

  it('is needed only for what is sent', async () => {
    const { id: webhookId } = await subscribe(stage)
    const client = variantOf(stage, { config: { accountLimits: { ...NO_LIMITS, deliveries: 1 } } })
    const skip = Object.fromEntries(DEFECTS.slice(1).map((defect) => [defect, 'x']))
    expect((await client.sendJson('POST', `/webhooks/${webhookId}/checks`, { skip }, stage.account)).status).toBe(202)
  })
})

describe('a check is not lost', () => {
  it('if the messages of the queue are', async () => {
    const { id: webhookId, secret } = await subscribe(stage)
    answerAs(RIGHT, secret)
    const { id } = await bodyOf(await begin(webhookId))
    for (let minute = 0; minute < 9; minute++) {
      await pass(stage, MINUTE_MS)
      stage.queue.held.length = 0
      await sweep(stage.client.services)
      await runAll(stage)
    }
    expect(await readCheck(webhookId, id)).toMatchObject({ state: 'done', passed: true })
  })

  it('if the worker dies during a call: it is sent again', async () => {
    const { id: webhookId, secret } = await subscribe(stage)
    answerAs(RIGHT, secret)
    const { id } = await bodyOf(await begin(webhookId))
    // What a worker leaves behind that has leased the first delivery, and died.
    await env.DB.prepare('update deliveries set leased_until = ?1, next_attempt_at = ?1 where id = ?2')
      .bind(stage.clock.ms + 30_000, (await listLog(stage))[0].id)
      .run()
    await runAll(stage)
    expect(stage.network.calls).toHaveLength(0)
    await pass(stage, MINUTE_MS)
    await sweep(stage.client.services)
    await runAll(stage)
    expect(await readCheck(webhookId, id)).toMatchObject({ state: 'done', passed: true })
  })
})

describe('the results for CI', () => {
  it('are JUnit, in a suite for what is good and one for what is bad', async () => {
    const { id: webhookId } = await subscribe(stage)
    answerAs(() => 200, '')
    const { id } = await bodyOf(await begin(webhookId, { skip: { stale: 'a "known" <fault>' } }))
    const path = `/webhooks/${webhookId}/checks/${id}/junit.xml`
    expect((await ask(stage, 'GET', path)).status).toBe(409)
    await runAll(stage)
    const response = await ask(stage, 'GET', path)
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('application/xml')
    const lines = (await response.text()).split('\n')
    expect(lines).toContain('  <testsuite name="good" tests="6" failures="0" errors="0" skipped="0">')
    expect(lines).toContain('  <testsuite name="bad" tests="10" failures="9" errors="0" skipped="1">')
    const className = `classname="webhooks.${webhookId}"`
    expect(lines).toContain(`    <testcase ${className} name="none"/>`)
    const skipped = '<skipped message="a &quot;known&quot; &lt;fault&gt;"/>'
    expect(lines).toContain(`    <testcase ${className} name="stale">${skipped}</testcase>`)
    const message = 'The receiver returned 200. A 4xx other than 408 and 429 was due.'
    expect(lines).toContain(`    <testcase ${className} name="hex"><failure message="${message}"/></testcase>`)
  })
})

it('with demo controls off, there are no checks', async () => {
  const { id } = await subscribe(stage)
  const off = variantOf(stage, { config: { demoControls: false } })
  const headers = authorization(stage.account)
  for (const path of [`/webhooks/${id}/tests`, `/webhooks/${id}/checks`, `/webhooks/${id}/checks/x/junit.xml`]) {
    const unknown = await off.send('/webhooks/1/nothing', { method: 'POST', headers })
    const response = await off.send(path, { method: 'POST', headers })
    expect([response.status, (await bodyOf(response)).detail]).toEqual([404, (await bodyOf(unknown)).detail])
  }
  const offersTests = async (by: Client) => (await (await by.get('/account')).text()).includes('data-tests')
  expect([await offersTests(off), await offersTests(stage.client)]).toEqual([false, true])
  expect((await off.send(`/webhooks/${id}/ping`, { method: 'POST', headers })).status).toBe(202)
})

const deliveriesUsed = async () =>
  await env.DB.prepare('select deliveries_used from users where id = ?').bind(stage.account.id).first('deliveries_used')

/** Suspends the account of the stage, or ends that. */
async function suspend(at: number | null): Promise<void> {
  await env.DB.prepare('update users set suspended_at = ? where id = ?').bind(at, stage.account.id).run()
}
