import assert from 'node:assert/strict'
import { client } from '#client/hey-api/client.gen.ts'
import {
  createInbox,
  createPlanet,
  createUser,
  createWebhook,
  deletePlanet,
  deleteWebhook,
  getAllData,
  getInbox,
  getPlanet,
  getToken,
  pingWebhook,
  updatePlanet,
  uploadImage,
} from '#client/hey-api/index.ts'
import { GALAXY_URL, newAccount, PICTURE, RECEIVER_TOKEN, readPages, receiveCall } from '../setting.ts'

const { email, password } = newAccount()
client.setConfig({ baseUrl: GALAXY_URL })
await createUser({ body: { email, password } })
const { data: signIn } = await getToken({ body: { email, password } })
assert.ok(signIn)
const { token } = signIn
const auth = ({ scheme }: { scheme?: string }) => (scheme === 'bearer' ? token : undefined)

const { data: planet } = await createPlanet({
  auth,
  body: {
    name: 'Caladan',
    physicalProperties: { mass: 1.1, temperature: { average: 288, night: 280 }, surfacePressure: 1 },
    atmosphere: [{ compound: 'O2', percentage: 24, note: 'moist' }],
    satellites: [{ name: 'Elara' }],
  },
})
assert.equal(planet?.physicalProperties?.temperature?.night, 280)
assert.equal(planet.atmosphere?.[0]?.percentage, 24)

const path = { planetId: planet.id }
const sentBack = await updatePlanet({ auth, path, body: { ...planet, type: 'super_earth' } })
assert.equal(sentBack.data?.type, 'super_earth')

const list = await getAllData({ query: { limit: 1 } })
assert.equal(list.data?.data[0]?.name.toUpperCase(), 'MERCURY')

const refused = await createPlanet({ auth, body: { name: '' } })
assert.equal(refused.error?.errors?.[0]?.pointer, '/name')

const stranger = await deletePlanet({ path })
assert.equal(stranger.error?.status, 401)

await readPages(async (offset) => (await getAllData({ query: { limit: 5, offset } })).data)

const { response } = await getPlanet({ path })
const headers = { 'If-Match': response?.headers.get('ETag') ?? '' }
const replaced = await updatePlanet({ auth, path, headers, body: { name: 'Dune' } })
assert.equal(replaced.data?.name, 'Dune')
const outdated = await updatePlanet({ auth, path, headers, body: { name: 'Caladan' } })
assert.equal(outdated.error?.status, 412)

const picture = await uploadImage({ auth, path, body: { image: PICTURE } })
assert.equal(picture.data?.mimeType, 'image/png')

const { data: inbox } = await createInbox()
assert.ok(inbox)
const { data: webhook } = await createWebhook({
  auth,
  body: { url: inbox.url, events: ['newPlanet'], auth: { scheme: 'bearerAuth', token: RECEIVER_TOKEN } },
})
assert.deepEqual(webhook?.auth, { scheme: 'bearerAuth' })
await pingWebhook({ auth, path: { webhookId: webhook.id } })
await receiveCall(async () => (await getInbox({ path: { inboxId: inbox.id } })).data?.data)

await deleteWebhook({ auth, path: { webhookId: webhook.id } })
await deletePlanet({ auth, path })
const gone = await getPlanet({ path })
assert.equal(gone.error?.status, 404)
