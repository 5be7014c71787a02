import { type Check, checks, type Setting } from '../check.ts'
import { expectProblem, HTTP_DATE, isSame } from '../expectations.ts'
import { NotTried } from '../failure.ts'
import type { World } from '../world.ts'

const HOUR_MS = 3_600_000

/** The universe of the run. */
function universeOf({ world }: Setting): World {
  if (world.rights !== 'everything') throw new NotTried('it needs a universe of its own, and the run was given a world')
  return world
}

async function checkDescription(setting: Setting) {
  const world = universeOf(setting)
  const answer = (await world.get('/universe')).expectStatus(200)
  const { url, seed, createdAt, expiresAt, limits, usage } = answer.json()
  answer.expect(url === world.url && seed === 'blank', `url ${world.url}, seed blank`)
  answer.expect(Date.parse(expiresAt) > Date.parse(createdAt), 'expiresAt after createdAt')
  const members = ['deliveries', 'imageBytes', 'images', 'inboxes', 'labRuns', 'planets', 'users']
  const isCounted = (value: object) => isSame(Object.keys(value ?? {}).toSorted(), members)
  answer.expect(isCounted(limits) && isCounted(usage), `limits and usage of ${members.join(', ')}`)
}

/**
 * The credentials of the universe are not valid in the common world. Each has endpoints that the other does not have.
 */
async function checkSeparate(setting: Setting) {
  const world = universeOf(setting)
  const { id } = await world.owner()
  const credential = await world.credential()
  const answer = await setting.common?.get('/me', { as: credential })
  if (answer) expectProblem(answer, 401)
  if (setting.common) expectProblem(await setting.common.get('/universe'), 404)
  expectProblem(await world.post('/universes'), 404)
  const me = (await world.get('/me', { as: credential })).expectStatus(200)
  me.expect(me.json().id === id, `the user ${id}`)
}

async function checkAddresses(setting: Setting) {
  const world = universeOf(setting)
  const { type } = expectProblem(await world.get('/no-such-path'), 404)
  const answer = (await world.get('/.well-known/openid-configuration')).expectStatus(200)
  answer.expect(answer.json().issuer === world.url, `the issuer ${world.url}`)
  answer.expect(type.startsWith(`${world.url}/`), `the type of a problem below ${world.url}`, type)
}

async function checkSunset(setting: Setting) {
  const world = universeOf(setting)
  ;(await world.get('/planets')).expectStatus(200).expectHeader('Sunset', HTTP_DATE)
  ;(await world.get('/no-such-path')).expectStatus(404).expectHeader('Sunset', HTTP_DATE)
}

async function checkOwner(setting: Setting) {
  const world = universeOf(setting)
  const stranger = await world.stranger()
  const json = { expiresAt: new Date(Date.now() + HOUR_MS).toISOString() }
  for (const [method, path] of [
    ['POST', '/universe/reset'],
    ['DELETE', '/universe'],
    ['PATCH', '/universe'],
  ] as const) {
    expectProblem(await world.send(method, path, { json }), 401)
    expectProblem(await world.send(method, path, { as: stranger.credential, json }), 403)
  }
}

async function checkPatch(setting: Setting) {
  const world = await setting.makeUniverse()
  const as = await world.credential()
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString()
  const answer = (await world.send('PATCH', '/universe', { as, json: { expiresAt } })).expectStatus(200)
  answer.expect(Date.parse(answer.json().expiresAt) === Date.parse(expiresAt), `expiresAt ${expiresAt}`)
  expectProblem(await world.send('PATCH', '/universe', { as, json: { expiresAt: '2000-01-01T00:00:00Z' } }), 400)
}

/** After a reset, the universe contains what it was made with. The owner keeps the account. */
async function checkReset(setting: Setting) {
  const world = await setting.makeUniverse()
  const as = await world.credential()
  const stranger = await world.signUp()
  const first = await world.makePlanet()
  const etag = (await world.get(`/planets/${first.id}`)).expectStatus(200).expectHeader('ETag')
  ;(await world.post('/universe/reset', { as })).expectStatus(204)
  expectProblem(await world.get(`/planets/${first.id}`), 404)
  expectProblem(await world.get('/me', { as: stranger.credential }), 401)
  const again = await world.makePlanet()
  const answer = await world.get(`/planets/${again.id}`, { headers: { 'If-None-Match': etag } })
  answer.expectStatus(200).expect(again.id === first.id, `ids that start over with ${first.id}`, `${again.id}`)
}

async function checkEnd(setting: Setting) {
  const world = await setting.makeUniverse()
  ;(await world.send('DELETE', '/universe', { as: await world.credential() })).expectStatus(204)
  expectProblem(await world.get('/planets'), 410)
  expectProblem(await world.get('/no-such-path'), 410)
}

export const universeChecks: Check[] = checks('Universes', [
  ['GET /universe', checkDescription],
  ['is separate from the common world', checkSeparate],
  ['URLs in its responses begin with its address', checkAddresses],
  ['header Sunset', checkSunset],
  ['only its owner manages it', checkOwner],
  ['PATCH /universe', checkPatch],
  ['POST /universe/reset', checkReset],
  ['DELETE /universe', checkEnd],
])
