import type { Answer } from '../answer.ts'
import { type Check, reads, type Setting } from '../check.ts'
import { expectCacheControl, expectProblem, expectRequestId, HTTP_DATE } from '../expectations.ts'
import { PLANET } from '../shapes.ts'
import { textOf } from '../xml.ts'

/** No planet has this id, because ids are given in order. */
export const UNKNOWN_PLANET = 999_999_999

async function getPlanet({ world }: Setting, headers: Record<string, string> = {}): Promise<Answer> {
  const { id } = await world.anyPlanet()
  return (await world.get(`/planets/${id}`, { headers })).expectStatus(200)
}

async function checkXml({ world }: Setting) {
  const { id, name } = await world.anyPlanet()
  const answer = await world.get(`/planets/${id}`, { headers: { Accept: 'application/xml' } })
  const root = answer.expectStatus(200).xml('planet')
  answer.expect(textOf(root, 'id') === String(id), `the id ${id}`)
  answer.expect(textOf(root, 'name') === name, `the name ${name}`)
}

async function checkUnknown({ world }: Setting) {
  expectProblem(await world.get(`/planets/${UNKNOWN_PLANET}`), 404)
  for (const id of ['0', '-1', 'Mars', '1.5', '01']) expectProblem(await world.get(`/planets/${id}`), 404)
}

async function checkEtag(setting: Setting) {
  const answer = await getPlanet(setting)
  answer.expectHeader('ETag', /^"[^"]+"$/)
}

export const planetReadingChecks: Check[] = reads('GET /planets/{planetId}', [
  ['200 in JSON, without credentials', async (setting) => (await getPlanet(setting)).json(PLANET)],
  ['200 in XML', checkXml],
  ['header X-Request-ID', async (setting) => expectRequestId(await getPlanet(setting))],
  ['header ETag', checkEtag],
  ['header Last-Modified', async (setting) => (await getPlanet(setting)).expectHeader('Last-Modified', HTTP_DATE)],
  ['header X-Cache-Control', async (setting) => expectCacheControl(await getPlanet(setting))],
  ['404 NotFoundError', checkUnknown],
])
