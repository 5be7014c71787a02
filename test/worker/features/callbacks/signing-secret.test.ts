import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { authorization, bodyOf, createAccount, createPlanet } from '../../../support/app.ts'
import { type Call, drain } from '../../../support/callbacks.ts'
import {
  ask,
  countRows,
  createStage,
  createTold,
  DAY_MS,
  headersOf,
  hmacOf,
  MINUTE_MS,
  messageHmacOf,
  pass,
  RECEIVER,
  read,
  readOnly,
  type Stage,
  subscribe,
  sweepAndDrain,
} from './support.ts'

const PATH = '/me/signing-secret'

let stage: Stage

beforeEach(async () => {
  stage = await createStage()
})

const readSecret = async (): Promise<string> => (await read(stage, PATH)).secret

async function rotate(): Promise<string> {
  const response = await ask(stage, 'POST', `${PATH}/rotate`)
  expect(response.status).toBe(200)
  return (await bodyOf(response)).secret
}

/** The call for a planet that is created now. */
async function callNow(): Promise<Call> {
  await createTold(stage)
  const call = stage.network.calls.at(-1)
  if (!call) throw new Error('nothing was sent')
  return call
}

/** Whether the library of Standard Webhooks accepts a call that it reads at a given time. */
function verifies(secret: string, call: Call, ms = stage.clock.ms): boolean {
  vi.useFakeTimers({ now: ms, toFake: ['Date'] })
  try {
    new Webhook(secret).verify(call.body, headersOf(call))
    return true
  } catch {
    return false
  } finally {
    vi.useRealTimers()
  }
}

