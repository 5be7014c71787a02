import type { Answer, Members } from '../answer.ts'
import { type Check, checks, type Row, type Setting } from '../check.ts'
import { expectProblem, isSame } from '../expectations.ts'
import { CELESTIAL_BODY, PLANET } from '../shapes.ts'
import { BODY_TYPES, type Field, PLANET_FIELDS, SATELLITE_FIELDS, SHARED_FIELDS } from './field-table.ts'

/** Before any run. */
const LONG_AGO = '2000-01-01T00:00:00Z'
/** No planet or user reaches this id, because ids are given in order. The ids of other bodies are higher. */
const WRONG_ID = 987_654_321

type Kind = { path: string; shape: typeof PLANET }

const AS_PLANET: Kind = { path: '/planets', shape: PLANET }
const AS_BODY: Kind = { path: '/celestial-bodies', shape: CELESTIAL_BODY }

async function create({ world }: Setting, kind: Kind, json: object): Promise<Answer> {
  return await world.post(kind.path, { as: await world.credential(), json: { name: 'Arrakis', ...json } })
}

/** Each valid value comes back in the response and from the store, and each invalid one is refused. */
async function checkField(setting: Setting, kind: Kind, { valid, invalid }: Field) {
  for (const sent of valid) {
    const answer = (await create(setting, kind, sent)).expectStatus(201)
    const body = answer.json(kind.shape)
    expectContains(answer, body, sent)
    const stored = (await setting.world.get(`${kind.path}/${body.id}`)).expectStatus(200)
    expectContains(stored, stored.json(kind.shape), sent)
  }
  for (const sent of invalid) expectProblem(await create(setting, kind, sent), 400)
}

function expectContains(answer: Answer, body: Members, sent: object): void {
  answer.expect(isSame(pick(body, sent), sent), `a body with ${JSON.stringify(sent)}`)
}

/** The members of a value that were also sent. The service adds others: ids of satellites, and planets of orbits. */
function pick(value: unknown, sent: unknown): unknown {
  if (Array.isArray(sent) && Array.isArray(value)) return value.map((item, index) => pick(item, sent[index]))
  const isObject = (one: unknown): one is Members => one !== null && typeof one === 'object' && !Array.isArray(one)
  if (!isObject(sent) || !isObject(value)) return value
  return Object.fromEntries(Object.entries(sent).map(([name, member]) => [name, pick(value[name], member)]))
}

/** Members that the service sets are accepted but ignored, so that a planet can be sent back as it was read. */
async function checkIgnored(
  setting: Setting,
  kind: Kind,
  sent: object,
  isRight: (body: Members) => boolean,
  expected: string,
) {
  const answer = (await create(setting, kind, sent)).expectStatus(201)
  answer.expect(isRight(answer.json(kind.shape)), expected)
}

/** The rows of fields that need more than values to accept and to refuse. */
function specialRows(kind: Kind): Row[] {
  return [
    ['id', (setting) => checkIgnored(setting, kind, { id: WRONG_ID }, ({ id }) => id !== WRONG_ID, 'an id of its own')],
    [
      'lastUpdated',
      (setting) =>
        checkIgnored(
          setting,
          kind,
          { lastUpdated: LONG_AGO },
          ({ lastUpdated }) => lastUpdated > '2001',
          'the current time',
        ),
    ],
    ['creator', (setting) => checkCreator(setting, kind)],
    ['satellites', (setting) => checkSatellites(setting, kind)],
    ['successCallbackUrl', (setting) => checkCallbackUrl(setting, kind, 'successCallbackUrl')],
    ['failureCallbackUrl', (setting) => checkCallbackUrl(setting, kind, 'failureCallbackUrl')],
  ]
}

async function checkCreator(setting: Setting, kind: Kind) {
  const { id } = await setting.world.owner()
  const sent = { creator: { id: WRONG_ID, name: 'Nobody' } }
  await checkIgnored(setting, kind, sent, ({ creator }) => creator?.id === id, `the creator ${id}`)
}

/** Each satellite gets an id, and names its planet. */
async function checkSatellites(setting: Setting, kind: Kind) {
  const satellites = [{ name: 'Krelln', orbit: { distance: 1 } }, { name: 'Arvon' }]
  await checkField(setting, kind, {
    name: '',
    valid: [{ satellites }, { satellites: [] }],
    invalid: [{ satellites: 'two' }],
  })
  const answer = (await create(setting, kind, { satellites })).expectStatus(201)
  const body = answer.json(kind.shape)
  const ids = body.satellites.map(({ id }: Members) => id)
  answer.expect(new Set(ids).size === 2, 'two satellites with ids of their own')
  answer.expect(body.satellites[0].orbit?.planet?.id === body.id, `orbit.planet.id ${body.id}`)
}

async function checkCallbackUrl(setting: Setting, kind: Kind, name: string) {
  const { url } = (await setting.world.inbox()).receiver()
  await checkField(setting, kind, { name, valid: [{ [name]: url }], invalid: [{ [name]: 'nowhere' }, { [name]: 7 }] })
}

const rowsOf = (kind: Kind, fields: readonly Field[]): Row[] =>
  fields.map((field) => [field.name, (setting) => checkField(setting, kind, field)])

async function checkUnknown(setting: Setting) {
  expectProblem(await create(setting, AS_PLANET, { spice: true }), 400)
}

/** The service sets `orbit.planet` and the id of a satellite. */
async function checkSatelliteOrbit(setting: Setting) {
  const sent = { satellites: [{ id: 7, name: 'Krelln', orbit: { planet: { name: 'Nowhere' }, distance: 1 } }] }
  const answer = (await create(setting, AS_PLANET, sent)).expectStatus(201)
  const { id, name, satellites } = answer.json(PLANET)
  answer.expect(isSame(satellites[0]?.orbit.planet, { id, name }), `orbit.planet {id: ${id}, name: ${name}}`)
  answer.expect(satellites[0]?.id !== 7, 'an id of its own')
}

export const fieldChecks: Check[] = [
  ...checks('Fields of a planet', [
    ...rowsOf(AS_PLANET, PLANET_FIELDS),
    ...specialRows(AS_PLANET),
    ['no other property', checkUnknown],
  ]),
  ...checks('Fields of a satellite', [
    ...rowsOf(AS_PLANET, SATELLITE_FIELDS),
    ['id and orbit.planet are set by the service', checkSatelliteOrbit],
  ]),
  ...checks('Fields of a celestial body', [
    ...rowsOf(AS_BODY, [...SHARED_FIELDS, BODY_TYPES]),
    ...specialRows(AS_BODY),
  ]),
]
