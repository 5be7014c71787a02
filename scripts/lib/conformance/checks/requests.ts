import { randomUUID } from 'node:crypto'
import { type Check, checks, reads, type Setting } from '../check.ts'
import { expectProblem, HTTP_DATE } from '../expectations.ts'

async function checkHead({ world }: Setting) {
  const { id } = await world.anyPlanet()
  const answer = (await world.send('HEAD', `/planets/${id}`)).expectStatus(200)
  answer.expectHeader('ETag')
  answer.expect(answer.bytes.length === 0, 'no body')
}

async function checkOptions({ world }: Setting) {
  const answer = (await world.send('OPTIONS', '/planets')).expectStatus(204)
  answer.expectHeader('Allow', /\bGET\b.*\bQUERY\b/)
  answer.expectHeader('Accept-Query', /application\/json.*application\/x-www-form-urlencoded/)
  const ofPlanet = (await world.send('OPTIONS', '/planets/1')).expectStatus(204)
  ofPlanet.expectHeader('Allow', /\bPATCH\b/)
  ofPlanet.expectHeader('Accept-Patch', /application\/merge-patch\+json.*application\/json-patch\+json/)
}

async function checkPreflight({ world }: Setting) {
  const headers = {
    Origin: 'https://page.example',
    'Access-Control-Request-Method': 'PUT',
    'Access-Control-Request-Headers': 'authorization,content-type',
  }
  const answer = (await world.send('OPTIONS', '/planets/1', { headers })).expectStatus(200, 204)
  answer.expectHeader('Access-Control-Allow-Origin', '*')
  answer.expectHeader('Access-Control-Allow-Methods', /\bPUT\b/)
  answer.expectHeader('Access-Control-Allow-Headers', /authorization|\*/i)
}

/** A page of another origin may read the response and its headers. */
async function checkCors({ world }: Setting) {
  const answer = (await world.get('/planets', { headers: { Origin: 'https://page.example' } })).expectStatus(200)
  answer.expectHeader('Access-Control-Allow-Origin', '*')
  const exposed = answer.expectHeader('Access-Control-Expose-Headers').toLowerCase()
  for (const name of ['x-request-id', 'x-pagination-total', 'location', 'etag', 'retry-after', 'link']) {
    answer.expect(exposed.includes(name), `the header ${name} exposed`, exposed)
  }
}

async function checkRequestId({ world }: Setting) {
  const id = randomUUID()
  const headers = { 'X-Request-ID': id }
  const answer = (await world.get('/planets', { headers })).expectStatus(200)
  answer.expectHeader('X-Request-ID', id)
  const refusal = (await world.get('/no-such-path', { headers })).expectStatus(404)
  const problem = refusal.json(undefined, /json/)
  refusal.expect(problem.instance === `urn:uuid:${id}`, `instance urn:uuid:${id}`, `${problem.instance}`)
}

/**
 * RFC 9110, section 6.6.1: on every response of a server that has a clock, also if there is nothing new, and on errors.
 */
async function checkDate({ world }: Setting) {
  const { id } = await world.anyPlanet()
  const answer = (await world.get(`/planets/${id}`)).expectStatus(200)
  answer.expectHeader('Date', HTTP_DATE)
  const headers = { 'If-None-Match': answer.expectHeader('ETag') }
  const unchanged = (await world.get(`/planets/${id}`, { headers })).expectStatus(304)
  unchanged.expectHeader('Date', HTTP_DATE)
  const refusal = (await world.get('/no-such-path')).expectStatus(404)
  refusal.expectHeader('Date', HTTP_DATE)
}

async function checkVary({ world }: Setting) {
  const answer = (await world.get('/planets')).expectStatus(200)
  answer.expectHeader('Vary', /\bAccept\b/i)
}

async function checkLink(setting: Setting) {
  const answer = (await (await setting.quiet()).get('/planets?limit=1&offset=1')).expectStatus(200)
  for (const relation of ['first', 'prev', 'next', 'last']) {
    answer.expectHeader('Link', new RegExp(`rel="?${relation}"?`))
  }
}

