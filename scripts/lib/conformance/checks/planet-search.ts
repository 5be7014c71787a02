import { randomUUID } from 'node:crypto'
import type { Answer, Members } from '../answer.ts'
import { type Check, checks, reads, type Setting } from '../check.ts'
import type { RequestOptions } from '../client.ts'
import { expectProblem, isSame } from '../expectations.ts'
import { PLANET_LIST } from '../shapes.ts'

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
/** The longest query string of `GET /planets/search`, in bytes. */
const SEARCH_MAX = 8192
const ACCEPT_QUERY = /application\/json.*application\/x-www-form-urlencoded/

type Query = Record<string, string | number | readonly string[]>

type Ask = (setting: Setting, query: Query, options?: RequestOptions) => Promise<Answer>

/** A query as parameters: a list of types is repeated, and a list of fields is separated by commas. */
function parametersOf({ type = [], fields, ...single }: Query): URLSearchParams {
  const fieldList = fields === undefined ? [] : [['fields', String(fields)]]
  const types = [type].flat().map((value) => ['type', String(value)])
  return new URLSearchParams([
    ...Object.entries(single).map(([name, value]) => [name, String(value)]),
    ...fieldList,
    ...types,
  ])
}

const byParameters: Ask = ({ world }, query, options) => world.get(`/planets?${parametersOf(query)}`, options)

const byQueryString: Ask = ({ world }, query, options) =>
  world.get(`/planets/search?${encodeURIComponent(JSON.stringify(query))}`, options)

const byJson: Ask = ({ world }, query, options) => world.send('QUERY', '/planets', { ...options, json: query })

const byForm: Ask = ({ world }, query, { headers } = {}) =>
  world.send('QUERY', '/planets', { body: String(parametersOf(query)), headers: { ...FORM, ...headers } })

/**
 * Creates planets whose names have a part that no other name has. In order of name they are the third, the first and
 * the second, whatever the case of their letters, and the third has neither type nor habitability index.
 */
async function makeThree({ world }: Setting): Promise<{ part: string; ids: [number, number, number] }> {
  const part = randomUUID()
  const make = async (name: string, more: object) => Number((await world.makePlanet({ name, ...more })).id)
  const third = await make(`${part} Zeta`, { description: 'without type and index' })
  const first = await make(`${part} alpha%`, { type: 'terrestrial', habitabilityIndex: 0.25 })
  const second = await make(`${part} BETA`, { type: 'gas_giant', habitabilityIndex: 0.75 })
  return { part, ids: [first, second, third] }
}

const expectAcceptQuery = (answer: Answer) => void answer.expectStatus(200).expectHeader('Accept-Query', ACCEPT_QUERY)

const pageOf = (answer: Answer): Members => answer.expectStatus(200).json(PLANET_LIST)

/** Which planets a query finds, in their order. */
async function expectFound(setting: Setting, query: Query, ids: readonly number[]) {
  const answer = await byParameters(setting, query)
  const { data, meta } = pageOf(answer)
  answer.expect(isSame(idsOf(data), ids), `the planets ${ids.join(', ') || '(none)'}`)
  answer.expect(meta.total === ids.length, `meta.total ${ids.length}`)
}

const idsOf = (planets: Members[]): number[] => planets.map(({ id }) => id)

async function checkName(setting: Setting) {
  const { part, ids } = await makeThree(setting)
  const [first, second, third] = ids
  await expectFound(setting, { name: part }, [third, first, second])
  await expectFound(setting, { name: `${part} ALPHA` }, [first])
  await expectFound(setting, { name: `${part} alpha_` }, [])
}

async function checkType(setting: Setting) {
  const { part: name, ids } = await makeThree(setting)
  const [first, second] = ids
  await expectFound(setting, { name, type: ['gas_giant'] }, [second])
  await expectFound(setting, { name, type: ['gas_giant', 'terrestrial'] }, [first, second])
}

async function checkIndex(setting: Setting) {
  const { part: name, ids } = await makeThree(setting)
  const [first, second] = ids
  await expectFound(setting, { name, minHabitabilityIndex: 0 }, [first, second])
  await expectFound(setting, { name, minHabitabilityIndex: 0.75 }, [second])
}

async function checkSort(setting: Setting) {
  const { part: name, ids } = await makeThree(setting)
  const [first, second, third] = ids
  await expectFound(setting, { name, sort: 'name' }, [first, second, third])
  await expectFound(setting, { name, sort: '-name' }, [third, second, first])
  await expectFound(setting, { name, sort: 'habitabilityIndex' }, [first, second, third])
  await expectFound(setting, { name, sort: '-habitabilityIndex' }, [second, first, third])
}

async function checkFields(setting: Setting) {
  const { part: name } = await makeThree(setting)
  const answer = await byParameters(setting, { name, type: ['gas_giant'], fields: ['type', 'tags'] })
  const [planet = {}] = pageOf(answer).data
  const members = Object.keys(planet).toSorted()
  answer.expect(isSame(members, ['id', 'lastUpdated', 'name', 'type']), 'only id, lastUpdated, name and type')
}

