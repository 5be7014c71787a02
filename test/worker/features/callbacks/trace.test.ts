import { beforeEach, describe, expect, it } from 'vitest'
import { authorization, createAccount } from '../../../support/app.ts'
import { drain } from '../../../support/callbacks.ts'
import { createStage, DAY_MS, pass, RECEIVER, readOnly, type Stage, subscribe, sweepAndDrain } from './support.ts'

// A request that belongs to a trace passes it on with the calls that it causes.

const ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const TRACE = { traceparent: `00-${ID}-${PARENT}-01`, tracestate: 'vendor=1' }
const SUBSCRIBER = 'https://subscriber.example/hook'

let stage: Stage

beforeEach(async () => {
  stage = await createStage({ config: { retrySeconds: [10, 2 * 24 * 60 * 60] } })
})

async function createTraced(headers: Record<string, string>, members: object = {}): Promise<number> {
  const planet = { name: 'Arrakis', successCallbackUrl: RECEIVER, ...members }
  const response = await stage.client.send('/planets', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...authorization(stage.account), ...headers },
    body: JSON.stringify(planet),
  })
  expect(response.status).toBe(201)
  const { id } = await response.json<{ id: number }>()
  await drain(stage.client)
  return id
}

/** The traces of the calls to a URL. */
const tracesOf = (url: string) =>
  stage.network.to(url).map(({ headers }) => ({
    traceparent: headers.get('traceparent'),
    tracestate: headers.get('tracestate'),
  }))

const PASSED_ON = { traceparent: expect.stringMatching(`^00-${ID}-[0-9a-f]{16}-01$`), tracestate: 'vendor=1' }
const NONE = { traceparent: null, tracestate: null }

describe('the trace of a request', () => {
  it('goes to the callback that it causes, with another parent id', async () => {
    await createTraced(TRACE)
    expect(tracesOf(RECEIVER)).toEqual([PASSED_ON])
    expect(tracesOf(RECEIVER)[0]?.traceparent).not.toContain(PARENT)
  })

  it('goes to it again with each attempt, which has a parent id of its own', async () => {
    stage.network.answer = () => new Response(null, { status: 500 })
    await createTraced(TRACE)
    const { nextAttemptAt } = await readOnly(stage)
    await pass(stage, Date.parse(nextAttemptAt) - stage.clock.ms)
    await sweepAndDrain(stage)
    const traces = tracesOf(RECEIVER)
    expect(traces).toEqual([PASSED_ON, PASSED_ON])
    expect(traces[0]?.traceparent).not.toBe(traces[1]?.traceparent)
  })

  it('is no longer known when the log has forgotten the request', async () => {
    stage.network.answer = () => new Response(null, { status: 500 })
    await createTraced(TRACE)
    await pass(stage, 60_000)
    await sweepAndDrain(stage)
    // A later row, because the newest one stays.
    await createTraced({}, { successCallbackUrl: 'https://other.example/' })
    await pass(stage, 3 * DAY_MS)
    await sweepAndDrain(stage)
    await sweepAndDrain(stage)
    expect(tracesOf(RECEIVER)).toEqual([PASSED_ON, PASSED_ON, NONE])
  })

  it('goes to a subscription: all of it to one of the caller, without its tracestate to one of another user', async () => {
    await subscribe(stage)
    const other = await createAccount(stage.client)
    await subscribe(stage, { url: 'https://other.example/hook' }, other)
    await createTraced(TRACE, { successCallbackUrl: undefined })
    expect(tracesOf(SUBSCRIBER)).toEqual([PASSED_ON])
    expect(tracesOf('https://other.example/hook')).toEqual([{ ...PASSED_ON, tracestate: null }])
  })

  it('of an explosion goes to its callback', async () => {
    const id = await createTraced({})
    await stage.client.send(`/planets/${id}/explode`, {
      method: 'POST',
      headers: { ...authorization(stage.account), ...TRACE },
    })
    await drain(stage.client)
    expect(tracesOf(RECEIVER)).toEqual([NONE, PASSED_ON])
  })

  it.each([
    ['is not begun here', {}],
    ['is not passed on if it is not valid', { ...TRACE, traceparent: `00-${'0'.repeat(32)}-${PARENT}-01` }],
  ])('%s', async (_, headers) => {
    await createTraced(headers)
    expect(tracesOf(RECEIVER)).toEqual([NONE])
  })

  it('is shown by no event', async () => {
    await createTraced(TRACE)
    const response = await stage.client.get('/events?limit=100', authorization(stage.account))
    expect(response.status).toBe(200)
    expect(await response.text()).not.toContain(ID)
  })
})
