import assert from 'node:assert/strict'
import { client } from '#client/hey-api/client.gen.ts'
import {
  createPlanet,
  createUser,
  deletePlanet,
  getAllData,
  getMe,
  getPlanet,
  getToken,
  updatePlanet,
  uploadImage,
} from '#client/hey-api/index.ts'
import { GALAXY_URL, newAccount, PICTURE } from './setting.ts'

const { name, email, password } = newAccount()
client.setConfig({ baseUrl: GALAXY_URL })

const stranger = await getMe()
assert.equal(stranger.response?.status, 401)
assert.equal(stranger.error?.status, 401)

const signUp = await createUser({ body: { name, email, password } })
assert.equal(signUp.data?.name, name)

const signIn = await getToken({ body: { email, password } })
const token = signIn.data?.token
assert.ok(token)
client.setConfig({ auth: ({ scheme }) => (scheme === 'bearer' ? token : undefined) })

const me = await getMe()
assert.deepEqual(me.data, signUp.data)

const created = await createPlanet({
  body: {
    name: 'Arrakis',
    description: null,
    type: 'terrestrial',
    habitabilityIndex: 0.4,
    physicalProperties: {
      mass: 0.9,
      radius: 0.97,
      gravity: 0.9,
      temperature: { min: 200, max: 350, average: 300, night: 250 },
      surfacePressure: 1.1,
    },
    atmosphere: [{ compound: 'N2', percentage: 75.4, note: 'breathable' }],
    discoveredAt: '1965-08-01T00:00:00Z',
    satellites: [
      { name: 'Krelln', description: 'The first moon', diameter: 488, type: 'moon', orbit: { orbitalPeriod: 25.5 } },
    ],
    tags: ['desert', 'spice'],
    successCallbackUrl: 'https://receiver.example/success',
    failureCallbackUrl: 'https://receiver.example/failure',
  },
})
assert.equal(created.response?.status, 201)
assert.ok(created.data)
const path = { planetId: created.data.id }

const read = await getPlanet({ path })
assert.deepEqual(read.data, created.data)
assert.equal(read.data?.physicalProperties?.temperature?.night, 250)
assert.equal(read.data?.satellites?.[0]?.orbit?.planet?.name, 'Arrakis')

const list = await getAllData({ query: { limit: 2, offset: 1 } })
assert.equal(list.data?.data?.length, 2)
assert.equal(list.data?.meta?.offset, 1)

const updated = await updatePlanet({
  path,
  body: { name: 'Arrakis', type: 'terrestrial', description: 'Dune', image: null },
})
assert.equal(updated.data?.description, 'Dune')
assert.equal(updated.data?.tags, undefined)

const uploaded = await uploadImage({ path, body: { image: PICTURE } })
assert.equal(uploaded.data?.mimeType, 'image/png')

const deleted = await deletePlanet({ path })
assert.equal(deleted.response?.status, 204)
assert.equal(deleted.error, undefined)

const gone = await getPlanet({ path })
assert.equal(gone.response?.status, 404)
assert.equal(gone.error?.status, 404)
assert.ok(gone.error?.detail)
