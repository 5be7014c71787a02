import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openD1 } from '../../../src/db/port.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  ORIGIN,
} from '../../support/app.ts'
import { holdWrites } from '../../support/held-database.ts'
import { formsOfDate } from '../../support/http-dates.ts'
import { bytesOf, makePicture, PICTURE_TYPES } from '../../support/pictures.ts'
import { letRivalWriteFirst } from '../../support/rival-writers.ts'
import { OTHER_URL, pathWithin, SHARED } from '../../support/world.ts'

const MAX_BYTES = 5 * 1024 * 1024

let client: Client
let account: Account
let planetId: number

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

beforeEach(async () => {
  planetId = (await createPlanet(client, account, { name: 'Pictured' })).id
})

const upload = (bytes = makePicture()) => client.upload(`/planets/${planetId}/image`, bytes, account)
const readPlanet = async () => await bodyOf(await client.get(`/planets/${planetId}`))

/** Sends a form as raw bytes, as a broken client would. */
function sendForm(body: string, contentType = 'multipart/form-data; boundary=x'): Promise<Response> {
  const headers = { 'Content-Type': contentType, ...authorization(account) }
  return client.send(`/planets/${planetId}/image`, { method: 'POST', body: bytesOf(body), headers })
}

async function listObjects(): Promise<string[]> {
  const { objects } = await env.IMAGES.list()
  return objects.map(({ key }) => key)
}

