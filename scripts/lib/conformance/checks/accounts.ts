import type { Answer } from '../answer.ts'
import { type Check, checks, type Setting } from '../check.ts'
import { bearer, keyInHeader } from '../credentials.ts'
import { expectProblem, expectProcessingTime, expectRequestId } from '../expectations.ts'
import { NotTried } from '../failure.ts'
import { USER } from '../shapes.ts'
import { textOf } from '../xml.ts'

/** Somebody signs up. @returns The 201 */
async function signUp({ world }: Setting, options: object = { json: world.invent() }): Promise<Answer> {
  return (await world.post('/user/signup', options)).expectStatus(201)
}

async function checkXml({ world }: Setting) {
  const { name, email, password } = world.invent()
  const xml = `<user><name>${name}</name><email>${email}</email><password>${password}</password></user>`
  const answer = await world.post('/user/signup', { xml, headers: { Accept: 'application/xml' } })
  const user = answer.expectStatus(201).xml('user')
  answer.expect(textOf(user, 'name') === name && Number(textOf(user, 'id')) > 0, `the name ${name}, and an id`)
}

async function refuse({ world }: Setting, status: number, changes: object, headers: Record<string, string> = {}) {
  expectProblem(await world.post('/user/signup', { json: { ...world.invent(), ...changes }, headers }), status)
}

async function checkTaken({ world }: Setting) {
  const { email } = await world.stranger()
  expectProblem(await world.post('/user/signup', { json: { ...world.invent(), email: email.toUpperCase() } }), 409)
}

/** `Location` is the address of the new user. */
async function checkLocation(setting: Setting) {
  const { world } = setting
  ;(await signUp(setting)).expectHeader('Location', `${world.url}/me`)
}

/**
 * Only an operator can cause some errors: a closed sign-up, a suspended account. A service with demo controls shows the
 * documented error on demand.
 */
export async function check403OnDemand({ world }: Setting, path: string, json: object) {
  const answer = await world.post(path, { json, headers: { Prefer: 'code=403' } })
  if (!answer.headers.has('Preference-Applied')) {
    throw new NotTried('only an operator can cause it, and the service shows no errors on demand (DEMO_CONTROLS)')
  }
  expectProblem(answer, 403)
}

export const signUpChecks: Check[] = checks('POST /user/signup', [
  ['201 for JSON, without credentials', async (setting) => (await signUp(setting)).json(USER)],
  ['201 for XML, in XML', checkXml],
  ['header X-Request-ID', async (setting) => expectRequestId(await signUp(setting))],
  ['header Location', checkLocation],
  ['header X-Processing-Time', async (setting) => expectProcessingTime(await signUp(setting))],
  ['400 BadRequestError', (setting) => refuse(setting, 400, { name: 7 })],
  ['401 UnauthorizedError', (setting) => refuse(setting, 401, {}, { Authorization: 'Bearer wrong' })],
  ['403 ForbiddenError', (setting) => check403OnDemand(setting, '/user/signup', setting.world.invent())],
  ['409 Conflict', checkTaken],
  ['422 UnprocessableEntity', (setting) => refuse(setting, 422, { password: 'short' })],
])

/** Signs up with changed members, and judges the user in the response. */
async function checkUserField(
  setting: Setting,
  changes: object,
  isRight: (user: Record<string, unknown>) => boolean,
  expected: string,
) {
  const answer = await signUp(setting, { json: { ...setting.world.invent(), ...changes } })
  answer.expect(isRight(answer.json(USER)), expected)
}

export const userFieldChecks: Check[] = checks('Fields of a user', [
  [
    'id is set by the service',
    (setting) => checkUserField(setting, { id: 1 }, ({ id }) => id !== 1, 'an id of its own'),
  ],
  ['name', (setting) => checkUserField(setting, { name: 'Chani 🪐' }, ({ name }) => name === 'Chani 🪐', 'the name')],
  ['name is not required', (setting) => checkUserField(setting, { name: undefined }, ({ name }) => !name, 'no name')],
  ['email is required', (setting) => refuse(setting, 400, { email: undefined })],
  ['email has the format of an address', (setting) => refuse(setting, 400, { email: 'a b@c' })],
  ['password is required', (setting) => refuse(setting, 400, { password: undefined })],
])

async function checkMe({ world }: Setting) {
  const { id } = await world.owner()
  const answer = (await world.get('/me', { as: await world.credential() })).expectStatus(200)
  answer.expect(answer.json(USER).id === id, `the user ${id}`)
}

async function check403({ world }: Setting) {
  expectProblem(await world.get('/me', { as: keyInHeader(await world.makeKey(['write:planets'])) }), 403)
}

async function check401({ world }: Setting) {
  expectProblem(await world.get('/me'), 401)
  const answer = await world.get('/me', { as: bearer('wrong-token') })
  expectProblem(answer, 401)
  answer.expectHeader('WWW-Authenticate', /\bBearer\b/)
}

export const meChecks: Check[] = checks('GET /me', [
  ['200', checkMe],
  ['401 UnauthorizedError', check401],
  ['403 ForbiddenError', check403],
])
