import type { Answer } from '../answer.ts'
import { type Check, checks, type Setting } from '../check.ts'
import type { Credential } from '../credentials.ts'
import { expectProblem } from '../expectations.ts'
import { IMAGE_URL, UPLOAD_MESSAGE } from '../shapes.ts'
import { UNKNOWN_PLANET } from './planet-reading.ts'

/** The smallest PNG: one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
const IMAGE_MAX_BYTES = 5 * 1024 * 1024

export function pictureForm(bytes: Uint8Array<ArrayBuffer> = PIXEL, part = 'image'): FormData {
  const form = new FormData()
  form.set(part, new Blob([bytes]), 'pixel.png')
  return form
}

interface Upload {
  id?: number
  as?: Credential
  body?: FormData | string
}

async function upload({ world }: Setting, { id, as, body = pictureForm() }: Upload = {}): Promise<Answer> {
  const planetId = id ?? (await world.makePlanet()).id
  return await world.post(`/planets/${planetId}/image`, { as: as ?? (await world.credential()), body })
}

async function checkUpload(setting: Setting) {
  const { world } = setting
  const { id } = await world.makePlanet()
  const { imageUrl } = (await upload(setting, { id })).expectStatus(200).json()
  const picture = (await world.get(imageUrl)).expectStatus(200)
  picture.expectHeader('Content-Type', 'image/png')
  picture.expect(PIXEL.equals(picture.bytes), 'the bytes that were uploaded', `${picture.bytes.length} other bytes`)
  const planet = (await world.get(`/planets/${id}`)).expectStatus(200)
  planet.expect(planet.json().image === imageUrl, `image ${imageUrl}`)
}

async function check400(setting: Setting) {
  expectProblem(
    await upload(setting, { body: pictureForm(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')) }),
    400,
  )
  expectProblem(await upload(setting, { body: pictureForm(PIXEL, 'picture') }), 400)
}

async function checkTooLarge(setting: Setting) {
  const large = Buffer.concat([PIXEL, Buffer.alloc(IMAGE_MAX_BYTES)])
  expectProblem(await upload(setting, { body: pictureForm(large) }), 413)
}

const asStranger = async ({ world }: Setting) => (await world.stranger()).credential

export const imageChecks: Check[] = checks('POST /planets/{planetId}/image', [
  ['401 without credentials', async (setting) => expectProblem(await upload(setting, { as: {} }), 401)],
  ['200 and the image can be downloaded', checkUpload],
  ['message', async (setting) => (await upload(setting)).expectStatus(200).json(UPLOAD_MESSAGE)],
  ['imageUrl', async (setting) => (await upload(setting)).expectStatus(200).json(IMAGE_URL)],
  ['400 BadRequestError', check400],
  [
    '403 ForbiddenError',
    async (setting) => expectProblem(await upload(setting, { as: await asStranger(setting) }), 403),
  ],
  ['404 NotFoundError', async (setting) => expectProblem(await upload(setting, { id: UNKNOWN_PLANET }), 404)],
  ['413 for more than 5 MiB', checkTooLarge],
  ['415 for what is no form', async (setting) => expectProblem(await upload(setting, { body: 'a picture' }), 415)],
])