describe('an upload', () => {
  it.each(PICTURE_TYPES)(
    'of %s is detected by its bytes, stored byte for byte, and shown by the planet',
    async (type) => {
      const bytes = makePicture(type)
      const response = await upload(bytes)
      expect(response.status).toBe(200)
      const message = await bodyOf(response)
      expect(message).toEqual({
        message: 'Image uploaded successfully',
        imageUrl: expect.stringMatching(new RegExp(`^${ORIGIN}/images/[0-9a-f-]{36}\\.[a-z]{3,4}$`)),
        uploadedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        fileSize: bytes.byteLength,
        mimeType: type,
      })
      expect((await readPlanet()).image).toBe(message.imageUrl)
      const image = await client.get(message.imageUrl)
      expect(image.status).toBe(200)
      expect(image.headers.get('Content-Type')).toBe(type)
      expect(new Uint8Array(await image.arrayBuffer())).toEqual(bytes)
    },
  )

  it.each([
    ['empty', ''],
    ['text', 'hello'],
    ['HTML', '<!doctype html><script>alert(1)</script>'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['a PDF', '%PDF-1.7'],
    ['the signature of a PNG without an image', '\x89PNG\r\n\x1A\n'],
    ['half a JPEG signature', '\xFF\xD8'],
    ['another kind of RIFF', 'RIFF\x24\0\0\0WAVEfmt '],
    ['another kind of ftyp', '\0\0\0\x1Cftypisom'],
    ['HTML before a PNG', '<html>\x89PNG\r\n\x1A\n'],
  ])('that is %s is rejected with 400, and nothing is stored', async (_, text) => {
    const before = await listObjects()
    const response = await upload(bytesOf(text))
    expect(response.status).toBe(400)
    expect((await bodyOf(response)).type).toBe(`${ORIGIN}/problems/invalid-image`)
    expect(await listObjects()).toEqual(before)
    expect(await readPlanet()).not.toHaveProperty('image')
  })

  it('of the maximum size is accepted, and of one byte more is 413', async () => {
    expect((await upload(makePicture('image/png', MAX_BYTES))).status).toBe(200)
    const response = await upload(makePicture('image/png', MAX_BYTES + 1))
    expect(response.status).toBe(413)
    expect((await bodyOf(response)).detail).toContain(String(MAX_BYTES))
  })

  it.each([
    [0, 200],
    [1, 413],
  ])('in a form of 64 KiB more than the largest file and %i bytes is answered with %i', async (more, status) => {
    const fields = (padding: string) =>
      `--x\r\nContent-Disposition: form-data; name="note"\r\n\r\n${padding}\r\n${part('image')}--x--\r\n`
    const size = MAX_BYTES + 64 * 1024 + more
    const response = await sendForm(fields('.'.repeat(size - fields('').length)))
    expect(response.status).toBe(status)
  })

  const part = (name: string, file = '; filename="a.png"') =>
    `--x\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n\x89PNG\r\n\x1A\n\0\0\0\rIHDR\r\n`

  it.each([
    ['is truncated', part('image').slice(0, 90)],
    ['ends before its last boundary', part('image')],
    ['has no boundary at all', 'just bytes'],
    ['is empty', ''],
    ['has its file under another field name', `${part('picture')}--x--\r\n`],
    ['has two files', `${part('image')}${part('image')}--x--\r\n`],
    ['has a text instead of the file', `${part('image', '')}--x--\r\n`],
  ])('whose form %s is rejected with 400', async (_, body) => {
    const response = await sendForm(body)
    expect(response.status).toBe(400)
    expect(await readPlanet()).not.toHaveProperty('image')
  })

  it.each([
    ['tokens and filename*', "name=image; filename=a.png; filename*=utf-8''a.png"],
    ['another order and case', 'FileName="a.png"; NAME=image'],
    ['folded lines', 'name=image;\r\n filename=a.png'],
  ])('whose part is described with %s is accepted', async (_, parameters) => {
    const picture = makePicture()
    const content = String.fromCharCode(...picture)
    const body = `--x \r\nContent-Disposition: form-data; ${parameters}\r\n\r\n${content}\r\n--x--\r\n`
    const response = await sendForm(body, 'multipart/form-data; boundary="x"')
    expect(response.status).toBe(200)
    const image = await client.get((await bodyOf(response)).imageUrl)
    expect(new Uint8Array(await image.arrayBuffer())).toEqual(picture)
  })

  it('whose form is malformed is rejected with the reason', async () => {
    const response = await sendForm(`--x\r\nContent-Disposition: form-data\r\n\r\n\r\n--x--`)
    expect(response.status).toBe(400)
    expect((await bodyOf(response)).detail).toContain('a part has no name')
  })

  it('whose Content-Type names no boundary is rejected with 400', async () => {
    expect((await sendForm(`${part('image')}--x--\r\n`, 'multipart/form-data')).status).toBe(400)
  })

  it('that is not a form is 415', async () => {
    expect((await sendForm('\x89PNG', 'image/png')).status).toBe(415)
    expect((await client.sendJson('POST', `/planets/${planetId}/image`, {}, account)).status).toBe(415)
  })

  it('cannot choose its key by its file name', async () => {
    const body = `${part('image', '; filename="../../evil.html"')}--x--\r\n`
    const { imageUrl } = await bodyOf(await sendForm(body))
    expect(imageUrl).not.toContain('evil')
  })

  it('to an unknown planet is 404, and nothing is stored', async () => {
    const before = await listObjects()
    expect((await client.upload('/planets/999999/image', makePicture(), account)).status).toBe(404)
    expect(await listObjects()).toEqual(before)
  })

  it('of a user who is suspended before the planet is written leaves no object', async () => {
    const suspended = await createAccount(client)
    const { id } = await createPlanet(client, suspended, { name: 'Abandoned' })
    const before = await listObjects()
    let during: string[] = []
    const { database } = letRivalWriteFirst(openD1(env.DB), 'planets', async () => {
      during = await listObjects()
      await env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(suspended.id).run()
    })
    const response = await createClient({ database }).upload(`/planets/${id}/image`, makePicture(), suspended)
    expect(response.status).toBe(403)
    expect(during).toHaveLength(before.length + 1)
    expect(await listObjects()).toEqual(before)
  })

  it('keeps its object if the connection is lost while the planet is written, because the planet may show it', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const before = await listObjects()
    const { database } = letRivalWriteFirst(openD1(env.DB), 'planets', () =>
      Promise.reject(new Error('D1_ERROR: Network connection lost.')),
    )
    const response = await createClient({ database }).upload(`/planets/${planetId}/image`, makePicture(), account)
    log.mockRestore()
    expect(response.status).toBe(503)
    expect(await listObjects()).toHaveLength(before.length + 1)
  })
})

