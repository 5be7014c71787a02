import type { Answer } from '../answer.ts'
import { type Check, checks, type Setting } from '../check.ts'
import { keyInHeader } from '../credentials.ts'
import { expectProblem, expectProcessingTime, expectRequestId, isSame } from '../expectations.ts'
import { PLANET } from '../shapes.ts'
import { textOf } from '../xml.ts'
import { UNKNOWN_PLANET } from './planet-reading.ts'

const XML_OUT = { Accept: 'application/xml' }

/** Creates a planet. @returns The 201 */
async function create({ world }: Setting, options: object = { json: { name: 'Arrakis' } }): Promise<Answer> {
  return (await world.post('/planets', { as: await world.credential(), ...options })).expectStatus(201)
}

/** The header Location of a 201 leads to what was created. */
export async function expectLocation({ world }: Setting, answer: Answer): Promise<void> {
  const location = answer.expectHeader('Location', /^https?:/)
  answer.expect(location.startsWith(`${world.url}/`), `a Location below ${world.url}`, location)
  const { id } = answer.json()
  const found = (await world.get(location)).expectStatus(200)
  found.expect(found.json().id === id, `the id ${id}`)
}

async function checkXmlIn(setting: Setting) {
  const xml = '<planet><name>Arrakis</name><habitabilityIndex>0.5</habitabilityIndex><tags>desert</tags></planet>'
  const answer = await create(setting, { xml })
  const { name, habitabilityIndex, tags } = answer.json(PLANET)
  answer.expect(name === 'Arrakis' && habitabilityIndex === 0.5 && isSame(tags, ['desert']), 'the planet of the XML')
}

async function checkXmlOut(setting: Setting) {
  const answer = await create(setting, { json: { name: '007' }, headers: XML_OUT })
  answer.expect(textOf(answer.xml('planet'), 'name') === '007', 'the name 007')
}

/** A planet that is read in XML and sent back has the same members as before. */
async function checkXmlSame(setting: Setting) {
  const { world } = setting
  const json = {
    name: ' Arrakis ',
    description: null,
    physicalProperties: { mass: 0.1, temperature: { min: -3, night: 4 }, 'surface pressure': 2 },
    atmosphere: [{ compound: 'N2', percentage: 78, origin: 'spice' }],
    satellites: [{ name: 'Krelln', orbit: { distance: 1 } }],
    tags: ['<desert>'],
  }
  const { id } = await world.makePlanet(json)
  const path = `/planets/${id}`
  const before = (await world.get(path)).expectStatus(200).json()
  const { text } = (await world.get(path, { headers: XML_OUT })).expectStatus(200)
  const answer = await world.send('PUT', path, { as: await world.credential(), xml: text })
  const { lastUpdated: _, ...planet } = answer.expectStatus(200).json(PLANET)
  const { lastUpdated: __, ...expected } = before
  answer.expect(
    isSame(planet, expected),
    `what the planet was before it was sent back in XML: ${JSON.stringify(expected)}`,
  )
}

async function check403({ world }: Setting) {
  const as = keyInHeader(await world.makeKey(['read:planets']))
  expectProblem(await world.post('/planets', { as, json: { name: 'Arrakis' } }), 403)
}

async function check400({ world }: Setting) {
  const as = await world.credential()
  expectProblem(await world.post('/planets', { as, body: '{', headers: { 'Content-Type': 'application/json' } }), 400)
  const answer = await world.post('/planets', { as, json: { name: '', habitabilityIndex: 2 } })
  const pointers = expectProblem(answer, 400).errors?.map(({ pointer }: { pointer: string }) => pointer)
  answer.expect(isSame(pointers?.toSorted(), ['/habitabilityIndex', '/name']), 'an error for each of the two members')
  expectProblem(await world.post('/planets', { as, xml: '<planet><name>Arrakis</planet>' }), 400)
}