/** What stays is met exactly once, whatever comes and goes meanwhile. */
async function checkCursor(setting: Setting) {
  const { world } = setting
  const { part: name, ids } = await makeThree(setting)
  const [first, second, third] = ids
  const query = { name, sort: 'name', limit: 1 }
  const start = await byParameters(setting, query)
  const { data, meta } = pageOf(start)
  start.expect(isSame(idsOf(data), [first]), `the planet ${first}`)
  start.expect(typeof meta.nextCursor === 'string', 'a text in meta.nextCursor')
  await world.makePlanet({ name: `${name} a` })
  const removed = await world.send('DELETE', `/planets/${first}`, { as: await world.credential() })
  removed.expectStatus(200, 204)
  const rest = await byParameters(setting, { ...query, limit: 10, cursor: meta.nextCursor })
  const last = pageOf(rest)
  rest.expect(isSame(idsOf(last.data), [second, third]), `the planets ${second}, ${third}`)
  rest.expect(last.meta.nextCursor === null, 'meta.nextCursor null at the end')
  const foreign = await byParameters(setting, { ...query, sort: '-name', cursor: meta.nextCursor })
  expectFaults(foreign, '/cursor')
}

/** A 400 that names each fault. */
function expectFaults(answer: Answer, ...pointers: string[]) {
  const { errors } = expectProblem(answer, 400)
  const found = Array.isArray(errors) ? errors.map(({ pointer }) => pointer).toSorted() : errors
  answer.expect(isSame(found, pointers.toSorted()), `errors at ${pointers.join(', ')}`)
}

async function checkFaults(setting: Setting) {
  const faulty = { type: ['terrestrial', 'round'], minHabitabilityIndex: '1.5', sort: 'mass', fields: 'name,colour' }
  const pointers = ['/type/1', '/minHabitabilityIndex', '/sort', '/fields/1']
  expectFaults(await byParameters(setting, faulty), ...pointers)
  expectFaults(await setting.world.get('/planets?name=a&name=b'), '/name')
  expectFaults(await setting.world.get('/planets?sort='), '/sort')
  ;(await setting.world.get('/planets?limit=1&nmae=a')).expectStatus(200)
}

/** A page that does not change, whoever uses the world: nobody has planets of this name. */
async function checkNotModified(ask: Ask, setting: Setting) {
  const query = { name: randomUUID() }
  const etag = (await ask(setting, query)).expectStatus(200).expectHeader('ETag', /^"[^"]+"$/)
  const same = (await ask(setting, query, { headers: { 'If-None-Match': etag } })).expectStatus(304)
  same.expect(same.bytes.length === 0, 'no body')
}

export const planetFilterChecks: Check[] = [
  ...checks('GET /planets', [
    ['query name', checkName],
    ['query type', checkType],
    ['query minHabitabilityIndex', checkIndex],
    ['query sort', checkSort],
    ['query fields', checkFields],
    ['query cursor, meta.nextCursor', checkCursor],
  ]),
  ...reads('GET /planets', [
    ['400 with pointers to all faults of a filter', checkFaults],
    ['304 for the ETag of a page', (setting) => checkNotModified(byParameters, setting)],
    ['header Accept-Query', async (setting) => expectAcceptQuery(await setting.world.get('/planets?limit=1'))],
  ]),
]

/** Asks for the same in another way, page by page. */
async function expectSamePages(ask: Ask, setting: Setting) {
  const { part: name } = await makeThree(setting)
  const query = { name, type: ['terrestrial', 'gas_giant'], sort: '-name', fields: ['type'], limit: 1 }
  const { meta } = await expectSamePage(ask, setting, query)
  await expectSamePage(ask, setting, { ...query, offset: 1 })
  await expectSamePage(ask, setting, { ...query, cursor: meta.nextCursor })
}

async function expectSamePage(ask: Ask, setting: Setting, query: Query): Promise<Members> {
  const { data, meta } = pageOf(await byParameters(setting, query))
  const answer = await ask(setting, query)
  const page = pageOf(answer)
  answer.expect(data.length === 1 && isSame(page.data, data), 'the planets of GET /planets')
  answer.expect(page.meta.total === meta.total, `meta.total ${meta.total}`)
  answer.expect(page.meta.nextCursor === meta.nextCursor, `meta.nextCursor ${meta.nextCursor}`)
  return page
}

async function checkNoJson({ world }: Setting) {
  for (const search of ['name=Mars', '%5B%5D', 'null', '%7B', '%FF', '%']) {
    const answer = await world.get(`/planets/search?${search}`)
    const { type } = expectProblem(answer, 400)
    answer.expect(String(type).endsWith('/problems/invalid-query'), 'the type invalid-query')
  }
}

async function checkMembers(ask: Ask, setting: Setting) {
  expectFaults(await ask(setting, { nmae: 'Mars', type: ['round'] }), '/nmae', '/type/0')
}

