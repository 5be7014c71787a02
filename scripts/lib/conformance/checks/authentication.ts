import { type Check, checks, type Row, type Setting } from '../check.ts'
import { basic, bearer, type Credential, keyInCookie, keyInHeader, keyInQuery } from '../credentials.ts'
import { expectProblem } from '../expectations.ts'
import { getClientToken, getUserToken } from '../oauth.ts'
import type { World } from '../world.ts'
import { pictureForm } from './images.ts'

/** A scheme, and what a caller sends in it. */
interface Scheme {
  name: string
  make(world: World): Promise<Credential>
  /** A credential of this scheme that is not valid. */
  wrong: Credential
}

const WRONG_KEY = `glx_${'0'.repeat(43)}`

const SCHEMES: Scheme[] = [
  { name: 'bearerAuth', make: (world) => world.bearer(), wrong: bearer('wrong-token') },
  { name: 'basicAuth', make: getBasic, wrong: basic('nobody@example.com', 'wrong-password') },
  { name: 'apiKeyQuery', make: async (world) => keyInQuery(await world.makeKey()), wrong: keyInQuery(WRONG_KEY) },
  { name: 'apiKeyHeader', make: async (world) => keyInHeader(await world.makeKey()), wrong: keyInHeader(WRONG_KEY) },
  { name: 'apiKeyCookie', make: async (world) => keyInCookie(await world.makeKey()), wrong: keyInCookie(WRONG_KEY) },
  { name: 'oAuth2', make: (world) => getClientToken(world, SCOPES), wrong: bearer('wrong-access-token') },
  { name: 'openIdConnect', make: getOpenId, wrong: bearer('wrong-id-token') },
]

const SCOPES = 'read:account write:planets'

async function getBasic(world: World): Promise<Credential> {
  const { email, password } = await world.owner()
  return basic(email, password)
}

async function getOpenId(world: World): Promise<Credential> {
  return await getUserToken(world, await world.owner(), `openid ${SCOPES}`)
}

/** Calls each of the ten endpoints that accepts all seven schemes. */
async function checkScheme({ world }: Setting, { make, wrong }: Scheme) {
  const as = await make(world)
  const { id } = await world.makePlanet({}, as)
  const path = `/planets/${id}`
  ;(await world.send('PUT', path, { as, json: { name: 'Caladan' } })).expectStatus(200)
  ;(await world.post(`${path}/image`, { as, body: pictureForm() })).expectStatus(200)
  ;(await world.post('/celestial-bodies', { as, json: { name: 'Krelln', type: 'moon' } })).expectStatus(201)
  ;(await world.send('DELETE', path, { as })).expectStatus(204)
  expectProblem(await world.post('/planets', { as: wrong, json: { name: 'Arrakis' } }), 401)
}

const schemeChecks = checks(
  'Authentication',
  SCHEMES.map((scheme) => [`${scheme.name} opens every secured endpoint`, (setting) => checkScheme(setting, scheme)]),
)

async function checkMe({ world }: Setting, { make, wrong }: Scheme) {
  const answer = (await world.get('/me', { as: await make(world) })).expectStatus(200)
  answer.expect(answer.json().id === (await world.owner()).id, 'the caller')
  expectProblem(await world.get('/me', { as: wrong }), 401)
}

const isAcceptedByMe = ({ name }: Scheme) => !['apiKeyCookie', 'openIdConnect'].includes(name)

async function refuseCookie({ world }: Setting) {
  expectProblem(await world.get('/me', { as: keyInCookie(await world.makeKey()) }), 401)
}

/** `GET /me` needs a token with the scope `read:account`. `openid` alone is not enough. */
async function refuseOpenId({ world }: Setting) {
  const as = await getUserToken(world, await world.owner(), 'openid')
  expectProblem(await world.get('/me', { as }), 401, 403)
}

const meSchemeChecks = checks('Authentication of GET /me', [
  ...SCHEMES.filter(isAcceptedByMe).map(
    (scheme): Row => [`accepts ${scheme.name}`, (setting) => checkMe(setting, scheme)],
  ),
  ['does not accept apiKeyCookie', refuseCookie],
  ['does not accept openIdConnect', refuseOpenId],
])

/**
 * 401 for a wrong credential, and 403 for a missing scope. Requests without credentials, and of other users, have rows
 * at each endpoint.
 */
async function checkPermission({ world }: Setting) {
  const { id } = await world.makePlanet()
  const path = `/planets/${id}`
  const json = { name: 'Caladan' }
  expectProblem(await world.send('PUT', path, { as: bearer('wrong-token'), json }), 401)
  const answer = await world.send('PUT', path, { as: keyInHeader(await world.makeKey(['read:planets'])), json })
  expectProblem(answer, 403)
  answer.expectHeader('WWW-Authenticate', /insufficient_scope/)
}

async function ignoreWrong({ world }: Setting) {
  const as = bearer('wrong-token')
  ;(await world.get('/planets', { as })).expectStatus(200)
  const { id } = await world.anyPlanet()
  ;(await world.get(`/planets/${id}`, { as })).expectStatus(200)
}

async function checkChallenge({ world }: Setting) {
  const answer = await world.post('/celestial-bodies', { as: bearer('wrong-token'), json: { name: 'Arrakis' } })
  answer.expectHeader('WWW-Authenticate', /\bBearer\b/)
}

/** One valid credential is enough, even if the request also has a wrong one. */
async function checkSeveral({ world }: Setting) {
  const headers = { ...(await world.credential()).headers, 'X-API-Key': WRONG_KEY }
  ;(await world.post('/planets', { headers, json: { name: 'Arrakis' } })).expectStatus(201)
}

const ruleChecks = checks('Authentication', [
  ['401 for a failed authentication, 403 for a missing scope', checkPermission],
  ['401 has a challenge', checkChallenge],
  ['reading planets needs no credentials and ignores wrong ones', ignoreWrong],
  ['one valid credential is enough', checkSeveral],
])

export const authenticationChecks: Check[] = [...schemeChecks, ...meSchemeChecks, ...ruleChecks]
