import fc from 'fast-check'
import { expect, it } from 'vitest'
import { describeBench } from '../../../laboratory/documents/document.ts'
import { judgedCaseOf } from '../../../laboratory/documents/judged.ts'
import { CASES } from '../../../laboratory/suite/suite.ts'
import { ReferenceClient } from './reference/client.ts'
import { BenchDocument } from './reference/document.ts'
import type { Value } from './reference/values.ts'

// The reference client decodes a stream however it is cut into pieces.

class Decoder extends ReferenceClient {
  async decodeAs(operationId: string, response: Response): Promise<Value | undefined> {
    const operation = this.document.find(operationId)
    if (!operation) throw new Error(`There is no operation ${operationId}.`)
    return (await this.decode(operation, response)).value
  }
}

const DOCUMENT = JSON.parse(JSON.stringify(describeBench(CASES, '3.2')))
const CLIENT = new Decoder('https://bench.example', new BenchDocument(DOCUMENT))

const STREAMS = CASES.filter(({ answer }) => answer?.isSequence)

/** A response whose body comes in pieces that end at these offsets. */
function inPieces(spec: (typeof STREAMS)[number], offsets: readonly number[]): Response {
  const { headers = {}, body = '' } = judgedCaseOf(spec).answer ?? {}
  const bytes = new TextEncoder().encode(body)
  const ends = [...new Set(offsets.map((offset) => offset % bytes.length))].toSorted((one, other) => one - other)
  const pieces = [0, ...ends].map((start, index) => bytes.subarray(start, ends[index]))
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  return new Response(stream, { headers })
}

it('has streams of each kind', () => {
  expect(STREAMS.map(({ id }) => id)).toEqual([
    'response/events',
    'response/events-json',
    'response/jsonl',
    'response/json-seq',
    'response/multipart-mixed',
  ])
})

it.each(STREAMS.map((spec) => [spec.id, spec] as const))('%s is decoded however it is cut', async (_, spec) => {
  const { value } = spec.answer?.report ?? {}
  const decoded = async (offsets: readonly number[]) => await CLIENT.decodeAs(spec.operationId, inPieces(spec, offsets))
  const length = new TextEncoder().encode(spec.answer?.body).length
  expect(await decoded([])).toEqual(value)
  expect(await decoded(Array.from({ length }, (_, offset) => offset))).toEqual(value)
  const cuts = fc.array(fc.nat(length), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(cuts, async (offsets) => {
      expect(await decoded(offsets)).toEqual(value)
    }),
  )
})
