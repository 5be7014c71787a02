import { beforeEach, describe, expect, it } from 'vitest'
import { ask, countRows, createInbox, createStage, HOUR_MS, type Stage, sendRaw, variantOf } from './support.ts'

// An inbox that ends while a request to it arrives: the response is 404, as it is a moment later, and never 500.

let stage: Stage

beforeEach(async () => {
  stage = await createStage()
})

/** Sends a request whose body ends only after the work is done. */
async function sendDuring(
  url: string,
  method: string,
  work: () => Promise<unknown>,
  client = stage.client,
): Promise<Response> {
  const pull = async (controller: ReadableStreamDefaultController) => {
    await work()
    controller.enqueue(new TextEncoder().encode('{"status":503}'))
    controller.close()
  }
  // Nothing is created before it is read.
  const body = new ReadableStream({ pull }, { highWaterMark: 0 })
  return await client.sendRaw(url, { method, body, headers: { 'Content-Type': 'application/json' } })
}

describe('an inbox that is deleted while a request arrives', () => {
  it('answers 404 and keeps nothing of the request', async () => {
    const inbox = await createInbox(stage)
    const rows = await countRows('inbox_requests')
    const remove = async () => expect((await ask(stage, 'DELETE', `/inboxes/${inbox.id}`)).status).toBe(204)
    const response = await sendDuring(inbox.url, 'POST', remove)
    expect(response.status).toBe(404)
    expect(response.headers.get('Content-Type')).toBe('application/problem+json')
    expect(await countRows('inbox_requests')).toBe(rows)
  })

  it('cannot be changed any more', async () => {
    const inbox = await createInbox(stage)
    const remove = async () => expect((await ask(stage, 'DELETE', `/inboxes/${inbox.id}`)).status).toBe(204)
    expect((await sendDuring(`/inboxes/${inbox.id}`, 'PUT', remove)).status).toBe(404)
    expect((await ask(stage, 'GET', `/inboxes/${inbox.id}`)).status).toBe(404)
  })

  it('gives each of many requests at the same moment its response or 404', async () => {
    const inbox = await createInbox(stage, { status: 202 })
    const requests = Array.from({ length: 20 }, () => sendRaw(stage, inbox.url, { method: 'POST', body: 'x' }))
    const [removed, ...answers] = await Promise.all([ask(stage, 'DELETE', `/inboxes/${inbox.id}`), ...requests])
    expect(removed.status).toBe(204)
    expect(answers.filter(({ status }) => status !== 202 && status !== 404)).toEqual([])
  })
})

it('an inbox that expires while a request arrives counts as expired', async () => {
  const inbox = await createInbox(stage)
  let hasArrived = false
  const now = () => {
    hasArrived = true
    return stage.clock.now()
  }
  const client = variantOf(stage, { now })
  const response = await sendDuring(
    inbox.url,
    'POST',
    async () => {
      // Not a promise that the service resolves: in a universe, that would continue the body inside the object.
      while (!hasArrived) await scheduler.wait(1)
      stage.clock.ms += 25 * HOUR_MS
    },
    client,
  )
  // The time that counts is the beginning of the request.
  expect(response.status).toBe(200)
  expect((await sendRaw(stage, inbox.url, { method: 'POST' })).status).toBe(404)
})

it('an inbox that still exists keeps the request', async () => {
  const inbox = await createInbox(stage, { status: 201 })
  expect((await sendDuring(inbox.url, 'POST', async () => {})).status).toBe(201)
  const { data } = await (await stage.client.get(`/inboxes/${inbox.id}`)).json<{ data: object[] }>()
  expect(data).toMatchObject([{ method: 'POST', body: '{"status":503}' }])
})
