import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ProblemError } from '../../../../src/domain/problems.ts'
import { type Mixed, mixed } from '../../../../src/http/body/mixed.ts'
import type { RequestContext } from '../../../../src/http/pipeline/context.ts'
import { MIME_TYPES } from '../../../../src/lib/sniff-image.ts'
import { batchOf, imagePart, joinBytes, META, MIXED, metaPart, type Part, writeMixed } from '../../../support/mixed.ts'
import { bytesOf, makePicture, PICTURE_TYPES } from '../../../support/pictures.ts'

// The reader of multipart/mixed by itself, with small limits.

const MEBIBYTE = 1024 * 1024
const IMAGE_MAX = 200_000
const IMAGES_MAX = 500_000

const reader = mixed({
  document: z.strictObject({ observer: z.string() }),
  parts: z.unknown(),
  imageTypes: MIME_TYPES,
  imagesMax: 3,
  imageMaxBytes: IMAGE_MAX,
  imagesMaxBytes: IMAGES_MAX,
  inspect: (sent, count) =>
    count === 2 && Object(sent).observer === 'two' ? [{ pointer: '/observer', detail: 'x' }] : [],
})

/** Reads a body that arrives in these chunks. */
async function read(chunks: readonly Uint8Array[], headers: HeadersInit = MIXED) {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  return await reader.readStream(stream, { headers: new Headers(headers) } as RequestContext)
}

const readParts = (parts: readonly Part[]) => read([writeMixed(parts)])

async function refusalOf(chunks: readonly Uint8Array[], headers?: HeadersInit): Promise<[string, string[]]> {
  try {
    await read(chunks, headers)
  } catch (error) {
    if (error instanceof ProblemError) return [error.code, error.faults.map(({ pointer }) => pointer)]
    throw error
  }
  throw new Error('the body was read')
}

const refusal = (parts: readonly Part[]) => refusalOf([writeMixed(parts)])

const sha256 = async (bytes: Uint8Array<ArrayBuffer>) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).toHex()

describe('what is measured', () => {
  it('is what each image is, how large it is, and its hash', async () => {
    const pictures = PICTURE_TYPES.map((type) => makePicture(type, 300)).slice(0, 3)
    const { body } = await readParts([metaPart(), ...pictures.map((picture) => imagePart('image/gif', picture))])
    expect(body.document).toEqual(META)
    expect(body.images).toEqual(
      await Promise.all(
        pictures.map(async (picture, index) => ({
          declaredType: 'image/gif',
          mediaType: PICTURE_TYPES[index],
          fileSize: 300,
          sha256: await sha256(picture),
        })),
      ),
    )
  })

  it.each(PICTURE_TYPES)('%s is recognised', async (type) => {
    const { body } = await readParts([metaPart(), imagePart(type)])
    expect(body.images[0]).toMatchObject({ declaredType: type, mediaType: type })
  })

  it('of what is no image is no type', async () => {
    const { body } = await readParts([metaPart(), imagePart('image/png', bytesOf('<svg>'))])
    expect(body.images).toEqual([{ declaredType: 'image/png', fileSize: 5, sha256: await sha256(bytesOf('<svg>')) }])
  })

  it('does not depend on how the body is cut into chunks', async () => {
    const whole = writeMixed([
      metaPart(),
      imagePart('image/png', makePicture('image/png', 40)),
      imagePart('image/avif'),
    ])
    const expected = (await read([whole])).body
    for (let at = 0; at <= whole.length; at++) {
      expect((await read([whole.subarray(0, at), whole.subarray(at)])).body).toEqual(expected)
    }
    expect((await read(Array.from(whole, (byte) => Uint8Array.of(byte)))).body).toEqual(expected)
  })

  it('is right for content that comes in very many pieces, across the pieces that are hashed', async () => {
    const content = bytesOf('\r\n--a'.repeat(30_000))
    const { body } = await readParts([metaPart(), imagePart('image/png', content)])
    expect(body.images[0]).toMatchObject({ fileSize: content.length, sha256: await sha256(content) })
  })

  it('of no images is nothing', async () => {
    expect((await readParts([metaPart()])).body).toEqual({ document: META, images: [] })
  })
})

