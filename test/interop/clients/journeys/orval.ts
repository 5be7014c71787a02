import assert from 'node:assert/strict'
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
} from '#client/orval/client.ts'
import { newAccount, PICTURE } from './setting.ts'

const { name, email, password } = newAccount()

const stranger = await getMe()
assert.equal(stranger.status, 401)
assert.equal(stranger.data.status, 401)

const signUp = await createUser({ name, email, password })
assert.equal(signUp.status, 201)
assert.equal(signUp.data.name, name)

const signIn = await getToken({ email, password })
assert.equal(signIn.status, 201)
const signedIn = { headers: { Authorization: `Bearer ${signIn.data.token}` } }

const me = await getMe(signedIn)
assert.equal(me.status, 200)
assert.deepEqual(me.data, signUp.data)

const created = await createPlanet(
  {
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
  signedIn,
)
assert.equal(created.status, 201)
const { id } = created.data

const read = await getPlanet(id)
assert.equal(read.status, 200)
assert.deepEqual(read.data, created.data)
assert.equal(read.data.physicalProperties?.temperature?.night, 250)
assert.equal(read.data.satellites?.[0]?.orbit?.planet?.name, 'Arrakis')

const list = await getAllData({ limit: 2, offset: 1 })
assert.equal(list.status, 200)
assert.equal(list.data.data?.length, 2)
assert.equal(list.data.meta?.offset, 1)

const updated = await updatePlanet(
  id,
  { name: 'Arrakis', type: 'terrestrial', description: 'Dune', image: null },
  signedIn,
)
assert.equal(updated.status, 200)
assert.equal(updated.data.description, 'Dune')
assert.equal(updated.data.tags, undefined)

const uploaded = await uploadImage(id, { image: PICTURE }, signedIn)
assert.equal(uploaded.status, 200)
assert.equal(uploaded.data.mimeType, 'image/png')

const deleted = await deletePlanet(id, signedIn)
assert.equal(deleted.status, 204)

const gone = await getPlanet(id)
assert.equal(gone.status, 404)
assert.equal(gone.data.status, 404)
assert.ok(gone.data.detail)
