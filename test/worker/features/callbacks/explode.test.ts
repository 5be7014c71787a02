import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openD1 } from '../../../../src/db/port.ts'
import { authorization, bodyOf, createAccount, createPlanet } from '../../../support/app.ts'
import { drain } from '../../../support/callbacks.ts'
import { holdWrites } from '../../../support/held-database.ts'
import { makePicture } from '../../../support/pictures.ts'
import {
  ask,
  countRows,
  createStage,
  createTold,
  hmacOf,
  listLog,
  MINUTE_MS,
  pass,
  RECEIVER,
  read,
  type Stage,
  sweepAndDrain,
  variantOf,
  whileFailing,
} from './support.ts'

const FULL = {
  name: 'Alderaan — ünïcødé',
  tags: ['\\u0000', 'peaceful'],
  physicalProperties: { mass: 1.5, 'surface pressure': 1e-7 },
  satellites: [{ name: 'Delaya', orbit: { distance: 5 } }],
  successCallbackUrl: RECEIVER,
}

let stage: Stage

beforeEach(async () => {
  stage = await createStage()
})

afterEach(() => {
  vi.restoreAllMocks()
})

const explode = (id: number, headers: HeadersInit = {}) =>
  stage.client.send(`/planets/${id}/explode`, {
    method: 'POST',
    headers: { ...authorization(stage.account), ...Object.fromEntries(new Headers(headers)) },
  })

const callsOf = (event: string) => stage.network.calls.filter(({ headers }) => headers.get('x-galaxy-event') === event)

const answerWith = (status: number) => {
  stage.network.answer = () => new Response(null, { status })
}

describe('a planet that explodes', () => {
  it('is returned and sent in its last state, byte for byte, and is gone', async () => {
    const { id } = await createTold(stage, FULL)
    const last = await (await stage.client.get(`/planets/${id}`)).text()
    const response = await explode(id)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe(last)
    expect((await stage.client.get(`/planets/${id}`)).status).toBe(404)
    await drain(stage.client)
    const [call] = callsOf('planetExploded')
    expect(call).toMatchObject({ url: RECEIVER, method: 'POST', body: last })
    const { secret } = await read(stage, '/me/signing-secret')
    expect(call?.headers.get('x-signature')).toBe(await hmacOf(secret, last))
    expect(await listLog(stage, `&planetId=${id}&event=planetExploded`)).toMatchObject([{ status: 'delivered' }])
    expect((await explode(id)).status).toBe(404)
    expect(callsOf('planetExploded')).toHaveLength(1)
  })

  it('is sent in JSON even if the response is XML', async () => {
    const { id } = await createTold(stage, FULL)
    const response = await explode(id, { Accept: 'application/xml' })
    expect(await response.text()).toMatch(/^<\?xml [^>]+>\s*<planet /)
    await drain(stage.client)
    expect(JSON.parse(callsOf('planetExploded')[0]?.body ?? '')).toMatchObject({ id, name: FULL.name })
  })

  it('is removed with its image', async () => {
    const { id } = await createTold(stage)
    const { imageUrl } = await bodyOf(await stage.client.upload(`/planets/${id}/image`, makePicture(), stage.account))
    const path = new URL(imageUrl).pathname
    expect((await stage.client.get(path)).status).toBe(200)
    expect(await bodyOf(await explode(id))).toMatchObject({ image: imageUrl })
    expect((await stage.client.get(path)).status).toBe(404)
    expect(await env.IMAGES.head(path.split('/').at(-1) ?? '')).toBeNull()
    await drain(stage.client)
    expect(JSON.parse(callsOf('planetExploded')[0]?.body ?? '')).toMatchObject({ image: imageUrl })
  })

  it('without a URL sends no callback', async () => {
    const { id } = await createPlanet(stage.client, stage.account, { name: 'Silent' })
    expect((await explode(id)).status).toBe(200)
    await sweepAndDrain(stage)
    expect(stage.network.calls).toEqual([])
    expect(await countRows('events')).toBe(0)
  })

  it('is sent to its current URL', async () => {
    const { id } = await createTold(stage)
    const now = 'https://elsewhere.example/'
    await stage.client.sendJson('PUT', `/planets/${id}`, { name: 'Moved', successCallbackUrl: now }, stage.account)
    await explode(id)
    await drain(stage.client)
    expect(callsOf('planetExploded').map(({ url }) => url)).toEqual([now])
  })

  it('is not sent to a URL that was removed', async () => {
    const { id } = await createTold(stage)
    await stage.client.sendJson('PUT', `/planets/${id}`, { name: 'Quiet' }, stage.account)
    await explode(id)
    await drain(stage.client)
    expect(callsOf('planetExploded')).toEqual([])
  })

  it('still exists, and sends no callback, if the database fails in the middle', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { id } = await createTold(stage)
    await whileFailing('before delete on planets', async () => {
      expect((await explode(id)).status).toBe(500)
    })
    await sweepAndDrain(stage)
    expect(callsOf('planetExploded')).toEqual([])
    expect((await stage.client.get(`/planets/${id}`)).status).toBe(200)
    await whileFailing('before insert on deliveries', async () => {
      expect((await explode(id)).status).toBe(500)
    })
    expect((await stage.client.get(`/planets/${id}`)).status).toBe(200)
  })
})