/** The format with the higher quality, JSON without a preference, and JSON for browsers. */
async function checkNegotiation({ world }: Setting) {
  const cases = [
    ['application/json;q=0.5, application/xml', 'application/xml'],
    ['application/xml;q=0.5, application/json', 'application/json'],
    ['*/*', 'application/json'],
    ['text/html,application/xml;q=0.9,*/*;q=0.8', 'application/json'],
    ['text/xml', 'text/xml'],
  ] as const
  for (const [accept, type] of cases) {
    const answer = (await world.get('/planets?limit=1', { headers: { Accept: accept } })).expectStatus(200)
    answer.expectHeader('Content-Type', {
      what: `${type} for Accept: ${accept}`,
      holds: (value) => value.startsWith(type),
    })
  }
}

async function checkNotModified({ world }: Setting) {
  const { id } = await world.anyPlanet()
  const path = `/planets/${id}`
  const answer = (await world.get(path)).expectStatus(200)
  const [etag, date] = [answer.expectHeader('ETag'), answer.expectHeader('Last-Modified')]
  const same = (await world.get(path, { headers: { 'If-None-Match': etag } })).expectStatus(304)
  same.expect(same.bytes.length === 0, 'no body')
  ;(await world.get(path, { headers: { 'If-Modified-Since': date } })).expectStatus(304)
  ;(await world.get(path, { headers: { 'If-None-Match': '"other"' } })).expectStatus(200)
  const xml = (await world.get(path, { headers: { Accept: 'application/xml' } })).expectStatus(200)
  xml.expect(xml.expectHeader('ETag') !== etag, 'another ETag for XML')
}

const readingChecks = reads('Requests and responses', [
  ['HEAD', checkHead],
  ['OPTIONS', checkOptions],
  ['preflight of a page of another origin', checkPreflight],
  ['pages of other origins may read', checkCors],
  ['X-Request-ID of the caller is kept', checkRequestId],
  ['Accept decides the format', checkNegotiation],
  ['header Date', checkDate],
  ['header Vary', checkVary],
  ['header Link on lists', checkLink],
  ['304 for what has not changed', checkNotModified],
])

async function checkPrecondition({ world }: Setting) {
  const as = await world.credential()
  const path = `/planets/${(await world.makePlanet()).id}`
  const etag = (await world.get(path)).expectStatus(200).expectHeader('ETag')
  const put = (condition: string, name: string) =>
    world.send('PUT', path, { as, json: { name }, headers: { 'If-Match': condition } })
  ;(await put(etag, 'Caladan')).expectStatus(200)
  expectProblem(await put(etag, 'Giedi Prime'), 412)
  expectProblem(await world.send('DELETE', path, { as, headers: { 'If-Match': etag } }), 412)
  ;(await put('*', 'Giedi Prime')).expectStatus(200)
  const stored = (await world.get(path)).expectStatus(200)
  stored.expect(stored.json().name === 'Giedi Prime', 'the name Giedi Prime')
}

/** Of writers with the same ETag one succeeds. */
async function checkRivals({ world }: Setting) {
  const as = await world.credential()
  const path = `/planets/${(await world.makePlanet()).id}`
  const headers = { 'If-Match': (await world.get(path)).expectStatus(200).expectHeader('ETag') }
  const names = ['Caladan', 'Giedi Prime', 'Ix']
  const answers = await Promise.all(names.map((name) => world.send('PUT', path, { as, json: { name }, headers })))
  const winners = answers.filter(({ status }) => status === 200)
  for (const answer of answers) if (!winners.includes(answer)) expectProblem(answer, 412)
  answers[0]?.expect(winners.length === 1, 'one of three writers with 200', `${winners.length}`)
}

async function checkIdempotency({ world }: Setting) {
  const as = await world.credential()
  const headers = { 'Idempotency-Key': randomUUID() }
  const send = (name: string) => world.post('/planets', { as, json: { name }, headers })
  const first = (await send('Arrakis')).expectStatus(201)
  first.expectNoHeader('Idempotency-Replayed')
  const second = (await send('Arrakis')).expectStatus(201)
  second.expectHeader('Idempotency-Replayed', 'true')
  second.expect(second.text === first.text, first.text)
  expectProblem(await send('Caladan'), 422)
}

export const requestChecks: Check[] = [
  ...readingChecks,
  ...checks('Requests and responses', [
    ['412 if a condition fails', checkPrecondition],
    ['of writers with the same ETag one succeeds', checkRivals],
    ['Idempotency-Key', checkIdempotency],
  ]),
]
