import { type Check, checks, reads, type Setting } from '../check.ts'
import { expectProblem } from '../expectations.ts'
import { parseXml, textOf } from '../xml.ts'
import { UNKNOWN_PLANET } from './planet-reading.ts'

// No planet has these ids either. Other rows expect 404 for `UNKNOWN_PLANET`. Different ids keep the rows independent:
// a service that responds wrongly for one id fails only the rows about this id.
const UNKNOWN_FOR_MEMBERS = UNKNOWN_PLANET - 1
const UNKNOWN_FOR_ORDER = UNKNOWN_PLANET - 2

const getUnknown = ({ world }: Setting, headers: Record<string, string> = {}) =>
  world.get(`/planets/${UNKNOWN_FOR_MEMBERS}`, { headers })

const PROBLEM_JSON = /^application\/problem\+json(;|$)/

/** Checks only one member. Each of the other members has its own row. */
async function checkMember(setting: Setting, name: string, isRight: (value: unknown, status: number) => boolean) {
  const answer = await getUnknown(setting)
  answer.expect(isRight(answer.json(undefined, PROBLEM_JSON)[name], answer.status), `the member ${name}`)
}

const isText = (value: unknown) => typeof value === 'string' && value !== ''

/** The type of an error is the URL of a page that explains the error. */
async function checkTypePage(setting: Setting) {
  const { world } = setting
  const { type } = (await getUnknown(setting)).json(undefined, PROBLEM_JSON)
  const page = (await world.get(type, { headers: { Accept: 'text/html' } })).expectStatus(200)
  page.expectHeader('Content-Type', /^text\/html/)
}

/** The root of a problem, which declares the namespace without a prefix or with the one that it has itself. */
const PROBLEM_ROOT = /<(?:problem\b[^>]*\sxmlns|(\w+):problem\b[^>]*\sxmlns:\1)\s*=\s*["']urn:ietf:rfc:7807["']/

async function checkXml(setting: Setting) {
  const answer = (await getUnknown(setting, { Accept: 'application/xml' })).expectStatus(404)
  answer.expectHeader('Content-Type', /^application\/problem\+xml(;|$)/)
  const root = parseXml(answer.text)
  answer.expect(root?.name === 'problem' && textOf(root, 'status') === '404', 'a problem in XML with the status 404')
  answer.expect(PROBLEM_ROOT.test(answer.text), 'the namespace urn:ietf:rfc:7807 (RFC 9457, appendix B)')
}

async function checkUnknownPath({ world }: Setting) {
  expectProblem(await world.get('/no-such-path'), 404)
}

async function checkMethod({ world }: Setting) {
  const answer = await world.get('/user/signup')
  expectProblem(answer, 405)
  answer.expectHeader('Allow', /\bPOST\b/)
}

async function checkNotAcceptable({ world }: Setting) {
  expectProblem(await world.get('/planets', { headers: { Accept: 'image/png' } }), 406)
}

const readingChecks = reads('Errors', [
  ['type (text)', (setting) => checkMember(setting, 'type', isText)],
  ['title (text)', (setting) => checkMember(setting, 'title', isText)],
  [
    'status (integer, equal to the HTTP status)',
    (setting) => checkMember(setting, 'status', (value, status) => value === status),
  ],
  ['detail (text)', (setting) => checkMember(setting, 'detail', isText)],
  ['type is a page that explains the error', checkTypePage],
  ['in XML', checkXml],
  ['404 for an unknown path', checkUnknownPath],
  ['405 with Allow', checkMethod],
  ['406 if no format is acceptable', checkNotAcceptable],
])

async function checkTooLarge({ world }: Setting) {
  const json = { name: 'Arrakis', description: 'x'.repeat(300 * 1024) }
  expectProblem(await world.post('/planets', { as: await world.credential(), json }), 413)
}

async function checkMediaType({ world }: Setting) {
  const headers = { 'Content-Type': 'text/csv' }
  expectProblem(await world.post('/planets', { as: await world.credential(), body: 'name', headers }), 415)
}

/** Entities are not expanded, and nothing is fetched. */
async function checkDoctype({ world }: Setting) {
  const xml = '<!DOCTYPE planet [<!ENTITY a "Arrakis">]><planet><name>&a;</name></planet>'
  expectProblem(await world.post('/planets', { as: await world.credential(), xml }), 400)
}

/** If a request has several faults, the order of refusals decides which of them the response names. */
async function checkOrder({ world }: Setting) {
  const { id } = await world.makePlanet()
  const unknown = `/planets/${UNKNOWN_FOR_ORDER}`
  const stranger = (await world.stranger()).credential
  const wrong = { body: '{', headers: { 'Content-Type': 'text/csv', Accept: 'image/png' } }
  expectProblem(await world.send('POST', `/planets/${id}`, wrong), 405)
  expectProblem(await world.send('PUT', `/planets/${id}`, wrong), 401)
  expectProblem(await world.send('PUT', `/planets/${id}`, { as: stranger, ...wrong }), 406)
  const csv = { body: '{', headers: { 'Content-Type': 'text/csv' } }
  expectProblem(await world.send('PUT', `/planets/${id}`, { as: stranger, ...csv }), 415)
  const broken = { body: '{', headers: { 'Content-Type': 'application/json' } }
  expectProblem(await world.send('PUT', unknown, { as: stranger, ...broken }), 400)
  const json = { name: 'Caladan' }
  expectProblem(await world.send('PUT', unknown, { as: stranger, json }), 404)
  const headers = { 'If-Match': '"stale"' }
  expectProblem(await world.send('PUT', `/planets/${id}`, { as: stranger, json, headers }), 403)
  expectProblem(await world.send('PUT', `/planets/${id}`, { as: await world.credential(), json, headers }), 412)
}

export const errorChecks: Check[] = [
  ...readingChecks,
  ...checks('Errors', [
    ['413 for a body that is too large', checkTooLarge],
    ['415 for another media type', checkMediaType],
    ['400 for XML with a DOCTYPE', checkDoctype],
    ['order of refusals', checkOrder],
  ]),
]
