import assert from 'node:assert/strict'
import { setConfig } from '@kubb/plugin-client/clients/fetch'
import { createPlanet, createUser, deletePlanet, getAllData, getToken, updatePlanet } from '#client/kubb/index.ts'
import { GALAXY_URL, newAccount } from '../setting.ts'

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

await deletePlanet(planet.id)
