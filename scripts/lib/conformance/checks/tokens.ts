import { createPublicKey, verify } from 'node:crypto'
import type { Answer, Members } from '../answer.ts'
import { type Check, checks, type Setting } from '../check.ts'
import { bearer } from '../credentials.ts'
import { expectProblem } from '../expectations.ts'
import { Failure, NotTried } from '../failure.ts'
import { TOKEN, USER } from '../shapes.ts'
import type { World } from '../world.ts'
import { textOf } from '../xml.ts'
import { check403OnDemand } from './accounts.ts'

/** More attempts would take a server too long: it hashes each password. */
const ATTEMPTS_MAX = 60

async function credentialsOf(world: World): Promise<{ email: string; password: string }> {
  const { email, password } = await world.stranger()
  return { email, password }
}

async function getToken({ world }: Setting): Promise<Answer> {
  return (await world.post('/auth/token', { json: await credentialsOf(world) })).expectStatus(201)
}

async function checkXml({ world }: Setting) {
  const { email, password } = await credentialsOf(world)
  const xml = `<credentials><email>${email}</email><password>${password}</password></credentials>`
  const answer = await world.post('/auth/token', { xml, headers: { Accept: 'application/xml' } })
  const token = textOf(answer.expectStatus(201).xml('token'), 'token')
  answer.expect(token?.split('.').length === 3, 'a token')
}

/** The token is a JWT that the public keys verify, and it says who is calling. */
async function checkToken(setting: Setting) {
  const { world } = setting
  const answer = await getToken(setting)
  const { token } = answer.json(TOKEN)
  const [header = '', payload = '', signature = ''] = token.split('.')
  const { alg, kid } = read(header)
  const { iss, exp } = read(payload)
  answer.expect(alg === 'RS256' && iss === world.url && exp > Date.now() / 1000, `RS256, iss ${world.url} and exp`)
  const { keys } = (await world.get('/.well-known/jwks.json')).expectStatus(200).json()
  const key = keys.find((one: Members) => one.kid === kid)
  answer.expect(key !== undefined, `a key ${kid} in /.well-known/jwks.json`, `${keys.length} others`)
  const signed = Buffer.from(`${header}.${payload}`)
  const isValid = verify('sha256', signed, createPublicKey({ key, format: 'jwk' }), Buffer.from(signature, 'base64url'))
  answer.expect(isValid, 'a token that the key verifies')
  const me = (await world.get('/me', { as: bearer(token) })).expectStatus(200)
  me.expect(me.json(USER).id === (await world.stranger()).id, 'the user who has signed in')
}

const read = (part: string): Members => JSON.parse(Buffer.from(part, 'base64url').toString())

async function refuse({ world }: Setting, status: number, changes: object) {
  const json = { ...(await credentialsOf(world)), ...changes }
  return expectProblem(await world.post('/auth/token', { json }), status)
}

/** Nobody can tell whether an e-mail address or its password is wrong. */
async function check401(setting: Setting) {
  const wrong = await refuse(setting, 401, { password: 'wrong-password' })
  const unknown = await refuse(setting, 401, setting.world.invent())
  const same = wrong.detail === unknown.detail && wrong.title === unknown.title
  const expected = 'the same title and detail for an unknown e-mail address and a wrong password'
  if (!same) throw new Failure(expected, `${JSON.stringify(unknown)} and ${JSON.stringify(wrong)}`)
}

/** Uses up the attempts, in a universe that nothing else uses. */
async function check429(setting: Setting) {
  const world = await setting.makeUniverse()
  const attempt = () => world.post('/auth/token', { json: world.invent() })
  const first = await attempt()
  const limit = Number(first.expectStatus(401).expectHeader('X-RateLimit-Limit', /^\d+$/))
  if (limit > ATTEMPTS_MAX) return await check429OnDemand(world, limit)
  let answer = first
  for (let count = 1; count <= limit && answer.status === 401; count++) answer = await attempt()
  expectProblem(answer, 429)
  answer.expectHeader('Retry-After', /^\d+$/)
  answer.expectHeader('X-RateLimit-Remaining', '0')
}

async function check429OnDemand(world: World, limit: number) {
  const answer = await world.post('/auth/token', { json: world.invent(), headers: { Prefer: 'code=429' } })
  if (!answer.headers.has('Preference-Applied')) throw new NotTried(`it would take more than ${limit} attempts`)
  expectProblem(answer, 429)
}

export const tokenChecks: Check[] = checks('POST /auth/token', [
  ['201 for JSON, without credentials', async (setting) => (await getToken(setting)).json(TOKEN)],
  ['201 for XML', checkXml],
  ['token: a JWT that is used as a bearer token', checkToken],
  ['400 BadRequestError', (setting) => refuse(setting, 400, { password: 7 })],
  ['401 UnauthorizedError', check401],
  ['403 ForbiddenError', (setting) => check403OnDemand(setting, '/auth/token', setting.world.invent())],
  ['429 TooManyRequestsError', check429],
])

export const credentialsFieldChecks: Check[] = checks('Fields of credentials', [
  ['email is required', (setting) => refuse(setting, 400, { email: undefined })],
  ['email has the format of an address', (setting) => refuse(setting, 400, { email: 'nobody' })],
  ['password is required', (setting) => refuse(setting, 400, { password: undefined })],
])