describe('an explosion', () => {
  it('is allowed to the creator, with a key for planets, and to nobody else', async () => {
    const { id } = await createTold(stage)
    const other = await createAccount(stage.client, 'Eve')
    expect((await ask(stage, 'POST', `/planets/${id}/explode`, other)).status).toBe(403)
    expect((await stage.client.send(`/planets/${id}/explode`, { method: 'POST' })).status).toBe(401)
    const key = await stage.client.sendJson('POST', '/me/api-keys', { scopes: ['read:planets'] }, stage.account)
    const headers = { 'X-API-Key': (await bodyOf(key)).key }
    expect((await stage.client.send(`/planets/${id}/explode`, { method: 'POST', headers })).status).toBe(403)
    expect((await stage.client.get(`/planets/${id}`)).status).toBe(200)
    await drain(stage.client)
    expect(callsOf('planetExploded')).toEqual([])
  })

  it('with If-Match requires the current version', async () => {
    const { id } = await createTold(stage)
    const etag = (await stage.client.get(`/planets/${id}`)).headers.get('ETag') ?? ''
    await stage.client.sendJson(
      'PUT',
      `/planets/${id}`,
      { name: 'Changed', successCallbackUrl: RECEIVER },
      stage.account,
    )
    expect((await explode(id, { 'If-Match': etag })).status).toBe(412)
    expect((await stage.client.get(`/planets/${id}`)).status).toBe(200)
    await drain(stage.client)
    expect(callsOf('planetExploded')).toEqual([])
    const current = (await stage.client.get(`/planets/${id}`)).headers.get('ETag') ?? ''
    expect((await explode(id, { 'If-Match': current })).status).toBe(200)
  })
})

