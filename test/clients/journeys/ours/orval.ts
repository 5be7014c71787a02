import assert from 'node:assert/strict'
import { createPlanet, createUser, deletePlanet, getAllData, getToken, updatePlanet } from '#client/orval/client.ts'
import { newAccount } from '../setting.ts'

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
