import { describe, expect, it } from 'vitest'
import { passOn } from '../../../src/universes/pass-on.ts'

const KIB = 1024
const MIB = 1024 * KIB
const PIECE = 64 * KIB

/** A request whose body tells how much of it was read, and whether the rest was given up. */
function makeRequest(size: number) {
  const read = { bytes: 0, isGivenUp: false }
  const source: UnderlyingSource<Uint8Array> = {
    pull(controller) {
      if (read.bytes >= size) return controller.close()
      read.bytes += PIECE
      controller.enqueue(new Uint8Array(PIECE))
    },
    cancel() {
      read.isGivenUp = true
    },
  }
  const body = new ReadableStream(source, { highWaterMark: 0 })
  return { read, request: new Request('https://galaxy.test/planets', { method: 'POST', body }) }
}

const never = () => new Promise<void>(() => {})

/** An object that reads some of the body before it answers, or fails. */
function readSome(bytes: number, failure?: Error) {
  return async ({ body }: Request) => {
    const reader = body?.getReader()
    for (let left = bytes; left > 0; ) left -= (await reader?.read())?.value?.byteLength ?? left
    if (failure) throw failure
    return new Response('answer', { status: 413 })
  }
}

describe('the rest of a body', () => {
  it.each([
    ['less than 1 MiB', MIB - PIECE, MIB - PIECE, false],
    ['more than 1 MiB', MIB + PIECE, MIB, true],
    ['much more', 50 * MIB, MIB, true],
  ])('of %s is read up to 1 MiB', async (_, rest, expected, isGivenUp) => {
    const { request, read } = makeRequest(256 * KIB + rest)
    expect((await passOn(request, false, readSome(256 * KIB), never)).status).toBe(413)
    expect(read).toEqual({ bytes: 256 * KIB + expected, isGivenUp })
  })

  it('is read for a second only', async () => {
    const waits: number[] = []
    const body = new ReadableStream({ pull: never })
    const request = new Request('https://galaxy.test/planets', { method: 'POST', body })
    const wait = async (milliseconds: number) => void waits.push(milliseconds)
    expect((await passOn(request, false, readSome(0), wait)).status).toBe(413)
    expect(waits).toEqual([1000])
  })

  it('is read and given up if the object fails, too', async () => {
    const { request, read } = makeRequest(50 * MIB)
    await expect(passOn(request, false, readSome(0, new Error('reset')), never)).rejects.toThrow('reset')
    expect(read).toEqual({ bytes: MIB, isGivenUp: true })
  })
})
