import { randomUUID } from 'node:crypto'
import type { Answer } from '../answer.ts'
import { type Check, checks, type Setting } from '../check.ts'
import { expectProblem, isSame } from '../expectations.ts'
import { PLANET } from '../shapes.ts'
import { UNKNOWN_PLANET } from './planet-reading.ts'

const FIELDS = { description: 'Dune', tags: ['desert'], satellites: [{ name: 'Krelln' }] }

/** Copies a planet, a new one by default. */
async function copy({ world }: Setting, headers: Record<string, string>, id?: unknown): Promise<Answer> {
  const path = `/planets/${id ?? (await world.makePlanet(FIELDS)).id}`
  return await world.send('COPY', path, { as: await world.credential(), headers })
}

/** Tries to copy a planet, and expects a refusal. */
async function refuse(setting: Setting, status: number, headers: Record<string, string>, id?: unknown) {
  return expectProblem(await copy(setting, headers, id), status)
}

async function checkNewPlanet(setting: Setting) {
  const { world } = setting
  const source = await world.makePlanet(FIELDS)
  const answer = await copy(setting, { Destination: '/planets' }, source.id)
  const planet = answer.expectStatus(201).json(PLANET)
  const isCopy = ['name', 'description', 'tags'].every((name) => isSame(planet[name], source[name]))
  answer.expect(isCopy && planet.id !== source.id, 'the members of the source, and an id of its own')
  const [moon] = planet.satellites ?? []
  answer.expect(moon?.name === 'Krelln' && moon.id !== source.satellites[0].id, 'a satellite with an id of its own')
  answer.expectHeader('Location', `${world.url}/planets/${planet.id}`)
  const stored = (await world.get(`/planets/${planet.id}`)).expectStatus(200)
  stored.expect(isSame(stored.json(PLANET), planet), 'the planet that the COPY has returned')
  stored.expectHeader('ETag', answer.expectHeader('ETag'))
}

async function checkOwnPlanet(setting: Setting) {
  const { world } = setting
  const own = await world.makePlanet({ name: 'Own', satellites: [{ name: 'Krelln' }] })
  const answer = await copy(setting, { Destination: `/planets/${own.id}` })
  const planet = answer.expectStatus(200).json(PLANET)
  answer.expectNoHeader('Location')
  answer.expect(planet.id === own.id && planet.description === 'Dune', 'the planet with the members of the source')
  answer.expect(planet.satellites[0].id === own.satellites[0].id, 'the id of the satellite whose name stays')
}

async function checkUnavailable(setting: Setting) {
  const { id } = await setting.world.makePlanet()
  const answer = await copy(setting, { Destination: '/planets/10000001' }, id)
  const { type, from, to } = expectProblem(answer, 409)
  answer.expect(String(type).endsWith('/problems/destination-unavailable'), 'the type destination-unavailable')
  answer.expect(Number(from) > Number(id) && Number.isInteger(to), 'the ids that a new planet can have')
}

async function checkRetry(setting: Setting) {
  const { id } = await setting.world.makePlanet()
  const headers = { Destination: '/planets', 'Idempotency-Key': randomUUID() }
  const first = (await copy(setting, headers, id)).expectStatus(201)
  const second = (await copy(setting, headers, id)).expectStatus(201)
  second.expectHeader('Idempotency-Replayed', 'true')
  second.expect(second.text === first.text, first.text)
  await refuse(setting, 422, { ...headers, Destination: '/planets/' }, id)
}

async function checkOthersPlanet(setting: Setting) {
  const { credential } = await setting.world.stranger()
  const { id } = await setting.world.makePlanet({}, credential)
  await refuse(setting, 412, { Destination: `/planets/${id}`, Overwrite: 'F' })
  await refuse(setting, 403, { Destination: `/planets/${id}` })
}

async function checkItself(setting: Setting) {
  const { id } = await setting.world.makePlanet()
  await refuse(setting, 403, { Destination: `/planets/${id}` }, id)
}

export const planetCopyChecks: Check[] = checks('COPY /planets/{planetId}', [
  [
    '401 without credentials',
    async ({ world }) => expectProblem(await world.send('COPY', `/planets/${UNKNOWN_PLANET}`, { as: {} }), 401),
  ],
  ['201 for a new planet, with Location and ETag', checkNewPlanet],
  ['200 for a planet of the caller', checkOwnPlanet],
  ['a retry with the same Idempotency-Key copies nothing, and Destination belongs to the key', checkRetry],
  ['400 without Destination', (setting) => refuse(setting, 400, {})],
  ['400 for another host', (setting) => refuse(setting, 400, { Destination: 'https://elsewhere.example/planets' })],
  ['403 for the source itself', checkItself],
  ['403 for a planet of another user, after 412 for Overwrite: F', checkOthersPlanet],
  ['404 NotFoundError', (setting) => refuse(setting, 404, { Destination: '/planets' }, UNKNOWN_PLANET)],
  ['409 destination-unavailable with the ids that a new planet can have', checkUnavailable],
  [
    '412 for a condition about the source',
    (setting) => refuse(setting, 412, { Destination: '/planets', 'If-Match': '"other"' }),
  ],
])
