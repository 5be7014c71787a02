import assert from 'node:assert/strict'
import { type Client, client as fetchClient, setConfig } from '@kubb/plugin-client/clients/fetch'
import {
  createInbox,
  createPlanet,
  createUser,
  createWebhook,
  deletePlanet,
  deleteWebhook,
  type GetPlanet404,
  getAllData,
  getInbox,
  getPlanet,
  getToken,
  pingWebhook,
  type UpdatePlanet412,
  updatePlanet,
  uploadImage,
} from '#client/kubb/index.ts'
import { GALAXY_URL, newAccount, PICTURE, RECEIVER_TOKEN, readPages, receiveCall } from '../setting.ts'

const { email, password } = newAccount()
setConfig({ baseURL: GALAXY_URL, headers: { 'Content-Type': 'application/json' } })
await createUser({ email, password })
const { token } = await getToken({ email, password })
setConfig({
  baseURL: GALAXY_URL,
  headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
})

const planet = await createPlanet({
  name: 'Caladan',
  physicalProperties: { mass: 1.1, temperature: { average: 288, night: 280 }, surfacePressure: 1 },
  atmosphere: [{ compound: 'O2', percentage: 24, note: 'moist' }],
  satellites: [{ name: 'Elara' }],
})
assert.equal(planet.physicalProperties?.temperature?.night, 280)
assert.equal(planet.atmosphere?.[0]?.percentage, 24)

const sentBack = await updatePlanet(planet.id, { ...planet, type: 'super_earth' })
assert.equal(sentBack.type, 'super_earth')

const list = await getAllData({ limit: 1 })
assert.equal(list.data[0]?.name.toUpperCase(), 'MERCURY')

await readPages((offset) => getAllData({ limit: 5, offset }))

/** Keeps the ETag of the latest response, and throws problems, which the client of kubb returns like any other body. */
let etag = ''
const client: Client = async (config) => {
  const response = await fetchClient<never>(config)
  etag = response.headers.get('ETag') ?? ''
  if (response.status >= 400) throw response.data
  return response
}
const problemOf = <Problem>(request: Promise<unknown>) =>
  request.then(
    () => assert.fail('no problem was thrown'),
    (problem: Problem) => problem,
  )

await getPlanet(planet.id, {}, { client })
const condition = { 'If-Match': etag }
assert.equal((await updatePlanet(planet.id, { name: 'Dune' }, condition, { client })).name, 'Dune')
const outdated = updatePlanet(planet.id, { name: 'Caladan' }, condition, { client })
assert.equal((await problemOf<UpdatePlanet412>(outdated)).status, 412)

const inbox = await createInbox()
const webhook = await createWebhook({
  url: inbox.url,
  events: ['newPlanet'],
  auth: { scheme: 'bearerAuth', token: RECEIVER_TOKEN },
})
assert.deepEqual(webhook.auth, { scheme: 'bearerAuth' })
// The call is made, but the client of kubb cannot read a 202 without a body.
await assert.rejects(pingWebhook(webhook.id), SyntaxError)
await receiveCall(async () => (await getInbox(inbox.id)).data)

// The type of a form comes from its body.
setConfig({ baseURL: GALAXY_URL, headers: { Authorization: `Bearer ${token}` } })
const picture = await uploadImage(planet.id, { image: PICTURE })
assert.equal(picture.mimeType, 'image/png')

await deleteWebhook(webhook.id)
await deletePlanet(planet.id)
assert.equal((await problemOf<GetPlanet404>(getPlanet(planet.id, {}, { client }))).status, 404)