describe('the image of a planet', () => {
  async function uploadedKey(): Promise<string> {
    const { imageUrl } = await bodyOf(await upload())
    return pathWithin(imageUrl)
  }
  const status = async (path: string) => (await client.get(path)).status
  const put = (body: object) => client.sendJson('PUT', `/planets/${planetId}`, { name: 'Pictured', ...body }, account)

  it('is removed when another is uploaded', async () => {
    const [first, second] = [await uploadedKey(), await uploadedKey()]
    expect([await status(first), await status(second)]).toEqual([404, 200])
  })

  it('stays after a PUT that does not name it, or names the same', async () => {
    const path = await uploadedKey()
    for (const body of [{}, { image: `${ORIGIN}${path}` }, { image: `${OTHER_URL}${path}` }]) {
      expect((await bodyOf(await put(body))).image).toBe(`${ORIGIN}${path}`)
    }
    expect(await status(path)).toBe(200)
  })

  it.each([null, 'https://example.com/mars.jpg', '', 'no url'])('is removed by a PUT of image %j', async (image) => {
    const path = await uploadedKey()
    expect((await bodyOf(await put({ image }))).image).toBe(image)
    expect((await readPlanet()).image).toBe(image)
    expect(await status(path)).toBe(404)
  })

  it('stays if it is uploaded during a PUT that does not name it', async () => {
    const { database, release } = holdWrites(openD1(env.DB))
    const slow = createClient({ database })
    const put = slow.sendJson('PUT', `/planets/${planetId}`, { name: 'Slow' }, account)
    const path = await uploadedKey()
    release()
    expect(await bodyOf(await put)).toMatchObject({ name: 'Slow', image: `${ORIGIN}${path}` })
    expect(await status(path)).toBe(200)
  })

  it('of another planet stays, even if a PUT names it', async () => {
    const path = await uploadedKey()
    const other = await createPlanet(client, account, { name: 'Other', image: `${ORIGIN}${path}` })
    await client.sendJson('PUT', `/planets/${other.id}`, { name: 'Other', image: null }, account)
    expect(await status(path)).toBe(200)
  })

  it('is removed with the planet', async () => {
    const path = await uploadedKey()
    expect((await client.sendJson('DELETE', `/planets/${planetId}`, '', account)).status).toBe(204)
    expect(await status(path)).toBe(404)
  })
})