describe('a PUT that comes in between', () => {
  /** An explosion that has read the planet, and waits until something else has happened. */
  async function explodeAfter(id: number, between: () => Promise<unknown>, headers: HeadersInit = {}) {
    const { database, release } = holdWrites(openD1(env.DB))
    const response = variantOf(stage, { database }).send(`/planets/${id}/explode`, {
      method: 'POST',
      headers: { ...authorization(stage.account), ...Object.fromEntries(new Headers(headers)) },
    })
    await between()
    release()
    const answered = await response
    await drain(stage.client)
    return answered
  }

  const put = (id: number) =>
    stage.client.sendJson('PUT', `/planets/${id}`, { name: 'Newer', successCallbackUrl: RECEIVER }, stage.account)

  it('changes the planet that explodes', async () => {
    const { id } = await createTold(stage)
    const response = await explodeAfter(id, () => put(id))
    expect(response.status).toBe(200)
    expect(await bodyOf(response)).toMatchObject({ name: 'Newer' })
    expect(callsOf('planetExploded').map(({ body }) => JSON.parse(body).name)).toEqual(['Newer'])
  })

  it('prevents an explosion with If-Match', async () => {
    const { id } = await createTold(stage)
    const etag = (await stage.client.get(`/planets/${id}`)).headers.get('ETag') ?? ''
    const response = await explodeAfter(id, () => put(id), { 'If-Match': etag })
    expect(response.status).toBe(412)
    expect(callsOf('planetExploded')).toEqual([])
    expect(await bodyOf(await stage.client.get(`/planets/${id}`))).toMatchObject({ name: 'Newer' })
  })

  it('a DELETE leaves nothing to explode, and sends no callback', async () => {
    const { id } = await createTold(stage)
    const response = await explodeAfter(id, () => ask(stage, 'DELETE', `/planets/${id}`))
    expect(response.status).toBe(404)
    expect(callsOf('planetExploded')).toEqual([])
  })

  it('of two explosions at once one succeeds, and one callback is sent', async () => {
    const { id } = await createTold(stage)
    const response = await explodeAfter(id, () => explode(id))
    expect(response.status).toBe(404)
    expect(callsOf('planetExploded')).toHaveLength(1)
  })
})

describe('no callback is sent', () => {
  it('after a DELETE', async () => {
    const { id } = await createTold(stage)
    await ask(stage, 'DELETE', `/planets/${id}`)
    await sweepAndDrain(stage)
    expect(callsOf('planetExploded')).toEqual([])
    expect(stage.network.calls).toHaveLength(1)
  })

  it('after a 204', async () => {
    answerWith(204)
    const { id } = await createTold(stage)
    expect((await explode(id)).status).toBe(200)
    await pass(stage, MINUTE_MS)
    await sweepAndDrain(stage)
    expect(stage.network.calls).toHaveLength(1)
    expect(await listLog(stage)).toHaveLength(1)
  })

  it('after a 204 that comes while planetExploded waits for its next attempt', async () => {
    answerWith(500)
    const { id } = await createTold(stage)
    await explode(id)
    await drain(stage.client)
    expect((await listLog(stage)).map(({ status }) => status)).toEqual(['pending', 'pending'])
    stage.network.answer = ({ headers }) =>
      new Response(null, { status: headers.get('x-galaxy-event') === 'planetCreated' ? 204 : 500 })
    await pass(stage, MINUTE_MS)
    const { id: first } = (await listLog(stage, '&event=planetCreated'))[0]
    stage.queue.held.length = 0
    await ask(stage, 'POST', `/deliveries/${first}/redeliver`)
    await drain(stage.client)
    expect((await listLog(stage)).map(({ status }) => status)).toEqual(['delivered', 'cancelled'])
    await pass(stage, MINUTE_MS)
    await sweepAndDrain(stage)
    expect(callsOf('planetExploded')).toHaveLength(1)
  })

  it('to that URL alone, for that planet alone', async () => {
    answerWith(204)
    const { id } = await createTold(stage)
    const other = 'https://other.example/'
    await stage.client.sendJson('PUT', `/planets/${id}`, { name: 'Moved', successCallbackUrl: other }, stage.account)
    await explode(id)
    await drain(stage.client)
    expect(callsOf('planetExploded').map(({ url }) => url)).toEqual([other])
    const { id: second } = await createTold(stage, { name: 'Second' })
    expect(callsOf('planetCreated').map(({ body }) => JSON.parse(body).id)).toEqual([id, second])
  })

  it('but a 200 does not have this effect', async () => {
    answerWith(200)
    const { id } = await createTold(stage)
    await explode(id)
    await drain(stage.client)
    expect(callsOf('planetExploded')).toHaveLength(1)
  })
})