export const planetCreationChecks: Check[] = checks('POST /planets', [
  ['401 without credentials', async ({ world }) => expectProblem(await world.post('/planets', { json: {} }), 401)],
  ['201 for JSON', async (setting) => (await create(setting)).json(PLANET)],
  ['201 for XML', checkXmlIn],
  ['201 in XML', checkXmlOut],
  ['the same planet in JSON and XML', checkXmlSame],
  ['header X-Request-ID', async (setting) => expectRequestId(await create(setting))],
  ['header Location', async (setting) => expectLocation(setting, await create(setting))],
  ['header X-Processing-Time', async (setting) => expectProcessingTime(await create(setting))],
  ['400 BadRequestError', check400],
  ['403 ForbiddenError', check403],
])

/** Replaces a new planet. @returns The 200 */
async function replace({ world }: Setting, options: object): Promise<Answer> {
  const { id } = await world.makePlanet({ description: 'Dune', tags: ['desert'] })
  return (await world.send('PUT', `/planets/${id}`, { as: await world.credential(), ...options })).expectStatus(200)
}

async function checkReplacement(setting: Setting) {
  const answer = await replace(setting, { json: { name: 'Caladan', tags: ['sea'] } })
  const planet = answer.json(PLANET)
  answer.expect(planet.name === 'Caladan' && isSame(planet.tags, ['sea']), 'the new name and tags')
  answer.expect(planet.description === undefined, 'no description, because the new planet has none')
  const stored = await setting.world.get(`/planets/${planet.id}`)
  stored.expect(isSame(stored.expectStatus(200).json(PLANET), planet), 'the planet that the PUT has returned')
}

async function checkReplacementXml(setting: Setting) {
  const xml = '<planet><name>Caladan</name></planet>'
  const answer = await replace(setting, { xml, headers: XML_OUT })
  answer.expect(textOf(answer.xml('planet'), 'name') === 'Caladan', 'the name Caladan')
}

/** Tries to replace a planet, a new one by default, and expects a refusal. */
async function refuseReplacement({ world }: Setting, status: number, options: object, id?: number) {
  const path = `/planets/${id ?? (await world.makePlanet()).id}`
  expectProblem(await world.send('PUT', path, { as: await world.credential(), ...options }), status)
}

const asStranger = async ({ world }: Setting) => ({ as: (await world.stranger()).credential })

export const planetReplacementChecks: Check[] = checks('PUT /planets/{planetId}', [
  ['401 without credentials', (setting) => refuseReplacement(setting, 401, { as: {}, json: { name: 'Caladan' } })],
  ['200 for JSON', checkReplacement],
  ['200 for XML, in XML', checkReplacementXml],
  ['400 BadRequestError', (setting) => refuseReplacement(setting, 400, { json: { name: 7 } })],
  [
    '403 ForbiddenError',
    async (setting) => refuseReplacement(setting, 403, { ...(await asStranger(setting)), json: { name: 'Caladan' } }),
  ],
  ['404 NotFoundError', (setting) => refuseReplacement(setting, 404, { json: { name: 'Caladan' } }, UNKNOWN_PLANET)],
])

async function checkDeletion({ world }: Setting) {
  const { id } = await world.makePlanet()
  const answer = await world.send('DELETE', `/planets/${id}`, { as: await world.credential() })
  answer.expectStatus(204).expect(answer.bytes.length === 0, 'no body')
  expectProblem(await world.get(`/planets/${id}`), 404)
}

async function checkDeprecation({ world }: Setting) {
  const { id } = await world.makePlanet()
  const answer = await world.send('DELETE', `/planets/${id}`, { as: await world.credential() })
  answer.expectStatus(204).expectHeader('Deprecation', /^@\d+$/)
}

/** Tries to delete a planet, a new one by default, and expects a refusal. */
async function refuseDeletion({ world }: Setting, status: number, as: object, id?: number) {
  const path = `/planets/${id ?? (await world.makePlanet()).id}`
  expectProblem(await world.send('DELETE', path, { as }), status)
}

export const planetDeletionChecks: Check[] = checks('DELETE /planets/{planetId}', [
  ['401 without credentials', (setting) => refuseDeletion(setting, 401, {})],
  ['204', checkDeletion],
  ['deprecated', checkDeprecation],
  ['403 for another user', async (setting) => refuseDeletion(setting, 403, (await asStranger(setting)).as)],
  [
    '404 NotFoundError',
    async (setting) => refuseDeletion(setting, 404, await setting.world.credential(), UNKNOWN_PLANET),
  ],
])
