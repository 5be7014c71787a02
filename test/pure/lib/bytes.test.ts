import { expect, it } from 'vitest'
import { joinBytes } from '../../../src/lib/bytes.ts'

it('joinBytes joins more pieces than a call can have arguments', () => {
  const pieces = Array.from({ length: 300_000 }, (_, index) => new Uint8Array([index % 256]))
  const joined = joinBytes(pieces)
  expect(joined.byteLength).toBe(pieces.length)
  expect([...joined.subarray(254, 258)]).toEqual([254, 255, 0, 1])
})