describe('the content of a retry', () => {
  const contentOf = async (parts: readonly Part[], boundary: string) =>
    (await read([writeMixed(parts, boundary)], { 'Content-Type': `multipart/mixed; boundary=${boundary}` })).content

  it('does not depend on the boundary, nor on other fields of the parts', async () => {
    const content = await contentOf(batchOf(2), 'one')
    expect(await contentOf(batchOf(2), 'two')).toBe(content)
    const named = batchOf(2).map((part) => ({ ...part, head: [...part.head, 'Content-Disposition: attachment'] }))
    expect(await contentOf(named, 'one')).toBe(content)
  })

  it('depends on the metadata, and on the images, their types and their order', async () => {
    const [a, b] = [imagePart('image/png'), imagePart('image/gif')]
    const bodies = [
      [metaPart(), a, b],
      [metaPart(), b, a],
      [metaPart(), a],
      [metaPart({ observer: 'Other' }), a, b],
      [metaPart(), a, imagePart('image/png', b.content as Uint8Array)],
    ]
    const contents = await Promise.all(bodies.map((parts) => contentOf(parts, 'b')))
    expect(new Set(contents).size).toBe(bodies.length)
  })
})

describe('a preamble, an epilogue and dispositions are ignored', () => {
  it('whatever they say', async () => {
    const parts = [{ ...metaPart(), head: ['Content-Disposition: form-data; name="x"', ...metaPart().head] }]
    const body = joinBytes(['A preamble\r\n', writeMixed(parts), 'An epilogue --b\r\n--b\r\nContent-Type: text/plain'])
    expect((await read([body])).body.document).toEqual(META)
  })

  it('a document without a type is JSON, and may be of another JSON type', async () => {
    const { content } = metaPart()
    expect((await readParts([{ head: [], content }])).body.document).toEqual(META)
    const head = ['content-type: Application/Vnd.Galaxy+JSON; charset=utf-8']
    expect((await readParts([{ head, content }])).body.document).toEqual(META)
  })

  it.each(['binary', '8bit', '7bit', 'BINARY'])('the transfer encoding %s changes nothing', async (encoding) => {
    const parts = batchOf(1).map((part) => ({
      ...part,
      head: [...part.head, `Content-Transfer-Encoding: ${encoding}`],
    }))
    expect((await readParts(parts)).body.images).toHaveLength(1)
  })
})

describe('a body that is not complete', () => {
  const whole = writeMixed(batchOf(2))
  const end = whole.length - '\r\n'.length

  it('is malformed wherever it ends', async () => {
    for (let at = 0; at < end; at++) {
      expect([at, (await refusalOf([whole.subarray(0, at)]))[0]]).toEqual([at, 'malformed-body'])
    }
    expect((await read([whole.subarray(0, end)])).body.images).toHaveLength(2)
  })

  it('is malformed without a boundary, and with one of more than 70 characters', async () => {
    for (const type of [
      'multipart/mixed',
      'multipart/mixed; boundary=""',
      `multipart/mixed; boundary=${'b'.repeat(71)}`,
    ])
      expect(await refusalOf([whole], { 'Content-Type': type })).toEqual(['malformed-body', []])
    const boundary = 'b'.repeat(70)
    const { body } = await read([writeMixed(batchOf(1), boundary)], {
      'Content-Type': `multipart/mixed; boundary=${boundary}`,
    })
    expect(body.images).toHaveLength(1)
  })

  it('is malformed if a part has an invalid field, or more than 8 KiB of fields', async () => {
    const withHead = (line: string) => [
      ...batchOf(1),
      { head: ['Content-Type: image/png', line], content: makePicture() },
    ]
    expect(await refusal(withHead('no field'))).toEqual(['malformed-body', ['/2']])
    // The ends of the three lines count, the last of which is empty.
    const rest = 8 * 1024 - 'Content-Type: image/png'.length - 'X: '.length - 6
    expect((await readParts(withHead(`X: ${'x'.repeat(rest)}`))).body.images).toHaveLength(2)
    expect(await refusal(withHead(`X: ${'x'.repeat(rest + 1)}`))).toEqual(['malformed-body', ['/2']])
  })
})