/** A query string that has exactly so many bytes: JSON with spaces at its end. */
function queryStringOf(bytes: number): string {
  const write = (name: string) => encodeURIComponent(JSON.stringify({ name: `${name}${randomUUID()}` }))
  const shortest = write('')
  const space = '%20'
  const json = write('a'.repeat((bytes - shortest.length) % space.length))
  return json + space.repeat((bytes - json.length) / space.length)
}

async function checkTooLong({ world }: Setting) {
  ;(await world.get(`/planets/search?${queryStringOf(SEARCH_MAX)}`)).expectStatus(200)
  const answer = await world.get(`/planets/search?${queryStringOf(SEARCH_MAX + 1)}`)
  const { type } = expectProblem(answer, 414)
  answer.expect(String(type).endsWith('/problems/uri-too-long'), 'the type uri-too-long')
}

/** Both the whole list and what a JSON object without members asks for. */
async function checkEverything({ world }: Setting) {
  for (const path of ['/planets/search', '/planets/search?', '/planets/search?%7B%7D']) {
    const answer = await world.get(path)
    answer.expect(pageOf(answer).meta.limit === 10, 'a page of the whole list')
  }
}

export const planetSearchChecks: Check[] = [
  ...checks('GET /planets/search', [
    ['200 with the pages of GET /planets', (setting) => expectSamePages(byQueryString, setting)],
  ]),
  ...reads('GET /planets/search', [
    ['200 for no query', checkEverything],
    ['304 for the ETag of a page', (setting) => checkNotModified(byQueryString, setting)],
    ['400 for what is no JSON object', checkNoJson],
    ['400 with pointers to all faults', (setting) => checkMembers(byQueryString, setting)],
    ['414 above 8,192 bytes', checkTooLong],
  ]),
]

async function checkLocation(setting: Setting) {
  const { part: name } = await makeThree(setting)
  const query = { name, sort: 'name', limit: 1 }
  const { meta } = await expectEquivalent(setting, query, 'limit', 'offset')
  await expectEquivalent(setting, { ...query, cursor: meta.nextCursor }, 'limit', 'cursor')
}

/** The Location of a QUERY is a GET with the same bytes, and has these parameters. */
async function expectEquivalent(setting: Setting, query: Query, ...parameters: string[]): Promise<Members> {
  const answer = await byJson(setting, query)
  const page = pageOf(answer)
  const location = answer.expectHeader('Location', /^https?:\/\/[^?]+\/planets\?/)
  const found = new URL(location).searchParams
  for (const parameter of parameters) answer.expect(found.has(parameter), `${parameter} in Location`, location)
  answer.expectNoHeader('Content-Location')
  const equivalent = (await setting.world.get(location)).expectStatus(200)
  equivalent.expect(equivalent.text === answer.text, answer.text)
  equivalent.expectHeader('ETag', answer.expectHeader('ETag'))
  return page
}

async function checkNoType({ world }: Setting) {
  // A body of bytes gets no Content-Type.
  expectProblem(await world.send('QUERY', '/planets', { body: Buffer.from('{}') }), 400)
  expectProblem(await world.send('QUERY', '/planets'), 400)
}

async function checkEmpty({ world }: Setting) {
  expectProblem(await world.send('QUERY', '/planets', { headers: { 'Content-Type': 'application/json' } }), 400)
  pageOf(await world.send('QUERY', '/planets', { headers: FORM }))
}

async function checkUrl({ world }: Setting) {
  expectFaults(await world.send('QUERY', '/planets?sort=name&limit=1', { json: {} }), '/sort', '/limit')
  ;(await world.send('QUERY', '/planets?other=1', { json: {} })).expectStatus(200)
}

async function checkMediaType({ world }: Setting) {
  for (const type of ['application/xml', 'text/plain', 'application/merge-patch+json', 'application/vnd.query+json']) {
    const answer = await world.send('QUERY', '/planets', { body: '{}', headers: { 'Content-Type': type } })
    expectProblem(answer, 415)
    answer.expectHeader('Accept', ACCEPT_QUERY)
  }
}

/** QUERY reads only, but a run with `--read-only` sends only methods that every server knows. */
export const planetQueryChecks: Check[] = checks('QUERY /planets', [
  ['200 for JSON, with the pages of GET /planets', (setting) => expectSamePages(byJson, setting)],
  ['200 for a form, with the pages of GET /planets', (setting) => expectSamePages(byForm, setting)],
  ['header Location: the equivalent GET', checkLocation],
  ['header Accept-Query', async (setting) => expectAcceptQuery(await byJson(setting, { limit: 1 }))],
  ['304 for the ETag of a page', (setting) => checkNotModified(byJson, setting)],
  ['400 without a Content-Type', checkNoType],
  ['400 for empty JSON, 200 for an empty form', checkEmpty],
  ['400 with pointers to all faults of JSON', (setting) => checkMembers(byJson, setting)],
  ['400 with pointers to all faults of a form', (setting) => checkMembers(byForm, setting)],
  ['400 for a filter in the URL', checkUrl],
  ['415 with Accept', checkMediaType],
])
