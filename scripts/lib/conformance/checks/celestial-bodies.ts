import { type Check, checks, type Setting } from '../check.ts'
import { expectProblem, isSame } from '../expectations.ts'
import { CELESTIAL_BODY } from '../shapes.ts'
import { expectLocation } from './planet-writing.ts'

async function create({ world }: Setting, json: object) {
  const answer = await world.post('/celestial-bodies', { as: await world.credential(), json })
  answer.expectStatus(201).json(CELESTIAL_BODY)
  return answer
}

/** A body that is a planet is also found at `/planets`. */
async function checkPlanet(setting: Setting) {
  const { id } = (await create(setting, { name: 'Arrakis', type: 'terrestrial' })).json()
  const planet = (await setting.world.get(`/planets/${id}`)).expectStatus(200)
  planet.expect(planet.json().name === 'Arrakis', 'the planet Arrakis')
}

/** A moon becomes a satellite of the planet that its orbit names. */
async function checkMoon(setting: Setting) {
  const { world } = setting
  const planet = await world.makePlanet()
  const orbit = { planet: { id: planet.id }, orbitalPeriod: 2.5, distance: 3 }
  const answer = await create(setting, { name: 'Krelln', type: 'moon', orbit })
  const moon = answer.json()
  answer.expect(
    isSame(moon.orbit?.planet, { id: planet.id, name: planet.name }),
    `orbit.planet with the id ${planet.id}`,
  )
  const stored = (await world.get(`/planets/${planet.id}`)).expectStatus(200)
  const [satellite] = stored.json().satellites ?? []
  stored.expect(satellite?.id === moon.id && satellite.name === 'Krelln', `the satellite ${moon.id}`)
}

async function checkFreeMoon(setting: Setting) {
  const answer = await create(setting, { name: 'Wanderer', type: 'asteroid', orbit: { distance: 3 } })
  answer.expect(isSame(answer.json().orbit, { planet: {}, distance: 3 }), 'orbit.planet {}')
}

async function checkStar(setting: Setting) {
  const answer = await create(setting, { name: 'Canopus', type: 'star' })
  await expectLocation(setting, answer)
}

async function checkUnknownProperty({ world }: Setting) {
  const json = { name: 'Arrakis', spice: true }
  expectProblem(await world.post('/celestial-bodies', { as: await world.credential(), json }), 400)
}

async function checkJsonOnly({ world }: Setting) {
  const xml = '<celestialBody><name>Arrakis</name></celestialBody>'
  expectProblem(await world.post('/celestial-bodies', { as: await world.credential(), xml }), 415)
}

const withoutCredentials = async ({ world }: Setting) =>
  expectProblem(await world.post('/celestial-bodies', { json: { name: 'Arrakis' } }), 401)

export const celestialBodyChecks: Check[] = checks('POST /celestial-bodies', [
  ['401 without credentials', withoutCredentials],
  ['201 in JSON', (setting) => create(setting, { name: 'Arrakis' })],
  ['header Location', async (setting) => expectLocation(setting, await create(setting, { name: 'Arrakis' }))],
  ['a planet', checkPlanet],
  ['a moon of a planet', checkMoon],
  ['a body that belongs to no planet', checkFreeMoon],
  ['a star', checkStar],
  ['400 for an unknown property', checkUnknownProperty],
  ['415 for XML', checkJsonOnly],
])
