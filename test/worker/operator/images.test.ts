import { beforeAll, describe, expect, it } from 'vitest'
import { Failure } from '../../../scripts/lib/failure.ts'
import { readImageArguments } from '../../../scripts/lib/image-arguments.ts'
import { removeImage } from '../../../scripts/lib/images.ts'
import { sweep } from '../../../src/sweep.ts'
import { type Account, bodyOf, type Client, createAccount, createClient, createPlanet } from '../../support/app.ts'
import { queryAsOperator } from '../../support/operator.ts'
import { makePicture } from '../../support/pictures.ts'

// What `npm run image` does. test/service/operator.test.ts runs the command itself.

const UNKNOWN = '6f1b3f0e-8f5c-4f0e-9d0a-3c1f0b6f2a11.png'

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

const remove = (key: string) => removeImage(key, queryAsOperator)

/** A planet with an image. */
async function paint(): Promise<{ id: number; path: string; imageUrl: string; key: string }> {
  const { id } = await createPlanet(client, account, { name: 'Painted', image: 'https://example.org/mine.png' })
  const path = `/planets/${id}`
  const { imageUrl } = await bodyOf(await client.upload(`${path}/image`, makePicture(), account))
  return { id, path, imageUrl, key: imageUrl.split('/').at(-1) }
}

describe('an operator', () => {
  it('removes an image, and leaves the planet and other images', async () => {
    const [kept, { id, path, imageUrl, key }] = [await paint(), await paint()]
    const before = await client.get(path)
    expect(await remove(key)).toEqual([
      `Planet ${id} no longer shows image ${key}.`,
      'The service will remove the image within a minute.',
    ])
    const after = await client.get(path, { 'If-None-Match': before.headers.get('ETag') ?? '' })
    expect(after.status).toBe(200)
    expect((await bodyOf(after)).image).not.toBe(imageUrl)
    await sweep(client.services)
    expect((await client.get(imageUrl)).status).toBe(404)
    await expect(remove(key)).rejects.toEqual(new Failure(`Image ${key} does not exist.`))
    expect((await client.get(kept.imageUrl)).status).toBe(200)
    expect((await bodyOf(await client.get(kept.path))).image).toBe(kept.imageUrl)
  })

  it('removes an image that no planet shows', async () => {
    const { path, key } = await paint()
    await client.sendJson('DELETE', path, '', account)
    expect(await remove(key)).toContain(`No planet shows image ${key}.`)
  })

  it('is told if there is no such image', async () => {
    await expect(remove(UNKNOWN)).rejects.toEqual(new Failure(`Image ${UNKNOWN} does not exist.`))
  })
})

describe('the arguments of npm run image', () => {
  it.each([[], ['remove'], [UNKNOWN], ['delete', UNKNOWN], ['remove', '--remote'], ['remove', 'sunset.png']])(
    'cannot be %j',
    (...args) => expect(readImageArguments(args)).toBeUndefined(),
  )

  it('name an image by its URL or by its key', () => {
    for (const which of [UNKNOWN, `https://images.example/images/${UNKNOWN}`])
      expect(readImageArguments(['remove', which])).toEqual({ key: UNKNOWN, target: ['--local'] })
  })

  it('mean this machine unless they say otherwise', () => {
    expect(readImageArguments(['remove', UNKNOWN, '--remote'])).toEqual({ key: UNKNOWN, target: ['--remote'] })
  })
})
