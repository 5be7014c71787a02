import { randomUUID } from 'node:crypto'
import type { Answer } from '../answer.ts'
import { type Check, checks, type Setting } from '../check.ts'
import { expectProblem, isSame } from '../expectations.ts'
import { PLANET } from '../shapes.ts'
import { UNKNOWN_PLANET } from './planet-reading.ts'

const MERGE_PATCH = 'application/merge-patch+json'
const JSON_PATCH = 'application/json-patch+json'

/** A patch as the options of a request. */
const patchOf = (type: string, patch: unknown) => ({ body: JSON.stringify(patch), headers: { 'Content-Type': type } })
const merging = (patch: unknown) => patchOf(MERGE_PATCH, patch)
const operating = (...operations: object[]) => patchOf(JSON_PATCH, operations)

/** Patches a planet, a new one by default. */
async function patch({ world }: Setting, options: object, id?: number): Promise<Answer> {
  const path = `/planets/${id ?? (await world.makePlanet({ description: 'Dune', tags: ['desert'] })).id}`
  return await world.send('PATCH', path, { as: await world.credential(), ...options })
}

/** Tries to patch a planet, a new one by default, and expects a refusal. */
async function refusePatch(setting: Setting, status: number, options: object, id?: number) {
  return expectProblem(await patch(setting, options, id), status)
}

async function checkMergePatch(setting: Setting) {
  const answer = await patch(setting, merging({ name: 'Caladan', description: null }))
  const planet = answer.expectStatus(200).json(PLANET)
  answer.expect(planet.name === 'Caladan' && planet.description === undefined, 'the new name, and no description')
  answer.expect(isSame(planet.tags, ['desert']), 'the tags as they were')
  const stored = await setting.world.get(`/planets/${planet.id}`)
  stored.expect(isSame(stored.expectStatus(200).json(PLANET), planet), 'the planet that the PATCH has returned')
}

async function checkJsonPatch(setting: Setting) {
  const operations = [
    { op: 'test', path: '/description', value: 'Dune' },
    { op: 'add', path: '/tags/-', value: 'spice' },
    { op: 'move', from: '/description', path: '/name' },
  ]
  const answer = await patch(setting, operating(...operations))
  const planet = answer.expectStatus(200).json(PLANET)
  answer.expect(planet.name === 'Dune' && planet.description === undefined, 'the description as the name')
  answer.expect(isSame(planet.tags, ['desert', 'spice']), 'one more tag')
}

async function checkConflict(setting: Setting) {
  const { world } = setting
  const { id } = await world.makePlanet({ description: 'Dune' })
  const operations = [
    { op: 'replace', path: '/description', value: 'Sand' },
    { op: 'test', path: '/description', value: 'Dune' },
  ]
  const answer = await patch(setting, operating(...operations), Number(id))
  const { type } = expectProblem(answer, 409)
  answer.expect(String(type).endsWith('/problems/patch-conflict'), 'the type patch-conflict')
  const stored = await world.get(`/planets/${id}`)
  stored.expect(stored.expectStatus(200).json().description === 'Dune', 'the description as it was')
}

async function checkInvalidResult(setting: Setting) {
  const answer = await patch(setting, merging({ name: null }))
  const { errors } = expectProblem(answer, 422)
  answer.expect(Array.isArray(errors) && errors.some(({ pointer }) => pointer === '/name'), 'the pointer /name')
}

async function checkRetry(setting: Setting) {
  const { id } = await setting.world.makePlanet({ tags: ['desert'] })
  const append = operating({ op: 'add', path: '/tags/-', value: 'spice' })
  const options = { ...append, headers: { ...append.headers, 'Idempotency-Key': randomUUID() } }
  const first = (await patch(setting, options, Number(id))).expectStatus(200)
  const second = (await patch(setting, options, Number(id))).expectStatus(200)
  second.expectHeader('Idempotency-Replayed', 'true')
  second.expect(second.text === first.text, first.text)
  const stored = (await setting.world.get(`/planets/${id}`)).expectStatus(200)
  stored.expect(isSame(stored.json(PLANET).tags, ['desert', 'spice']), 'one more tag')
}

async function checkMediaType(setting: Setting) {
  const answer = await patch(setting, { json: { name: 'Caladan' } })
  expectProblem(answer, 415)
  answer.expectHeader('Accept-Patch', /application\/merge-patch\+json/)
  answer.expectHeader('Accept-Patch', /application\/json-patch\+json/)
}

async function checkOrder(setting: Setting, status: number, options: object) {
  const broken = patchOf(JSON_PATCH, { not: 'a list' })
  await refusePatch(setting, status, {
    ...broken,
    ...options,
    headers: { ...broken.headers, ...Object(options).headers },
  })
}

export const planetPatchChecks: Check[] = checks('PATCH /planets/{planetId}', [
  ['401 without credentials', async (setting) => void (await refusePatch(setting, 401, { ...merging({}), as: {} }))],
  ['200 for a merge patch', checkMergePatch],
  ['200 for a JSON Patch', checkJsonPatch],
  ['a retry with the same Idempotency-Key is not applied again', checkRetry],
  ['400 for a patch that is none', (setting) => checkOrder(setting, 400, {})],
  [
    '403 for another user, before 400',
    async (setting) => checkOrder(setting, 403, { as: (await setting.world.stranger()).credential }),
  ],
  [
    '404 NotFoundError',
    async (setting) => void (await refusePatch(setting, 404, merging({ name: 'Caladan' }), UNKNOWN_PLANET)),
  ],
  ['409 patch-conflict, and nothing stored', checkConflict],
  ['412, before 400', (setting) => checkOrder(setting, 412, { headers: { 'If-Match': '"other"' } })],
  ['415 with Accept-Patch', checkMediaType],
  ['422 with pointers into the planet', checkInvalidResult],
])
