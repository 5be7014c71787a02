import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { paths } from '#client/openapi-typescript/schema.ts'
import { GALAXY_URL, newAccount, PICTURE, RECEIVER_TOKEN, readPages, receiveCall } from '../setting.ts'

const { email, password } = newAccount()
const client = createClient<paths>({ baseUrl: GALAXY_URL })
await client.POST('/user/signup', { body: { email, password } })
const { data: signIn } = await client.POST('/auth/token', { body: { email, password } })
assert.ok(signIn)
const headers = { Authorization: `Bearer ${signIn.token}` }

const { data: planet } = await client.POST('/planets', {
  headers,
  // TypeScript takes the type of the free keys for that of every key. openapi-typescript therefore refuses a member of another
  // type where it is written, unless an assertion says otherwise. Where it is read, it has its own type.
  body: {
    name: 'Caladan',
    physicalProperties: { mass: 1.1, temperature: { average: 288, night: 280 } as never, surfacePressure: 1 },
    atmosphere: [{ compound: 'O2', percentage: 24 as never, note: 'moist' }],
    satellites: [{ name: 'Elara' }],
  },
})
assert.equal(planet?.physicalProperties?.temperature?.night, 280)
assert.equal(planet.atmosphere?.[0]?.percentage, 24)

const params = { path: { planetId: planet.id } }
const sentBack = await client.PUT('/planets/{planetId}', { headers, params, body: { ...planet, type: 'super_earth' } })
assert.equal(sentBack.data?.type, 'super_earth')

const list = await client.GET('/planets', { params: { query: { limit: 1 } } })
assert.equal(list.data?.data[0]?.name.toUpperCase(), 'MERCURY')

const refused = await client.POST('/planets', { headers, body: { name: '' } })
assert.equal(refused.error?.errors?.[0]?.pointer, '/name')

const stranger = await client.DELETE('/planets/{planetId}', { params })
assert.equal(stranger.error?.status, 401)

await readPages(async (offset) => (await client.GET('/planets', { params: { query: { limit: 5, offset } } })).data)

const { response } = await client.GET('/planets/{planetId}', { params })
const conditional = { ...params, header: { 'If-Match': response.headers.get('ETag') ?? '' } }
const replaced = await client.PUT('/planets/{planetId}', { headers, params: conditional, body: { name: 'Dune' } })
assert.equal(replaced.data?.name, 'Dune')
const outdated = await client.PUT('/planets/{planetId}', { headers, params: conditional, body: { name: 'Caladan' } })
assert.equal(outdated.error?.status, 412)

const picture = await client.POST('/planets/{planetId}/image', {
  headers,
  params,
  // The document says `string` of binary content, and openapi-fetch writes what this function returns.
  body: { image: '' },
  bodySerializer() {
    const form = new FormData()
    form.append('image', PICTURE)
    return form
  },
})
assert.equal(picture.data?.mimeType, 'image/png')

const { data: inbox } = await client.POST('/inboxes')
assert.ok(inbox)
const { data: webhook } = await client.POST('/webhooks', {
  headers,
  body: { url: inbox.url, events: ['newPlanet'], auth: { scheme: 'bearerAuth', token: RECEIVER_TOKEN } },
})
assert.deepEqual(webhook?.auth, { scheme: 'bearerAuth' })
const ofWebhook = { headers, params: { path: { webhookId: webhook.id } } }
await client.POST('/webhooks/{webhookId}/ping', ofWebhook)
const ofInbox = { params: { path: { inboxId: inbox.id } } }
await receiveCall(async () => (await client.GET('/inboxes/{inboxId}', ofInbox)).data?.data)

await client.DELETE('/webhooks/{webhookId}', ofWebhook)
await client.DELETE('/planets/{planetId}', { headers, params })
const gone = await client.GET('/planets/{planetId}', { params })
assert.equal(gone.error?.status, 404)