describe('an image file', () => {
  let url: string
  let etag: string

  beforeEach(async () => {
    url = (await bodyOf(await upload(makePicture('image/png', 100)))).imageUrl
    etag = (await client.get(url)).headers.get('ETag') ?? ''
  })

  it('can be cached for a year, and cannot run in a browser', async () => {
    const { headers } = await client.get(url)
    expect(headers.get('Cache-Control')).toBe(`${SHARED}, max-age=31536000, immutable`)
    expect(headers.get('X-Cache-Control')).toBe(`${SHARED}, max-age=31536000, immutable`)
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('Content-Security-Policy')).toContain('sandbox')
    expect(headers.get('Cross-Origin-Resource-Policy')).toBe('cross-origin')
    expect(headers.get('Content-Length')).toBe('100')
    expect(etag).toMatch(/^"[0-9a-f]+"$/)
  })

  it('answers HEAD as GET, without the bytes', async () => {
    const response = await client.send(url, { method: 'HEAD' })
    expect([response.status, response.headers.get('Content-Length'), await response.text()]).toEqual([200, '100', ''])
  })

  it('is not sent again to a caller who has it', async () => {
    const response = await client.get(url, { 'If-None-Match': etag })
    expect([response.status, await response.text()]).toEqual([304, ''])
    expect((await client.get(url, { 'If-None-Match': '"other"' })).status).toBe(200)
  })

  it.each([
    ['an invalid tag', { 'If-None-Match': 'abc' }, 200],
    ['an empty tag', { 'If-None-Match': '' }, 200],
    ['another tag in If-Match', { 'If-Match': '"other"' }, 412],
    ['an invalid tag in If-Match', { 'If-Match': 'abc' }, 412],
    ['another tag first, then any', { 'If-Match': '"other"', 'If-None-Match': '*' }, 412],
    ['any tag', { 'If-None-Match': '*' }, 304],
    ['a range of a version that the caller has', { 'If-None-Match': '*', Range: 'bytes=200-' }, 304],
    ['an invalid date', { 'If-Unmodified-Since': 'x', 'If-Modified-Since': 'x' }, 200],
    ['a date before its creation', { 'If-Unmodified-Since': 'Sat, 01 Jan 2000 00:00:00 GMT' }, 412],
    ['a date after its creation', { 'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' }, 304],
  ])('evaluates the condition %s', async (_, headers, status) => {
    expect((await client.get(url, headers)).status).toBe(status)
  })

  it.each([
    ['bytes=0-9', 206, 'bytes 0-9/100', 10],
    ['bytes=90-', 206, 'bytes 90-99/100', 10],
    ['bytes=-10', 206, 'bytes 90-99/100', 10],
    ['bytes=50-999', 206, 'bytes 50-99/100', 50],
    ['bytes=99-99', 206, 'bytes 99-99/100', 1],
    ['bytes=-999', 206, 'bytes 0-99/100', 100],
    ['bytes=0-1,5-6', 200, null, 100],
    ['lines=0-1', 200, null, 100],
    ['bytes=x', 200, null, 100],
    ['bytes=-', 200, null, 100],
    ['bytes=9-5', 200, null, 100],
    ['bytes=150-120', 200, null, 100],
  ])('answers Range: %s with %i', async (range, status, contentRange, length) => {
    const response = await client.get(url, { Range: range })
    expect([response.status, response.headers.get('Content-Range')]).toEqual([status, contentRange])
    expect((await response.arrayBuffer()).byteLength).toBe(length)
  })

  it.each(['bytes=100-', 'bytes=100-200', 'bytes=-0'])('rejects Range: %s with 416 and its size', async (range) => {
    const response = await client.get(url, { Range: range })
    expect([response.status, response.headers.get('Content-Range')]).toEqual([416, 'bytes */100'])
  })

  it('sends the whole image if it is not the one that If-Range names', async () => {
    expect((await client.get(url, { Range: 'bytes=0-9', 'If-Range': etag })).status).toBe(206)
    expect((await client.get(url, { Range: 'bytes=0-9', 'If-Range': '"other"' })).status).toBe(200)
    expect((await client.get(url, { Range: 'bytes=0-9', 'If-Range': `W/${etag}` })).status).toBe(200)
  })

  it('takes its date in If-Range, in each form, and no other date', async () => {
    const date = (await client.get(url)).headers.get('Last-Modified') ?? ''
    const others = [1000, -1000].map((ms) => new Date(Date.parse(date) + ms).toUTCString())
    const ask = async (condition: string) =>
      (await client.get(url, { Range: 'bytes=0-9', 'If-Range': condition })).status
    expect(await Promise.all(formsOfDate(date).map(ask))).toEqual([206, 206, 206])
    expect(await Promise.all([...others, 'x'].map(ask))).toEqual([200, 200, 200])
  })

  it.each(['/images/x.png', '/images/00000000-0000-0000-0000-000000000000.png', '/images/', '/images/..%2fx'])(
    'is 404 at %s',
    async (path) => {
      const response = await client.get(path)
      expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'application/problem+json'])
    },
  )
})
