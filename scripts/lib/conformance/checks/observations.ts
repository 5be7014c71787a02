import type { Answer } from '../answer.ts'
import { type Check, checks, type Setting } from '../check.ts'
import type { Credential } from '../credentials.ts'
import { expectProblem } from '../expectations.ts'
import { until } from '../until.ts'
import { PIXEL } from './images.ts'
import { UNKNOWN_PLANET } from './planet-reading.ts'

const IMAGE_MAX_BYTES = 5 * 1024 * 1024
/** How long a batch takes at most on an idle machine. */
const COMPLETED_MAX_MS = 10_000
const TYPE = 'multipart/mixed; boundary=batch'
const META = { observer: 'Conformance' }

interface Batch {
  id?: number
  as?: Credential
  meta?: object
  image?: Uint8Array
  headers?: Record<string, string>
}

function writeBatch(meta: object, image: Uint8Array): Uint8Array<ArrayBuffer> {
  const part = (type: string) => `--batch\r\nContent-Type: ${type}\r\n\r\n`
  const start = `${part('application/json')}${JSON.stringify(meta)}\r\n${part('image/png')}`
  return Uint8Array.from(Buffer.concat([Buffer.from(start), image, Buffer.from('\r\n--batch--\r\n')]))
}

async function upload(
  { world }: Setting,
  { id, as, meta = META, image = PIXEL, headers }: Batch = {},
): Promise<Answer> {
  const planetId = id ?? (await world.makePlanet()).id
  return await world.post(`/planets/${planetId}/observations`, {
    as: as ?? (await world.credential()),
    body: writeBatch(meta, image),
    headers: { 'Content-Type': TYPE, ...headers },
  })
}

async function checkBatch(setting: Setting) {
  const { world } = setting
  const accepted = (await upload(setting)).expectStatus(202)
  const as = await world.credential()
  const location = accepted.expectHeader('Location')
  const completed = await until(async () => {
    const batch = (await world.get(location, { as })).expectStatus(200)
    return batch.json().status === 'completed' ? batch : undefined
  }, COMPLETED_MAX_MS)
  const answer = completed ?? (await world.get(location, { as }))
  answer.expect(completed !== undefined, 'the status completed')
  const { observations, batchId } = answer.json()
  answer.expect(batchId === accepted.json().batchId, 'the id of the receipt')
  answer.expect(
    observations.length === 1 && observations[0].mediaType === 'image/png' && observations[0].fileSize === PIXEL.length,
    'one image, which is image/png',
  )
}

async function checkReceipt(setting: Setting) {
  const answer = (await upload(setting)).expectStatus(202)
  answer.expectHeader('Location', /\/observations\/[-0-9a-f]{36}$/)
  answer.expectHeader('Retry-After', '1')
  answer.expect(answer.json().accepted === 1, 'accepted 1')
}

async function checkWait(setting: Setting) {
  const answer = (await upload(setting, { headers: { Prefer: 'wait=10' } })).expectStatus(200)
  answer.expectHeader('Preference-Applied', 'wait=10')
  answer.expect(answer.json().status === 'completed', 'the status completed')
}

async function check400(setting: Setting) {
  const { errors } = expectProblem(
    await upload(setting, { meta: { observer: '', count: 2 }, image: Buffer.alloc(0) }),
    400,
  )
  const pointers = errors?.map(({ pointer }: { pointer: string }) => pointer).toSorted()
  if (String(pointers) !== '/0/count,/0/observer,/1') throw new Error(`the pointers are ${pointers}`)
}

async function checkOthers(setting: Setting) {
  const { world } = setting
  const location = (await upload(setting)).expectStatus(202).expectHeader('Location')
  const { credential: as } = await world.stranger()
  expectProblem(await world.get(location, { as }), 404)
}

async function check415(setting: Setting) {
  const answer = await upload(setting, { headers: { 'Content-Type': 'multipart/form-data; boundary=batch' } })
  expectProblem(answer, 415)
  answer.expectHeader('Accept', 'multipart/mixed')
}

export const observationChecks: Check[] = checks('POST /planets/{planetId}/observations', [
  ['401 without credentials', async (setting) => expectProblem(await upload(setting, { as: {} }), 401)],
  ['202 with Location and Retry-After', checkReceipt],
  ['the batch is completed within 10 seconds', checkBatch],
  ['200 with Prefer: wait', checkWait],
  ['400 with a pointer to each fault', check400],
  [
    '404 for a planet that does not exist',
    async (setting) => expectProblem(await upload(setting, { id: UNKNOWN_PLANET }), 404),
  ],
  ['404 for the batch of another user', checkOthers],
  [
    '413 for an image of more than 5 MiB',
    async (setting) => expectProblem(await upload(setting, { image: Buffer.alloc(IMAGE_MAX_BYTES + 1) }), 413),
  ],
  ['415 with Accept', check415],
])