/** The expected signature of Standard Webhooks for each of these secrets. */
async function signaturesBy(secrets: readonly string[], { headers, body }: Call): Promise<string> {
  const content = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${body}`
  const signatures = secrets.map(async (secret) => `v1,${await messageHmacOf(secret, content)}`)
  return (await Promise.all(signatures)).join(' ')
}

/** Expects a call to be signed with these secrets, the newest first, and with no others. */
async function expectSignedBy(secrets: readonly [string, ...string[]], call: Call): Promise<void> {
  expect(call.headers.get('x-signature')).toBe(await hmacOf(secrets[0], call.body))
  expect(call.headers.get('webhook-signature')).toBe(await signaturesBy(secrets, call))
}

describe('the signing secret', () => {
  it('is the same on every read, also if many read it first at the same time', async () => {
    const first = await Promise.all(Array.from({ length: 8 }, () => read(stage, PATH)))
    expect(new Set(first.map(({ secret }) => secret)).size).toBe(1)
    expect(first[0]).toEqual({
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      createdAt: stage.clock.now().toISOString(),
    })
    await pass(stage, DAY_MS)
    expect(await read(stage, PATH)).toEqual(first[0])
  })

  it('is the one that signed calls before anybody read it', async () => {
    const call = await callNow()
    await expectSignedBy([await readSecret()], call)
  })

  it('differs for each user: calls for the same planet differ, and neither verifies with the other secret', async () => {
    const [mine, own] = [await callNow(), await readSecret()]
    const other = await createAccount(stage.client, 'Eve')
    await createPlanet(stage.client, other, { name: 'Arrakis', successCallbackUrl: RECEIVER })
    await drain(stage.client)
    const theirs = stage.network.calls.at(-1)
    const { secret } = await read(stage, PATH, other)
    expect(secret).not.toBe(own)
    if (!theirs) throw new Error('nothing was sent')
    await expectSignedBy([secret], theirs)
    expect([verifies(own, mine), verifies(secret, theirs)]).toEqual([true, true])
    expect([verifies(secret, mine), verifies(own, theirs)]).toEqual([false, false])
  })

  it('is verified by the library of Standard Webhooks for five minutes, and no changed byte is accepted', async () => {
    const [call, secret] = [await callNow(), await readSecret()]
    expect(verifies(secret, call)).toBe(true)
    expect(verifies(secret, call, stage.clock.ms + 4 * MINUTE_MS)).toBe(true)
    expect(verifies(secret, call, stage.clock.ms + 6 * MINUTE_MS)).toBe(false)
    for (const changed of [
      { ...call, body: call.body.replace('Arrakis', 'arrakis') },
      { ...call, headers: new Headers({ ...headersOf(call), 'webhook-id': 'msg_other' }) },
      { ...call, headers: new Headers({ ...headersOf(call), 'webhook-timestamp': '1' }) },
    ]) {
      expect(verifies(secret, changed)).toBe(false)
    }
    // A signature of the body alone does not sign a message.
    const borrowed = new Headers({ ...headersOf(call), 'webhook-signature': `v1,${call.headers.get('x-signature')}` })
    expect(verifies(secret, { ...call, headers: borrowed })).toBe(false)
  })
})

describe('a rotation', () => {
  it('returns a new secret, and the end of the previous one', async () => {
    const old = await readSecret()
    await pass(stage, MINUTE_MS)
    const response = await ask(stage, 'POST', `${PATH}/rotate`)
    const rotated = await bodyOf(response)
    expect(rotated).toEqual({
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      createdAt: stage.clock.now().toISOString(),
      previousEndsAt: new Date(stage.clock.ms + DAY_MS).toISOString(),
    })
    expect(rotated.secret).not.toBe(old)
    expect(await read(stage, PATH)).toEqual(rotated)
  })

  it('signs with the new one at once, and for 24 hours also with the old one', async () => {
    const old = await readSecret()
    const now = await rotate()
    for (const ms of [0, DAY_MS - 1]) {
      await pass(stage, ms)
      const call = await callNow()
      await expectSignedBy([now, old], call)
      expect([verifies(now, call), verifies(old, call)]).toEqual([true, true])
    }
    await pass(stage, 1)
    const call = await callNow()
    await expectSignedBy([now], call)
    expect([verifies(now, call), verifies(old, call)]).toEqual([true, false])
    expect(await read(stage, PATH)).not.toHaveProperty('previousEndsAt')
  })

  it('soon after another ends the secret before the previous one', async () => {
    const first = await readSecret()
    const second = await rotate()
    await pass(stage, MINUTE_MS)
    const third = await rotate()
    const call = await callNow()
    await expectSignedBy([third, second], call)
    expect(verifies(first, call)).toBe(false)
  })

  it('of a secret that was never used has no previous one', async () => {
    const response = await ask(stage, 'POST', `${PATH}/rotate`)
    const { secret, ...rest } = await bodyOf(response)
    expect(rest).toEqual({ createdAt: stage.clock.now().toISOString() })
    await expectSignedBy([secret], await callNow())
    expect(await countRows('signing_secrets where user_id = (select max(id) from users)')).toBe(1)
  })

  it('also applies to retries', async () => {
    stage.network.answer = () => new Response(null, { status: 500 })
    const first = await callNow()
    const old = await readSecret()
    await expectSignedBy([old], first)
    const now = await rotate()
    await pass(stage, MINUTE_MS)
    await sweepAndDrain(stage)
    const [, second] = stage.network.calls
    if (!second) throw new Error('nothing was tried again')
    await expectSignedBy([now, old], second)
    expect(await readOnly(stage)).toMatchObject({ attempts: [{}, {}] })
  })

  it('does not change the secrets of other users or of subscriptions', async () => {
    const other = await createAccount(stage.client, 'Eve')
    const theirs = await read(stage, PATH, other)
    const { secret, url } = await subscribe(stage)
    await readSecret()
    await rotate()
    expect(await read(stage, PATH, other)).toEqual(theirs)
    await createPlanet(stage.client, stage.account, { name: 'News' })
    await drain(stage.client)
    const [call] = stage.network.to(url)
    if (!call) throw new Error('the subscription was not told')
    await expectSignedBy([secret], call)
  })
})

it('the secret can be read and rotated in XML', async () => {
  const ofXml = async (method: string, path: string) => {
    const headers = { ...authorization(stage.account), Accept: 'application/xml' }
    const response = await stage.client.send(path, { method, headers })
    expect(response.status).toBe(200)
    return await response.text()
  }
  const secret = await readSecret()
  expect(await ofXml('GET', PATH)).toContain(`><secret>${secret}</secret><createdAt>`)
  expect(await ofXml('POST', `${PATH}/rotate`)).toMatch(
    /<signingSecret [^>]+><secret>whsec_[^<]+<\/secret><createdAt>[^<]+<\/createdAt><previousEndsAt>/,
  )
})