describe('an invalid part', () => {
  const REFUSED: readonly [name: string, parts: readonly Part[], pointers: string[]][] = [
    ['no parts', [], ['/0']],
    ['an empty document', [metaPart('')], ['/0']],
    ['a document that is no JSON', [metaPart('{"observer"')], ['/0']],
    ['a document that is no UTF-8', [{ ...metaPart(), content: Uint8Array.of(34, 255, 34) }], ['/0']],
    ['a document that is no object', [metaPart('[]')], ['/0']],
    ['a document of another type', [{ ...metaPart(), head: ['Content-Type: text/plain'] }], ['/0']],
    ['an image in place of the document', [imagePart()], ['/0']],
    ['a large image in place of the document', [imagePart('image/png', new Uint8Array(70 * 1024))], ['/0']],
    ['a document nested too deeply', [metaPart('['.repeat(1000) + ']'.repeat(1000))], ['/0']],
    ['an unknown member', [metaPart({ ...META, spied: 1 })], ['/0/spied']],
    ['a reserved member', [metaPart('{"observer":"a","__proto__":1}')], ['/0/__proto__']],
    ['a member of the wrong type', [metaPart({ observer: 1 })], ['/0/observer']],
    ['what was inspected', [metaPart({ observer: 'two' }), imagePart(), imagePart()], ['/0/observer']],
    ['an empty image', [metaPart(), imagePart(), imagePart('image/png', new Uint8Array())], ['/2']],
    ['an image without a type', [metaPart(), { head: [], content: makePicture() }], ['/1']],
    ['an image of another type', [metaPart(), imagePart('image/svg+xml')], ['/1']],
    ['two types', [metaPart(), { head: ['Content-Type: image/png', 'Content-Type: image/png'], content: 'a' }], ['/1']],
    ['too many images', batchOf(4), ['/4']],
    ['far too many images', batchOf(9), ['/4']],
    ...['base64', 'quoted-printable', 'x-own', ''].map((encoding): [string, Part[], string[]] => [
      `the transfer encoding "${encoding}"`,
      batchOf(1).map((part) => ({ ...part, head: [...part.head, `Content-Transfer-Encoding: ${encoding}`] })),
      ['/0', '/1'],
    ]),
    [
      'all faults at once',
      [metaPart({ spied: 1 }), imagePart('text/plain'), imagePart(), imagePart('image/gif', new Uint8Array())],
      ['/0/observer', '/0/spied', '/1', '/3'],
    ],
  ]

  it.each(REFUSED)('%s', async (_, parts, pointers) => {
    const [code, found] = await refusal(parts)
    expect([code, found.toSorted()]).toEqual(['invalid-body', pointers])
  })

  it('of too many is refused at once, however many follow', async () => {
    const parts = [metaPart({ spied: 1 }), ...Array(5000).fill({ head: [], content: '' })]
    expect((await refusal(parts))[1].toSorted()).toEqual([
      '/0/observer',
      '/0/spied',
      '/1',
      '/1',
      '/2',
      '/2',
      '/3',
      '/3',
      '/4',
    ])
    // What follows is not looked at, so it can be malformed.
    const start = writeMixed(batchOf(4)).subarray(0, -9)
    expect(await refusalOf([joinBytes([start, '\r\n--b\r\nno field\r\n\r\n'])])).toEqual(['invalid-body', ['/4']])
  })
})

describe('sizes', () => {
  const sized = (size: number) => imagePart('image/png', makePicture('image/png', size))
  const document = (size: number) =>
    metaPart(`${JSON.stringify(META)}${' '.repeat(size - JSON.stringify(META).length)}`)

  it('of an image', async () => {
    expect((await readParts([metaPart(), sized(IMAGE_MAX)])).body.images[0]?.fileSize).toBe(IMAGE_MAX)
    expect(await refusal([metaPart(), sized(IMAGE_MAX + 1)])).toEqual(['content-too-large', []])
  })

  it('of all images', async () => {
    const rest = IMAGES_MAX - 2 * IMAGE_MAX
    const fitting = [metaPart(), sized(IMAGE_MAX), sized(IMAGE_MAX), sized(rest)]
    expect((await readParts(fitting)).body.images).toHaveLength(3)
    expect(await refusal([...fitting.slice(0, 3), sized(rest + 1)])).toEqual(['content-too-large', []])
  })

  it('of the document', async () => {
    expect((await readParts([document(64 * 1024)])).body.document).toEqual(META)
    expect(await refusal([document(64 * 1024 + 1)])).toEqual(['content-too-large', []])
  })

  it('of the whole body, with what is ignored', async () => {
    const max = IMAGES_MAX + MEBIBYTE
    expect(reader.maxBytes).toBe(max)
    const body = writeMixed(batchOf(1))
    const filled = (size: number) => joinBytes([body, new Uint8Array(size - body.length)])
    expect((await read([filled(max)])).body.images).toHaveLength(1)
    expect(await refusalOf([filled(max + 1)])).toEqual(['content-too-large', []])
  })

  it('a body that is refused is not read to its end', async () => {
    let taken = 0
    let isCancelled = false
    const start = writeMixed([metaPart(), sized(100)]).subarray(0, -20)
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(taken++ === 0 ? start : new Uint8Array(64 * 1024))
      },
      cancel() {
        isCancelled = true
      },
    })
    const context = { headers: new Headers(MIXED) } as RequestContext
    await expect(reader.readStream(stream, context)).rejects.toThrow(ProblemError)
    expect([taken < 8, isCancelled]).toEqual([true, true])
  })
})

it('an error of the stream is thrown as it is', async () => {
  const lost = new Error('Network connection lost.')
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(writeMixed(batchOf(1)).subarray(0, 120))
      controller.error(lost)
    },
  })
  const reading: Promise<{ body: Mixed<unknown> }> = reader.readStream(stream, {
    headers: new Headers(MIXED),
  } as RequestContext)
  await expect(reading).rejects.toThrow()
})
