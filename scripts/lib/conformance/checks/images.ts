import type { Answer } from '../answer.ts'
import { type Check, checks, type Place } from '../check.ts'
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

/** A form with a picture. */
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

async function upload({ world }: Place, { id, as, body = pictureForm() }: Upload = {}): Promise<Answer> {
  const planetId = id ?? (await world.makePlanet()).id
  return await world.post(`/planets/${planetId}/image`, { as: as ?? (await world.credential()), body })
}

async function checkUpload(place: Place) {
  const { world } = place
  const { id } = await world.makePlanet()
  const { imageUrl } = (await upload(place, { id })).expectStatus(200).json()
  const picture = (await world.get(imageUrl)).expectStatus(200)
  picture.expectHeader('Content-Type', 'image/png')
  picture.expect(PIXEL.equals(picture.bytes), 'the bytes that were uploaded', `${picture.bytes.length} other bytes`)
  const planet = (await world.get(`/planets/${id}`)).expectStatus(200)
  planet.expect(planet.json().image === imageUrl, `image ${imageUrl}`)
}

async function check400(place: Place) {
  expectProblem(
    await upload(place, { body: pictureForm(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')) }),
    400,
  )
  expectProblem(await upload(place, { body: pictureForm(PIXEL, 'picture') }), 400)
}

async function checkTooLarge(place: Place) {
  const large = Buffer.concat([PIXEL, Buffer.alloc(IMAGE_MAX_BYTES)])
  expectProblem(await upload(place, { body: pictureForm(large) }), 413)
}

const asStranger = async ({ world }: Place) => (await world.stranger()).credential

export const imageChecks: Check[] = checks('POST /planets/{planetId}/image', [
  ['401 without credentials', async (place) => expectProblem(await upload(place, { as: {} }), 401)],
  ['200 and the image can be downloaded', checkUpload],
  ['message', async (place) => (await upload(place)).expectStatus(200).json(UPLOAD_MESSAGE)],
  ['imageUrl', async (place) => (await upload(place)).expectStatus(200).json(IMAGE_URL)],
  ['400 BadRequestError', check400],
  ['403 ForbiddenError', async (place) => expectProblem(await upload(place, { as: await asStranger(place) }), 403)],
  ['404 NotFoundError', async (place) => expectProblem(await upload(place, { id: UNKNOWN_PLANET }), 404)],
  ['413 for more than 5 MiB', checkTooLarge],
  ['415 for what is no form', async (place) => expectProblem(await upload(place, { body: 'a picture' }), 415)],
])
