import assert from 'node:assert/strict'
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
} from '#client/orval/client.ts'
import { newAccount, PICTURE, RECEIVER_TOKEN, readPages, receiveCall } from '../setting.ts'

const { email, password } = newAccount()
await createUser({ email, password })
const signIn = await getToken({ email, password })
assert.equal(signIn.status, 201)
const signedIn = { headers: { Authorization: `Bearer ${signIn.data.token}` } }

const created = await createPlanet(
  {
    name: 'Caladan',
    physicalProperties: { mass: 1.1, temperature: { average: 288, night: 280 }, surfacePressure: 1 },
    atmosphere: [{ compound: 'O2', percentage: 24, note: 'moist' }],
    satellites: [{ name: 'Elara' }],
  },
  signedIn,
)
assert.equal(created.status, 201)
const planet = created.data
assert.equal(planet.physicalProperties?.temperature?.night, 280)
assert.equal(planet.atmosphere?.[0]?.percentage, 24)

const sentBack = await updatePlanet(planet.id, { ...planet, type: 'super_earth' }, signedIn)
assert.equal(sentBack.status, 200)
assert.equal(sentBack.data.type, 'super_earth')

const list = await getAllData({ limit: 1 })
assert.equal(list.status, 200)
assert.equal(list.data.data[0]?.name.toUpperCase(), 'MERCURY')

const refused = await createPlanet({ name: '' }, signedIn)
assert.equal(refused.status, 400)
assert.equal(refused.data.errors?.[0]?.pointer, '/name')

const stranger = await deletePlanet(planet.id)
assert.equal(stranger.status, 401)
assert.equal(stranger.data.status, 401)

await readPages(async (offset) => {
  const page = await getAllData({ limit: 5, offset })
  return page.status === 200 ? page.data : undefined
})

const read = await getPlanet(planet.id)
const conditional = { headers: { ...signedIn.headers, 'If-Match': read.headers.get('ETag') ?? '' } }
const replaced = await updatePlanet(planet.id, { name: 'Dune' }, conditional)
assert.equal(replaced.status, 200)
assert.equal(replaced.data.name, 'Dune')
const outdated = await updatePlanet(planet.id, { name: 'Caladan' }, conditional)
assert.equal(outdated.status, 412)
assert.equal(outdated.data.status, 412)

const picture = await uploadImage(planet.id, { image: PICTURE }, signedIn)
assert.equal(picture.status, 200)
assert.equal(picture.data.mimeType, 'image/png')

const inbox = await createInbox()
assert.equal(inbox.status, 201)
const { id, url } = inbox.data
const webhook = await createWebhook(
  { url, events: ['newPlanet'], auth: { scheme: 'bearerAuth', token: RECEIVER_TOKEN } },
  signedIn,
)
assert.equal(webhook.status, 201)
assert.deepEqual(webhook.data.auth, { scheme: 'bearerAuth' })
await pingWebhook(webhook.data.id, signedIn)
await receiveCall(async () => {
  const page = await getInbox(id)
  return page.status === 200 ? page.data.data : undefined
})

await deleteWebhook(webhook.data.id, signedIn)
await deletePlanet(planet.id, signedIn)
const gone = await getPlanet(planet.id)
assert.equal(gone.status, 404)
assert.equal(gone.data.status, 404)
